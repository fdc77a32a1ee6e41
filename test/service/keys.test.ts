import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDataDir, startTestService } from './fixture.ts';

test('creates one first key, which stays valid, and stores it hashed', async () => {
  const dataDir = await createDataDir();
  try {
    let key = '';
    {
      await using first = await startTestService({ dataDir });
      key = (await first.service.ensureFirstKey()) ?? '';
      expect(key).toMatch(/^cw_[\w-]{32}$/);
      expect(await first.service.ensureFirstKey()).toBeUndefined();
      await first.post('/api/v1/chatbot/create', { name: 'Mine' }, key);
    }
    await using second = await startTestService({ dataDir });
    expect(await second.service.ensureFirstKey()).toBeUndefined();
    expect((await second.get('/api/v1/chatbots', key)).json).toMatchObject([{ name: 'Mine' }]);
    expect((await second.get('/api/v1/user', key)).json.data).toMatchObject({ name: 'local' });

    const names = (await readdir(dataDir)).filter((each) => each.startsWith('service.'));
    expect(names).toContain('service.sqlite');
    for (const name of names) {
      expect((await readFile(join(dataDir, name))).includes(key)).toBe(false);
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('says who owns the key', async () => {
  await using service = await startTestService({ keys: [{ key: 'k', owner: 'eve@example.com' }] });
  expect((await service.get('/api/v1/user', 'k')).json).toEqual({
    data: { name: 'eve@example.com', email: 'eve@example.com' },
  });
});

test('limits the requests of a key’s owner', async () => {
  let nowMs = 0;
  await using service = await startTestService({
    requestLimit: { requests: 2, seconds: 10 },
    now: () => nowMs,
  });
  expect((await service.get('/api/v1/chatbots')).status).toBe(200);
  expect((await service.get('/api/v1/chatbots')).status).toBe(200);
  const refused = await service.get('/api/v1/chatbots');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(refused.json.error).toContain('wait 5 s');
  expect((await service.get('/api/v1/chatbots', 'berts-key')).status).toBe(200);
  nowMs = 5000;
  expect((await service.get('/api/v1/chatbots')).status).toBe(200);
});

test('refuses no requests because the clock was set back', async () => {
  let nowMs = 3_600_000;
  await using service = await startTestService({
    requestLimit: { requests: 2, seconds: 10 },
    now: () => nowMs,
  });
  expect((await service.get('/api/v1/chatbots')).status).toBe(200);
  nowMs = 0;
  expect((await service.get('/api/v1/chatbots')).status).toBe(200);
  expect((await service.get('/api/v1/chatbots')).headers.get('retry-after')).toBe('5');
  nowMs = 5000;
  expect((await service.get('/api/v1/chatbots')).status).toBe(200);
});
