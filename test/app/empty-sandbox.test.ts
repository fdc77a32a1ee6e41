import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStored } from '../../src/app/empty-sandbox.ts';
import { type Store, openStore } from '../../src/bridge/stores/open-store.ts';
import { toReceivedRow } from '../../src/bridge/conversation/inbox/row.ts';
import { readConfig } from '../../src/config/config.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { databases } from '../fixtures/databases.ts';
import { silentLog } from '../fixtures/log.ts';

let store: Store;
let sandbox: Sandbox;

beforeEach(async () => {
  store = await openStore('memory:');
  sandbox = createSandbox({ database: ':memory:', origin: () => 'http://127.0.0.1:1' });
  await store.keyv('binding').set(ownKey('C1'), { chatbot: 'second' });
  await store.keyv('session').set(ownKey('C1:1'), { session: 'asked', chatbot: 'second' });
  await store.keyv('registry').set('chatbot:here', { things: [] });
  await store.keyv('watermark').set('C2', '1');
});
afterEach(async () => {
  await sandbox[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

const ownKey = (rest: string) => `slack:${sandbox.slack.team.id}:${rest}`;

/** What the store and a service have stored, where the service has two chatbots. */
function open(env: Record<string, string> = {}) {
  const chatbots = [{ uuid: 'first' }, { uuid: 'second' }];
  const chatbot = { uuid: 'first' };
  const done: string[] = [];
  const failing = new Set<string>();
  const step = async (name: string) => {
    done.push(name);
    if (failing.delete(name)) throw new Error('down');
  };
  const client = {
    listChatbots: async () => [...chatbots],
    async deleteChatbot(uuid: string) {
      await step(`delete ${uuid}`);
      chatbots.splice(
        chatbots.findIndex((each) => each.uuid === uuid),
        1,
      );
    },
  };
  const stored = createStored({
    sandbox,
    config: readConfig({ DATA_DIR: '/nowhere', ...env }),
    store,
    client: client as never,
    conversation: { endAll: () => step('end all') },
    chatbot,
    async createFirst() {
      await step('create');
      return env['CHATBOT_UUID'] ?? 'new';
    },
    log: silentLog,
  });
  return { stored, chatbot, done, failing };
}

async function left(): Promise<string[]> {
  const namespaces = ['binding', 'session', 'registry', 'watermark'];
  const filled: string[] = [];
  for (const namespace of namespaces) {
    if ((await Array.fromAsync(store.keyv(namespace).entries())).length > 0) filled.push(namespace);
  }
  return filled;
}

test.each(['end all', 'delete second', 'create'])(
  'what is interrupted at “%s” is finished by emptying again',
  async (failed) => {
    const { stored, chatbot, failing, done } = open();
    failing.add(failed);
    await expect(stored.empty()).rejects.toThrow(/^Not everything could be deleted\. Press/);
    expect(done.at(-1)).toBe(failed);
    await stored.empty();
    expect(chatbot).toEqual({ uuid: 'new' });
    expect(await left()).toEqual(['watermark']);
  },
);

test('two presses at once empty once', async () => {
  const { stored, done } = open();
  await Promise.all([stored.empty(), stored.empty()]);
  expect(done).toEqual(['end all', 'delete first', 'delete second', 'create']);
});

test.each<Record<string, string>>([
  { CHATBOT_UUID: 'first' },
  {
    CHATBOT_API_URL: 'https://bots.example',
    CHATBOT_API_KEY: 'a-key-for-tests',
    CHATBOT_UUID: 'first',
  },
])('a chatbot that is configured keeps its data, and the bridge knows it: %o', async (env) => {
  const { stored, done } = open(env);
  expect(await stored.kept()).toBe('service');
  await stored.empty();
  expect(done).toEqual(['end all', 'create']);
  expect(await left()).toEqual(['registry', 'watermark']);
});

test.each([
  ['session', 'slack:T0REAL:C1:1', { session: 'real', chatbot: 'first' }],
  ['home', 'discord', ['81384788765712384']],
  ['slack-installation', 'T0REAL', {}],
])('a store that real workspaces have used stays as it is: %s', async (namespace, key, value) => {
  await store.keyv<unknown>(namespace).set(key, value);
  const { stored, done } = open();
  expect(await stored.kept()).toBe('all');
  await stored.empty();
  expect(done).toEqual([]);
  expect(await left()).toEqual(['binding', 'session', 'registry', 'watermark']);
});

test.each(databases)('a store on $name is cleared but for what is kept', async (database) => {
  const { storeUrl } = await database.createPlaces();
  await using cleared = await openStore(storeUrl);
  const message = { platform: 'slack', workspace: 'T1', channel: 'C1', id: '1' };
  const row = toReceivedRow(message, {});
  await cleared.inbox.insert(row);
  const address = { platform: 'slack', workspace: 'T1', channel: 'C1', thread: '1' };
  const asking = { address, tenant: address, author: { id: 'U1', name: 'Ada', isManager: false } };
  await cleared.questions.count('1', asking, {});
  for (const namespace of ['gap', 'watermark']) await cleared.keyv(namespace).set('C1', 1);

  await cleared.clear(['watermark']);

  expect(await cleared.inbox.get(row.id)).toBeUndefined();
  expect(await cleared.questions.spent(asking, { person: 1 })).toBeUndefined();
  expect(await cleared.keyv('gap').get('C1')).toBeUndefined();
  expect(await cleared.keyv('watermark').get('C1')).toBe(1);
});

test('settings that are kept in memory are read again', async () => {
  const values = store.keyv('workspace-settings');
  let told = 0;
  values.onChange?.(() => (told += 1));
  await open().stored.empty();
  expect(told).toBe(1);
});
