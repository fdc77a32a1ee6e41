import { afterAll, beforeAll, expect, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOrCreateChatbot, type FirstChatbot } from '../../src/app/first-start.ts';
import { type RunningService, startService } from '../../src/app/serve.ts';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../src/bridge/chatbot/chatbot-client.ts';
import { readConfig } from '../../src/config/config.ts';
import { silentLog as log } from '../fixtures/log.ts';
import { createMemoryStore } from '../fixtures/memory-store.ts';

const apiKey = 'a-key-for-first-starts';
const folder = mkdtempSync(join(tmpdir(), 'causeway-'));
const { signal } = new AbortController();
let service: RunningService;
let client: ChatbotClient;

beforeAll(async () => {
  const env = { DATA_DIR: folder, PORT: '0', SERVICE_API_KEYS: apiKey };
  service = await startService(readConfig(env, 'service'), log);
  client = createChatbotClient({ baseUrl: service.origin, apiKey });
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** What the bridge stores about its first chatbot, and a start with it. */
function createStarts(known?: FirstChatbot) {
  const values = new Map(known && [['first', known]]);
  const store = createMemoryStore(values);
  return {
    start: () => findOrCreateChatbot({ client, store, log, signal }),
    stored: () => values.get('first'),
  };
}

async function namesOf(chatbot: string): Promise<string[]> {
  const sources = await client.listDataSources(chatbot);
  return sources.map(({ title, file_name: file }) => file || title).toSorted();
}

test('the first start adds sources on what newcomers ask, and none about the code', async () => {
  const { start } = createStarts();
  const chatbot = await start();
  const taught = await client.listDataSources(chatbot);
  expect(taught.map(({ status }) => status)).toEqual(taught.map(() => 'success'));
  expect(new Set(taught.map(({ type }) => type))).toEqual(new Set(['qa', 'upload']));
  expect(taught.map(({ title }) => title)).toContain('What is Causeway?');
  const { uuid } = await client.createSession(chatbot);
  const inside = 'Which file of src stores the message before Slack gets its acknowledgement?';
  const reply = await Array.fromAsync(client.streamReply(uuid, inside));
  expect(reply.join('')).not.toMatch(/\bsrc\b|\.ts\b/);

  const [deleted, ...kept] = taught.map(({ uuid: each }) => each);
  await client.deleteDataSource(deleted ?? '');
  expect(await start()).toBe(chatbot);
  const later = await client.listDataSources(chatbot);
  expect(later.map(({ uuid: each }) => each).toSorted()).toEqual(kept.toSorted());
});

test('an interrupted first start is completed by the next one, without duplicates', async () => {
  const whole = createStarts();
  const names = await namesOf(await whole.start());
  const { uuid } = await client.createChatbot({ name: 'Causeway' });
  await client.addQaSource(uuid, { question: 'What is Causeway?', answer: 'A chatbot.' });
  const { start, stored } = createStarts({ uuid, taught: false });
  expect(await start()).toBe(uuid);
  expect(await namesOf(uuid)).toEqual(names);
  expect(stored()).toEqual({ uuid, taught: true });
});

test('the first sources do not come back once everything was deleted', async () => {
  const { uuid } = await client.createChatbot({ name: 'Causeway' });
  await createStarts({ uuid, taught: true }).start();
  expect(await namesOf(uuid)).toEqual([]);
});
