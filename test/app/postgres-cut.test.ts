import { fetch } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { startService } from '../../src/app/serve.ts';
import { readConfig } from '../../src/config/config.ts';
import { postgres } from '../fixtures/databases.ts';
import { startFaultyNetwork } from '../fixtures/faulty-network.ts';
import { silentLog } from '../fixtures/log.ts';
import { findFreePort } from '../fixtures/postgres-server.ts';
import { patience } from '../fixtures/patience.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';

describe.runIf(postgres.isInstalled)('a start goes on where Postgres ends', () => {
  /** Settings for a store that is cut off at the first statement with this text. */
  async function prepare(text: string) {
    const { storeUrl } = await postgres.createPlaces();
    const network = await startFaultyNetwork(storeUrl);
    onTestFinished(() => network[Symbol.asyncDispose]());
    network.cutAt(text);
    const port = await findFreePort();
    const env = { DATA_DIR: createTemporaryFolder(), PORT: String(port), STORE_URL: network.url };
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    const readiness = async () => {
      const response = await get('/readyz');
      return `${response.status} ${await response.text()}`;
    };
    const repairLater = async () => {
      await network.cut;
      await vi.waitFor(
        async () => expect(await readiness()).toMatch(/^503 waiting for Postgres/),
        patience,
      );
      // A page that followed a sandbox of before would see nothing of the next one.
      const { status, body } = await get('/sandbox/control/events');
      await body?.cancel();
      network.repair();
      expect(status).toBe(503);
    };
    return { config: readConfig(env), readiness, repairLater };
  }

  test.each([
    ['before the process has its leases', 'insert into "processes"'],
    ['before the service has its jobs', 'causeway_jobs'],
    ['before the bridge knows whether the data is of a backup', 'restored'],
    ['while the service creates the first chatbot', 'insert into "chatbots"'],
  ])('%s', async (_, text) => {
    const { config, readiness, repairLater } = await prepare(text);
    const service = { extractor: sharedExtractor };
    const starting = createApp(config, silentLog, { service });
    await Promise.all([starting, repairLater()]);
    await using app = await starting;
    await vi.waitFor(async () => expect(await readiness()).toMatch(/^200/), patience);
    expect(app.awaited()).toEqual([]);
  });

  test('before the service alone has its first key', async () => {
    const { config, repairLater } = await prepare('exclusively first key');
    const starting = startService(config, silentLog);
    await Promise.all([starting, repairLater()]);
    await using service = await starting;
    expect(service.firstKey).toMatch(/^cw_/);
  });
});
