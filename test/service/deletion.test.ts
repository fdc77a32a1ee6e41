import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test, vi } from 'vitest';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { openStore } from '../../src/service/store/store.ts';
import { startTestService, type TestService } from './fixture.ts';
import { patience } from '../fixtures/patience.ts';

afterEach(() => vi.useRealTimers());

const dayMs = 24 * 60 * 60 * 1000;

/** The files below the folder that contain the text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });
}

const databaseBytes = (dataDir: string) => statSync(join(dataDir, 'service.sqlite')).size;

/** A page of text that is found nowhere else. */
function secret(word: string): string {
  const words = Array.from({ length: 3_000 }, (_, at) => `${word}${at}`);
  return `# About ${word}\n\n${words.join(' ')} ${word}.`;
}

async function addSource(service: TestService, chatbot: string, word: string): Promise<string> {
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const { json } = await service.upload(path, { name: `${word}.md`, content: secret(word) });
  await service.service.settled();
  return String(json.uuid);
}

async function remove(service: TestService, what: string): Promise<void> {
  expect((await service.post(`/api/v1/${what}/delete`)).status).toBeLessThan(300);
}

async function ask(service: TestService, session: string, query: string, fields = {}) {
  const path = `/api/v1/session/${session}/message/non-stream`;
  return service.post(path, { query, ...fields });
}

async function addDocument(service: TestService, word: string): Promise<string> {
  const path = '/api/v1/session-document/upload';
  const { json } = await service.upload(path, { name: `${word}.md`, content: secret(word) });
  return String(json.uuid);
}

test('what is deleted is gone from the files of the running service, which shrink', async () => {
  await using service = await startTestService();
  const { dataDir } = service;
  const chatbot = await service.createChatbot();
  const other = await service.createChatbot({ name: 'Vermilionowl' });
  await addSource(service, chatbot, 'keptheron');
  const source = await addSource(service, chatbot, 'ochrefalcon');
  await addSource(service, other, 'azurelapwing');
  const session = await service.createSession(chatbot);
  const kept = await service.createSession(chatbot);
  await ask(service, session, 'Where is the crimsonstork?');
  await ask(service, kept, 'Where is the silverfinch?', { pre_canned_response: 'A goldplover.' });
  const { json } = await service.get(`/api/v1/session/${kept}/messages`);
  await service.service.upkeep();
  const full = databaseBytes(dataDir);
  const words = ['ochrefalcon', 'azurelapwing', 'Vermilionowl', 'crimsonstork', 'silverfinch'];
  for (const word of [...words, 'goldplover']) expect(filesWith(dataDir, word)).not.toEqual([]);

  await remove(service, `data-source/${source}`);
  expect((await service.delete(`/api/v1/chatbot/${other}/delete`)).status).toBe(200);
  await remove(service, `session/${session}`);
  await remove(service, `message/${json[0].uuid}`);
  await service.service.upkeep();

  for (const word of [...words, 'goldplover']) {
    expect([word, filesWith(dataDir, word)]).toEqual([word, []]);
  }
  expect(statSync(join(dataDir, 'service.sqlite-wal')).size).toBe(0);
  expect(databaseBytes(dataDir)).toBeLessThan(full - 100_000);
  expect((await ask(service, kept, 'What about keptheron?')).json.response).toContain('keptheron');
});

test('a title that was replaced is not left in the index', async () => {
  await using service = await startTestService();
  const path = `/api/v1/chatbot/${await service.createChatbot()}/data-source/qa`;
  const add = (question: string) => service.post(path, { question, answer: 'Nobody knows.' });
  const { json } = await add('Who is it?');
  // SQLite itself merges an index in which a tenth is deleted.
  await Promise.all(Array.from({ length: 20 }, (_, at) => add(`Who is number ${at}?`)));
  await service.service.settled();
  const rename = (title: string) =>
    service.post(`/api/v1/data-source/${json.uuid}/update`, { title });
  await rename('Indigoquail');
  await service.service.upkeep();
  expect(filesWith(service.dataDir, 'ndigoquail')).toEqual(['service.sqlite']);
  await rename('Something else');
  await service.service.upkeep();
  expect(filesWith(service.dataDir, 'ndigoquail')).toEqual([]);
});

test('the service looks after its database at the start and every minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let now = Date.now();
  await using service = await startTestService({ now: () => now, retentionMs: 30 * dayMs });
  const chatbot = await service.createChatbot();
  const old = await service.createSession(chatbot);
  const used = await service.createSession(chatbot);
  const document = await addDocument(service, 'mauvegrebe');
  await ask(service, old, 'Where is the tealcrane?');
  await ask(service, used, 'Still here?');
  const exists = async (session: string) =>
    (await service.get(`/api/v1/session/${session}`)).status;

  now += dayMs - 1000;
  await vi.advanceTimersByTimeAsync(60_000);
  await service.service.upkeep();
  expect(
    (await ask(service, used, 'And now?', { session_document_uuids: [document] })).status,
  ).toBe(200);
  now += 2000;
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => expect(filesWith(service.dataDir, 'mauvegrebe')).toEqual([]), patience);

  now += 29 * dayMs;
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(async () => expect(await exists(old)).toBe(404), patience);
  expect(await exists(used)).toBe(200);
  await vi.waitFor(() => expect(filesWith(service.dataDir, 'tealcrane')).toEqual([]), patience);
});

test('a session that is used while it is being deleted for its age stays', async () => {
  const dataDir = createTemporaryFolder();
  await using service = await startTestService({ dataDir, now: () => 1000 });
  const session = await service.createSession(await service.createChatbot());
  for (let at = 0; at < 12; at += 1) await ask(service, session, 'Still here?');
  await using store = await openStore(join(dataDir, 'service.sqlite'));
  const deleted = store.sessions.deleteUnused(2000, new AbortController().signal);
  await store.sessions.touch(session, 3000);
  await deleted;
  expect((await service.get(`/api/v1/session/${session}`)).status).toBe(200);
});

test('without a retention, nothing is too old', async () => {
  let now = Date.now();
  await using service = await startTestService({ now: () => now });
  const session = await service.createSession(await service.createChatbot());
  now += 3650 * dayMs;
  await service.service.upkeep();
  expect((await service.get(`/api/v1/session/${session}`)).status).toBe(200);
});

test('a reader of the database delays the erasing, and blocks nothing', async () => {
  await using service = await startTestService();
  const session = await service.createSession(await service.createChatbot());
  using reader = new DatabaseSync(join(service.dataDir, 'service.sqlite'), { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT * FROM sessions').all();
  await ask(service, session, 'Where is the tawnyswift?');
  await remove(service, `session/${session}`);
  const since = performance.now();
  await service.service.upkeep();
  expect(performance.now() - since).toBeLessThan(1000);
  expect(filesWith(service.dataDir, 'tawnyswift')).not.toEqual([]);
  reader.exec('COMMIT');
  await service.service.upkeep();
  expect(filesWith(service.dataDir, 'tawnyswift')).toEqual([]);
});
