import { startServer } from '../../../src/app/server.ts';
import { createService } from '../../../src/service/service.ts';
import { startHeartbeat } from './heartbeat.ts';
import { silentLog } from '../../fixtures/log.ts';
import { answerQuestions } from '../replies/process.ts';

/** A process with the service, over a socket, whose event loop is watched. */
export type WatchedProcess = typeof doings;

let heartbeat: ReturnType<typeof startHeartbeat> | undefined;

const doings = {
  async start({ dataDir, key }: { dataDir: string; key: string }) {
    const keys = [{ key, owner: 'bench' }];
    const service = await createService({ dataDir, keys, pace: { deltaMs: 0 }, log: silentLog });
    const routes = { service, listeners: new Map() };
    const { origin } = await startServer({ host: '127.0.0.1', port: 0 }, routes);
    return { origin, pid: process.pid };
  },
  watch() {
    heartbeat = startHeartbeat();
  },
  maxTurn() {
    if (heartbeat === undefined) throw new Error('watch before');
    return heartbeat.stop();
  },
};
answerQuestions(doings);
