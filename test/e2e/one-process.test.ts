import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sourceProgress } from '../../src/api/data-source.ts';
import { createChatbotClient } from '../../src/chatbot/chatbot-client.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { launchCauseway } from './causeway-process.ts';

const waits = /^Another process uses \S+service\.sqlite\. This one waits until it ends/m;
const running = /^The chatbot service is running at (http:\S+)\/api\/v1$/m;

async function* harbour() {
  yield Buffer.from('The harbour opens at nine.');
}

it('one process has the data: others wait for it, and commands work beside it', async ({
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
  const [apiKey = ''] = /cw_[\w-]{32}/.exec(added.output) ?? [];
  await using other = createChatbotClient({ baseUrl: origin, apiKey });
  expect(await run('keys', 'revoke', firstKey)).toMatchObject({ code: 0 });
  await expect(client.listChatbots()).rejects.toMatchObject({ kind: 'unauthorized' });
  expect(await run('keys', 'revoke', 'nobody')).toEqual({
    code: 1,
    output: 'No key begins with nobody. npm run keys -- list shows all.\n',
  });

  const backup = join(folder, 'backup');
  const file = join(folder, 'local.zip');
  const copied = await Promise.all([run('backup', backup), run('export', file)]);
  expect(copied).toMatchObject([{ code: 0 }, { code: 0 }]);
  const output = expect.stringMatching(/^A process uses \S+service\.sqlite\. Stop it first\.$/m);
  const refused = await Promise.all([run('restore', backup, '--replace'), run('import', file)]);
  expect(refused).toEqual([
    { code: 1, output },
    { code: 1, output },
  ]);
  while (sourceProgress((await other.listDataSources(uuid))[0]?.status ?? '') === 'waiting');

  expect(await bridge.stop('SIGTERM')).toBe(0);
  expect(await first.stop('SIGTERM')).toBe(0);
  const [, next = ''] = await second.printed(running);
  await using heir = createChatbotClient({ baseUrl: next, apiKey });
  expect(await heir.listDataSources(uuid)).toMatchObject([{ title: 'harbour', status: 'success' }]);
  expect(second.output()).not.toContain('shown only once');
});
