import { startServer } from '../../../src/server.ts';
import { createService } from '../../../src/service/service.ts';
import { silentLog } from '../../fixtures/log.ts';

/**
 * The service as `serve` runs it, but that it may fetch from loopback, where the hostile pages are.
 * The data directory and the key are its arguments; it prints where it answers.
 */
const [dataDir = '', key = ''] = process.argv.slice(2);
const service = createService({
  dataDir,
  keys: [{ key, owner: 'bench' }],
  allowPrivateAddresses: true,
  log: silentLog,
});
const server = await startServer({ host: '127.0.0.1', port: 0 }, { service, listeners: new Map() });
process.stdout.write(`${server.origin}\n`);
