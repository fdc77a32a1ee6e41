import { expect, test } from 'vitest';
import { openKeys } from '../../src/app/manage-keys.ts';
import { readConfig } from '../../src/config/config.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { startTestService } from '../service/fixture.ts';

/** A service where Anna has a chatbot, and its keys as another process opens them. */
async function open(options: { env?: Record<string, string>; now?: () => number } = {}) {
  const dataDir = createTemporaryFolder();
  const { env, now } = options;
  const service = await startTestService({ dataDir, now });
  await service.createChatbot({ name: 'Anna’s' });
  const keys = await openKeys(readConfig({ DATA_DIR: dataDir, ...env }), now);
  return {
    keys,
    upkeep: () => service.service.upkeep(),
    /** The names of a key's chatbots, or the status of its refusal. */
    async see(key: string) {
      const { status, json } = await service.get('/api/v1/chatbots', key);
      return status === 200 ? json.map(({ name }: { name: string }) => name) : status;
    },
    user: async (key: string) => (await service.get('/api/v1/user', key)).json.data.name,
    async [Symbol.asyncDispose]() {
      await keys[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** The key in the message about a new one. */
const keyIn = (said: string) => said.split('\n')[1] ?? '';
const prefixOf = (key: string) => key.slice(0, 11);

test('a key added while the service runs works at once, for its owner only', async () => {
  await using opened = await open();
  const said = await opened.keys.add('anna', 'Laptop');
  expect(said).toMatch(/^A key of anna, shown only once:\ncw_[\w-]{32}$/);
  expect(await opened.see(keyIn(said))).toEqual(['Anna’s']);
  expect(await opened.user(keyIn(said))).toBe('anna');
});

test('a new owner sees nothing that others own; the default owner is local', async () => {
  await using opened = await open();
  const acme = keyIn(await opened.keys.add('acme'));
  expect(await opened.see(acme)).toEqual([]);
  expect(await opened.user(acme)).toBe('acme');
  expect(await opened.user(keyIn(await opened.keys.add()))).toBe('local');
});

test('after a rotation, the new key reaches everything and the revoked one is refused at once', async () => {
  await using opened = await open();
  const former = keyIn(await opened.keys.add('anna'));
  expect(await opened.see(former)).toEqual(['Anna’s']);
  const next = keyIn(await opened.keys.add('anna'));
  const prefix = prefixOf(former);
  expect(await opened.keys.revoke(prefix)).toBe(`Revoked ${prefix}, a key of anna.`);
  expect(await opened.see(former)).toBe(401);
  expect(await opened.see(next)).toEqual(['Anna’s']);
});

test('the list shows how each key begins, never a whole key, and when it was last used', async () => {
  let nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
  await using opened = await open({
    env: { SERVICE_API_KEYS: 'ops:key-of-the-environment' },
    now: () => nowMs,
  });
  const used = keyIn(await opened.keys.add('anna', 'Laptop'));
  nowMs += 1000;
  const revoked = keyIn(await opened.keys.add('acme'));
  nowMs += 1000;
  await opened.see(used);
  await opened.upkeep();
  await opened.keys.revoke(revoked);
  const list = await opened.keys.list();
  expect(list.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['Prefix', 'Owner', 'Name', 'Created', 'Last used', 'Revoked'],
    [prefixOf(used), 'anna', 'Laptop', '2026-01-02T03:04:05Z', '2026-01-02T03:04:07Z'],
    [prefixOf(revoked), 'acme', '2026-01-02T03:04:06Z', 'never', '2026-01-02T03:04:07Z'],
    ['key-…', 'ops', 'in SERVICE_API_KEYS'],
    ['bert has no key. npm run keys -- add --owner bert creates one.'],
    ['local has no key. npm run keys -- add --owner local creates one.'],
    ['acme has no key. npm run keys -- add --owner acme creates one.'],
  ]);
  expect(list).not.toContain(used);
});

test('revoking an owner’s last key says that it was the last', async () => {
  await using opened = await open();
  const key = keyIn(await opened.keys.add('acme'));
  expect(await opened.keys.revoke(key)).toBe(
    `Revoked ${prefixOf(key)}, a key of acme.\nIt was the last key of acme. npm run keys -- add --owner acme creates one.`,
  );
});

test.each([
  ['nobody', /^No key begins with nobody\. npm run keys -- list shows all\.$/],
  ['cw_', /^Several keys begin with cw_: cw_\S{8}, cw_\S{8}\. Type more of the key\.$/],
  ['key-of', /^A key in SERVICE_API_KEYS begins with key-of\. Remove it there, and restart/],
])('revoke refuses %s', async (text, problem) => {
  await using opened = await open({ env: { SERVICE_API_KEYS: 'key-of-the-environment' } });
  await opened.keys.add();
  await opened.keys.add();
  await expect(opened.keys.revoke(text)).rejects.toThrow(problem);
});

test('revoking a key twice says when it was revoked', async () => {
  await using opened = await open({ now: () => Date.UTC(2026, 0, 2) });
  const key = keyIn(await opened.keys.add());
  await opened.keys.revoke(key);
  await expect(opened.keys.revoke(prefixOf(key))).rejects.toThrow(
    `${prefixOf(key)} was revoked at 2026-01-02T00:00:00Z.`,
  );
});

test('an owner’s name must also be valid in SERVICE_API_KEYS', async () => {
  await using opened = await open();
  await expect(opened.keys.add('a:b')).rejects.toThrow(
    /^“a:b” can’t be an owner’s name\. An owner’s name has up to/,
  );
});

test('keys can be added before the first start of the service', async () => {
  const dataDir = createTemporaryFolder();
  await using keys = await openKeys(readConfig({ DATA_DIR: dataDir }));
  const key = keyIn(await keys.add());
  await using service = await startTestService({ dataDir });
  expect(await service.service.ensureFirstKey()).toBeUndefined();
  expect((await service.get('/api/v1/user', key)).json.data.name).toBe('local');
});

test('a start prints no new key once all keys are revoked', async () => {
  const dataDir = createTemporaryFolder();
  await using service = await startTestService({ dataDir });
  await using keys = await openKeys(readConfig({ DATA_DIR: dataDir }));
  await keys.revoke((await service.service.ensureFirstKey()) ?? '');
  expect(await service.service.ensureFirstKey()).toBeUndefined();
});

test('keys can’t be managed for a hosted service', async () => {
  const env = { CHATBOT_API_URL: 'https://example.com', CHATBOT_UUID: 'u' };
  const config = readConfig({ ...env, CHATBOT_API_KEY: 'the-right-key' });
  await expect(openKeys(config)).rejects.toThrow('a hosted service, which has its own keys');
});
