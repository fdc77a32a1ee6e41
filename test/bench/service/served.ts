import { startServer } from '../../../src/app/server.ts';
import { createService } from '../../../src/service/service.ts';
import { silentLog } from '../../fixtures/log.ts';
import { answerQuestions } from '../replies/process.ts';

/** A process with the service, over a socket. */
export type ServiceProcess = typeof doings;

const doings = { start, memoryMb: () => process.resourceUsage().maxRSS / 1024 };
answerQuestions(doings);

async function start(options: { dataDir: string; key: string; modelUrl?: string }) {
  const { dataDir, key, modelUrl } = options;
  const service = await createService({
    dataDir,
    keys: [{ key, owner: 'bench' }],
    ...(modelUrl && { llm: { baseUrl: modelUrl, model: 'bench' } }),
    log: silentLog,
  });
  const routes = { service, listeners: new Map() };
  const { origin } = await startServer({ host: '127.0.0.1', port: 0 }, routes);
  return origin;
}
