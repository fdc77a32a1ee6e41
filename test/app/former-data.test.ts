import { expect, test } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { openKeys } from '../../src/app/manage-keys.ts';
import { startService } from '../../src/app/serve.ts';
import { createChatbotClient } from '../../src/bridge/chatbot/chatbot-client.ts';
import { readConfig } from '../../src/config/config.ts';
import { copyFormerData, formerData } from '../fixtures/former-data.ts';
import { silentLog } from '../fixtures/log.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';

const { firstKey, bridgeKey, tenantKey } = formerData;
const { firstChatbot, bridgeChatbot, tenantChatbot } = formerData;
const keys = `${bridgeKey},${tenantKey}`;

async function serve(folder: string, SERVICE_API_KEYS: string) {
  const config = readConfig({ DATA_DIR: folder, PORT: '0', SERVICE_API_KEYS }, 'service');
  const service = await startService(config, silentLog);
  // oxlint-disable-next-line typescript/no-explicit-any -- its shape is what tests check
  const get = async (path: string, key: string): Promise<any> => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${service.origin}/api/v1${path}`, { headers })).json();
  };
  return {
    get,
    /** The uuids of a key's chatbots. */
    async chatbots(key: string) {
      await using client = createChatbotClient({ baseUrl: service.origin, apiKey: key });
      return (await client.listChatbots()).map(({ uuid }) => uuid);
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** The chatbot that the bridge answers with. */
async function bridgeWith(folder: string, env: Record<string, string>): Promise<string> {
  const config = readConfig({ DATA_DIR: folder, PORT: '0', ...env });
  await using app = await createApp(config, silentLog, { service: { extractor: sharedExtractor } });
  return app.chatbot;
}

test('data from before has the owners it had, who have names now', async () => {
  await using service = await serve(copyFormerData(), keys);
  expect(await service.chatbots(firstKey)).toEqual([firstChatbot]);
  expect(await service.chatbots(bridgeKey)).toEqual([bridgeChatbot]);
  expect(await service.chatbots(tenantKey)).toEqual([tenantChatbot]);
  const name = async (key: string) => (await service.get('/user', key)).data.name;
  expect(await Promise.all([firstKey, bridgeKey, tenantKey].map(name))).toEqual([
    'owner-1',
    'local',
    'owner-2',
  ]);
});

test('data from before is whole', async () => {
  await using service = await serve(copyFormerData(), keys);
  const [source] = await service.get(`/chatbot/${tenantChatbot}/data-sources`, tenantKey);
  expect(source).toMatchObject({ title: 'tenant', status: 'success' });
  const [session] = await service.get(`/chatbot/${tenantChatbot}/sessions`, tenantKey);
  expect(await service.get(`/session/${session.uuid}/messages`, tenantKey)).toMatchObject([
    { query: 'What is Tenant?', response: 'The tenant sells red boats in the harbour. [1.1]' },
  ]);
});

test('after a rotation of the keys, the bridge and their holders find what they had', async () => {
  const folder = copyFormerData();
  expect(await bridgeWith(folder, { SERVICE_API_KEYS: keys })).toBe(bridgeChatbot);
  const [other, tenants] = ['another-key-of-the-bridge', 'another-key-of-the-tenant'];
  const rotated = `${other},owner-2:${tenants}`;
  expect(await bridgeWith(folder, { SERVICE_API_KEYS: rotated })).toBe(bridgeChatbot);
  await using service = await serve(folder, rotated);
  expect(await service.chatbots(other)).toEqual([bridgeChatbot]);
  expect(await service.chatbots(tenants)).toEqual([tenantChatbot]);
  expect(await service.get('/chatbots', tenantKey)).toMatchObject({ code: 'api_key_unknown' });
});

test('a key that was its own owner without any data sees nobody else’s', async () => {
  const idle = 'key-without-any-data';
  const folder = copyFormerData();
  await using service = await serve(folder, `${bridgeKey},${idle}`);
  expect(await service.chatbots(idle)).toEqual([]);
});

test('a key from before is given to nobody else', async () => {
  const start = serve(copyFormerData(), `${bridgeKey},acme:${tenantKey}`);
  await expect(start).rejects.toThrow(
    'SERVICE_API_KEYS gives acme a key whose data belongs to owner-2. Write owner-2 before that key',
  );
});

test('a key that is set later sees what the first start created', async () => {
  const folder = copyFormerData();
  await using service = await serve(folder, 'a-key-that-is-set-later');
  expect(await service.chatbots('a-key-that-is-set-later')).toEqual([firstChatbot]);
});

test('the first key from before can be revoked, and the others are found in the list', async () => {
  const folder = copyFormerData();
  await using service = await serve(folder, keys);
  using manager = openKeys(readConfig({ DATA_DIR: folder, SERVICE_API_KEYS: keys }));
  expect(manager.list()).toMatch(/^first-[0-9a-f]{8} +owner-1 +first key +\S+Z +never$/m);
  expect(manager.revoke(firstKey)).toMatch(
    /^Revoked first-\w{8}, a key of owner-1\.\nIt was the last key of owner-1\. npm run keys -- add --owner owner-1 makes one\.$/,
  );
  expect(await service.get('/chatbots', firstKey)).toMatchObject({ code: 'api_key_unknown' });
  const key = manager.add('owner-1').split('\n')[1] ?? '';
  expect(await service.chatbots(key)).toEqual([firstChatbot]);
});

test('keys of a folder that no start has brought up to date are left alone', () => {
  expect(() => openKeys(readConfig({ DATA_DIR: copyFormerData() }))).toThrow(
    'The data is of another version. Restart',
  );
});
