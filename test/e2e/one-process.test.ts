import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sourceProgress } from '../../src/shared/api/data-source.ts';
import { createBackup } from '../../src/app/backup.ts';
import { openKeys } from '../../src/app/manage-keys.ts';
import { createChatbotClient } from '../../src/bridge/chatbot/chatbot-client.ts';
import { readConfig } from '../../src/config/config.ts';
import { postgres } from '../fixtures/databases.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { launchCauseway } from './causeway-process.ts';

const waits = /^Another process uses \S+service\.sqlite\. This one waits until it ends/m;
const running = /^The chatbot service is running at (http:\S+)\/api\/v1$/m;

async function* harbour() {
  yield Buffer.from('The harbour opens at nine.');
}

it('one process has the data: others wait until it dies, and commands work beside it', async ({
  signal,
}) => {
  const folder = createTemporaryFolder();
  const env = { DATA_DIR: createTemporaryFolder() };
  const launch = (...args: string[]) => launchCauseway(env, signal, { args });
  const run = async (...args: string[]) => {
    await using command = launch(...args);
    return { code: await command.ended, output: command.output() };
  };
  await using first = launch('serve');
  const [, origin = ''] = await first.printed(running);
  const [, firstKey = ''] = await first.printed(/^Its key, shown only once: (\S+)/m);
  await using client = createChatbotClient({ baseUrl: origin, apiKey: firstKey });
  const { uuid } = await client.createChatbot({ name: 'Guide' });
  await client.uploadDataSource(uuid, { name: 'harbour.txt', content: harbour() });

  await using bridge = launch('start');
  await using second = launch('serve');
  await Promise.all([bridge.printed(waits), second.printed(waits)]);
  const added = await run('keys', 'add', '--name', 'Laptop');
  expect(added.code).toBe(0);
  const [apiKey = ''] = /cw_[\w-]{32}/.exec(added.output) ?? [];
  await using other = createChatbotClient({ baseUrl: origin, apiKey });

  // These commands run in this process, beside the process that has the data.
  const config = readConfig(env);
  {
    await using keys = await openKeys(config);
    await keys.revoke(firstKey);
  }
  await expect(client.listChatbots()).rejects.toMatchObject({ kind: 'unauthorized' });
  const backup = join(folder, 'backup');
  await createBackup(config, backup);
  const inUse = /^A process uses \S+service\.sqlite\. Stop it first\.$/m;
  const output = expect.stringMatching(inUse);
  expect(await run('restore', backup, '--replace')).toEqual({ code: 1, output });
  while (sourceProgress((await other.listDataSources(uuid))[0]?.status ?? '') === 'waiting');

  expect(await bridge.stop('SIGTERM')).toBe(0);
  await first.stop('SIGKILL');
  const [, next = ''] = await second.printed(running);
  await using heir = createChatbotClient({ baseUrl: next, apiKey });
  expect(await heir.listDataSources(uuid)).toMatchObject([{ title: 'harbour', status: 'success' }]);
  expect(second.output()).not.toContain('shown only once');
  expect(await second.stop('SIGTERM')).toBe(0);
});

it.runIf(postgres.isInstalled)(
  'one process on Postgres has the sandbox: another waits until it has ended',
  async ({ signal }) => {
    const { storeUrl } = await postgres.createPlaces();
    const launch = () =>
      launchCauseway({ DATA_DIR: createTemporaryFolder(), STORE_URL: storeUrl }, signal);
    await using first = launch();
    await first.printed(/^Causeway is running/m);
    await using second = launch();
    await second.printed(/^The sandbox runs in one process only, and others use the same store\./m);
    expect(second.output()).not.toContain('Causeway is running');
    expect(await first.stop('SIGTERM')).toBe(0);
    await second.printed(/^Causeway is running/m);
    expect(await second.stop('SIGTERM')).toBe(0);
  },
);
