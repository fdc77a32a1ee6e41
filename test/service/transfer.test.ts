import {
  cpSync,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { openArchiveFile } from '../../src/service/transfer/archive-reader.ts';
import { exportOwner } from '../../src/service/transfer/export-owner.ts';
import { passages, tables } from '../../src/service/transfer/format.ts';
import { importOwner } from '../../src/service/transfer/import-owner.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { bertsKey, handbook, startTestService, type TestService } from './fixture.ts';
import { startWebsite } from './website.ts';

const question = { query: 'When does the lighthouse open?' };
const newFile = () => join(createTemporaryFolder(), 'export.zip');

async function ask(service: TestService, session: string) {
  const { json } = await service.post(`/api/v1/session/${session}/message/non-stream`, question);
  return json.response as string;
}

async function messagesOf(service: TestService, session: string) {
  return (await service.get(`/api/v1/session/${session}/messages`)).json;
}

/** A service with something of everything, of Anna, and a chatbot of Bert. */
async function fill(dataDir: string) {
  await using site = await startWebsite();
  await using service = await startTestService({ dataDir, allowPrivateAddresses: true });
  const chatbot = await service.createChatbot({ name: 'Keeper' });
  const path = `/api/v1/chatbot/${chatbot}`;
  const upload = await service.upload(`${path}/data-source/upload`, handbook);
  await service.post(`${path}/data-source/url`, { url: `${site.url}/page` });
  await service.post(`${path}/data-source/qa`, { question: 'Who?', answer: 'Ada.' });
  const tag = { name: 'Rules', color: '#112233', data_source_uuids: [upload.json.uuid] };
  const tagged = await service.post(`${path}/source-tag/create`, tag);
  const agent = { name: 'Helper', type: 'user-facing', prompt: 'Help.' };
  const created = await service.post(`${path}/agent/create`, agent);
  const seen = {
    data_source_uuids: [upload.json.uuid],
    source_tag_uuids: [tagged.json.uuid],
    variables: [{ name: 'city', description: 'Where they live', type: 'string' }],
    human_escalation_settings: { monitored_messages: ['help'] },
  };
  const updated = await service.post(`/api/v1/agent/${created.json.uuid}/update`, seen);
  expect([tagged.status, created.status, updated.status]).toEqual([200, 200, 200]);
  await service.service.settled();
  const session = await service.createSession(chatbot);
  await ask(service, session);
  const document = { name: 'note.md', content: '# Note\n\nRemember the milk.' };
  const added = await service.upload('/api/v1/session-document/upload', document);
  expect(added.status).toBe(200);
  const naming = { query: 'And the milk?', session_document_uuids: [added.json.uuid] };
  const other = await service.createSession(chatbot);
  await service.post(`/api/v1/session/${other}/message/non-stream`, naming);
  const berts = await service.post('/api/v1/chatbot/create', { name: 'Of Bert' }, bertsKey);
  return { chatbot, session, source: String(upload.json.uuid), berts: String(berts.json.uuid) };
}

const folder = mkdtempSync(join(tmpdir(), 'causeway-transfer-'));
const original = { dataDir: join(folder, 'data'), file: join(folder, 'export.zip') };
let filled: Awaited<ReturnType<typeof fill>>;

beforeAll(async () => {
  filled = await fill(original.dataDir);
  await exportOwner(original.dataDir, { file: original.file, owner: 'anna' });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The export of a filled service, with a copy of its data for this test. */
function exported() {
  const dataDir = createTemporaryFolder();
  cpSync(original.dataDir, dataDir, { recursive: true });
  return { ...filled, dataDir, file: original.file };
}

/** The entries of an export, to write another. */
async function readEntries(file: string): Promise<Map<string, Buffer>> {
  using archive = await openArchiveFile(file);
  const entries = new Map<string, Buffer>();
  for (const name of archive.names()) {
    const pieces: Buffer[] = [];
    for await (const piece of await archive.stream(name)) pieces.push(piece as Buffer);
    entries.set(name, Buffer.concat(pieces));
  }
  return entries;
}

async function writeEntries(entries: Iterable<[string, Buffer]>): Promise<string> {
  const file = newFile();
  const zip = new ZipFile();
  for (const [name, bytes] of entries) zip.addBuffer(bytes, name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
  return file;
}

test('exported data answers elsewhere as before, and gives the same export again', async () => {
  const { dataDir, file, chatbot, session } = exported();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  let answered: { response: string; cite_data_json: string }[] = [];
  let lists: unknown[] = [];
  const lookAt = async (service: TestService) =>
    Promise.all(
      ['agents', 'data-sources', 'source-tags', 'sessions'].map(
        async (what) => (await service.get(`/api/v1/chatbot/${chatbot}/${what}`)).json,
      ),
    );
  {
    await using service = await startTestService({ dataDir });
    await ask(service, session);
    answered = await messagesOf(service, session);
    lists = await lookAt(service);
  }
  expect(answered).toHaveLength(2);
  expect(answered[1]?.cite_data_json).toContain('nine in the morning');

  const target = createTemporaryFolder();
  expect(await importOwner(target, { file })).toBe('anna');
  const again = newFile();
  expect(await exportOwner(target, { file: again })).toBe('anna');
  expect(readFileSync(again).equals(readFileSync(file))).toBe(true);

  await using service = await startTestService({ dataDir: target });
  await ask(service, session);
  const [first, second] = await messagesOf(service, session);
  expect(first).toEqual(answered[0]);
  expect(second.response).toBe(answered[1]?.response);
  expect(second.cite_data_json).toBe(answered[1]?.cite_data_json);
  const listed = await lookAt(service);
  expect(listed.slice(0, 3)).toEqual(lists.slice(0, 3));
  expect((await service.get('/api/v1/chatbots', bertsKey)).json).toEqual([]);
});

test('an import may change the owner, and leaves a running export of others alone', async () => {
  const { file } = exported();
  const target = createTemporaryFolder();
  const earlier = await fill(target);
  expect(await importOwner(target, { file, owner: 'bert' })).toBe('bert');
  await using service = await startTestService({ dataDir: target });
  const names = async (key?: string) =>
    (await service.get('/api/v1/chatbots', key)).json.map(({ name }: { name: string }) => name);
  expect(await names()).toEqual(['Keeper']);
  expect(await names(bertsKey)).toEqual(['Of Bert', 'Keeper']);
  // The service runs.
  await exportOwner(target, { file: newFile(), owner: 'bert' });
  expect(await ask(service, earlier.session)).toContain('nine in the morning');
});

test('a source that is deleted while an export runs is not in it', async () => {
  const dataDir = createTemporaryFolder();
  await using service = await startTestService({ dataDir });
  const chatbot = await service.createChatbot();
  const upload = await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
  const file = newFile();
  const exporting = exportOwner(dataDir, { file });
  await service.post(`/api/v1/data-source/${upload.json.uuid}/delete`);
  await exporting;
  const entries = await readEntries(file);
  expect(entries.get('sources.jsonl')?.toString()).toBe('');
  expect([...entries.keys()].filter((name) => name.startsWith('files/'))).toEqual([]);
});

test('sources that were not ready are ingested after the import', async () => {
  const { dataDir } = exported();
  {
    using database = new DatabaseSync(join(dataDir, 'service.sqlite'));
    database.exec("UPDATE sources SET status = 'await' WHERE type = 'upload'");
    database.exec('DELETE FROM passage');
  }
  const file = newFile();
  await exportOwner(dataDir, { file, owner: 'anna' });
  const target = createTemporaryFolder();
  await importOwner(target, { file });
  await using service = await startTestService({ dataDir: target });
  await service.service.settled();
  const [chatbot] = (await service.get('/api/v1/chatbots')).json;
  expect(await ask(service, await service.createSession(chatbot.uuid))).toContain(
    'nine in the morning',
  );
});

test('an export says whose data can be exported, and overwrites nothing', async () => {
  const { dataDir, file } = exported();
  await expect(exportOwner(dataDir, { file: newFile() })).rejects.toThrow(
    'Several owners have data: anna, bert. Choose one with --owner.',
  );
  await expect(exportOwner(dataDir, { file: newFile(), owner: 'carl' })).rejects.toThrow(
    'There is nothing to export: carl has no data. Owners with data: anna, bert.',
  );
  await expect(exportOwner(dataDir, { file, owner: 'anna' })).rejects.toThrow('exists already');
  await expect(exportOwner(createTemporaryFolder(), { file: newFile() })).rejects.toThrow(
    'There is nothing to export',
  );
  const nowhere = join(createTemporaryFolder(), 'missing', 'export.zip');
  await expect(exportOwner(dataDir, { file: nowhere, owner: 'anna' })).rejects.toThrow(
    'There is no folder',
  );
});

test('what is here already is not imported again, and nothing changes', async () => {
  const { dataDir, file } = exported();
  await expect(importOwner(dataDir, { file })).rejects.toThrow(
    /of chatbots exists here already.*Nothing was imported/,
  );
  const again = newFile();
  await exportOwner(dataDir, { file: again, owner: 'anna' });
  expect(readFileSync(again).equals(readFileSync(file))).toBe(true);
});

test('hostile and broken exports are refused with a sentence, and leave nothing', async () => {
  const { dataDir, file, chatbot, source } = exported();
  const entries = await readEntries(file);
  const target = createTemporaryFolder();
  const victim = await fill(target);
  const before = newFile();
  await exportOwner(target, { file: before, owner: 'anna' });

  const change = (name: string, edit: (text: string) => string): [string, Buffer][] =>
    [...entries].map(([entry, bytes]) =>
      entry === name ? [entry, Buffer.from(edit(bytes.toString()))] : [entry, bytes],
    );
  const add = (name: string, text = 'x'): [string, Buffer][] => [
    ...entries,
    [name, Buffer.from(text)],
  ];
  const uuid = 'f'.repeat(32);
  const hostile: [string, Iterable<[string, Buffer]>, RegExp][] = [
    ['another program’s', [['readme.txt', Buffer.from('Hi')]], /has no export.json/],
    [
      'a newer version',
      change('export.json', (text) => text.replace(':1', ':2')),
      /version 2 of the/,
    ],
    ['no manifest', change('export.json', () => '[]\n'), /is no export of Causeway/],
    ['an unknown entry', add('../../etc/cron.d/x'.replaceAll('..', 'up')), /it contains up/],
    ['a file of no source', add(`files/${uuid}`), /belongs to none of its sources/],
    ['a file of someone’s source', add(`files/${victim.source}`), /belongs to none of its sources/],
    ['two of a name', add('agents.jsonl', ''), /it has agents.jsonl twice/],
    [
      'a file that is too large',
      add(`files/${uuid}`, 'x'.repeat(65 * 1024 * 1024)),
      /is too large/,
    ],
    ['broken JSON', change('messages.jsonl', (text) => text.slice(20)), /line 1 of messages.jsonl/],
    ['a cut off line', change('sessions.jsonl', (text) => text.slice(0, -5)), /is cut off/],
    [
      'bytes that are no text',
      [...entries].map(([name, bytes]): [string, Buffer] =>
        name === 'tags.jsonl' ? [name, Buffer.from([0xff, 0xfe, 0x0a])] : [name, bytes],
      ),
      /tags.jsonl can’t be read/,
    ],
    [
      'a path for a uuid',
      change('sources.jsonl', (text) => text.replace(source, '../../../x')),
      /sources.jsonl is wrong: uuid must be a uuid/,
    ],
    [
      'an unknown column',
      change('chatbots.jsonl', (text) => text.replace('{', '{"id":1,')),
      /chatbots.jsonl is wrong/,
    ],
    [
      'an agent of someone else’s chatbot',
      change('agents.jsonl', (text) => text.replaceAll(chatbot, victim.berts)),
      /a row’s chatbot is not part of it/,
    ],
    [
      'a tag that is named like someone else’s chatbot',
      change('agents.jsonl', (text) => text.replaceAll(chatbot, victim.berts)).map(
        ([name, bytes]): [string, Buffer] =>
          name === 'tags.jsonl'
            ? [
                name,
                Buffer.from(bytes.toString().replace(/"uuid":"\w+"/, `"uuid":"${victim.berts}"`)),
              ]
            : name === 'tag_sources.jsonl' || name === 'agent_tags.jsonl'
              ? [name, Buffer.alloc(0)]
              : [name, bytes],
      ),
      /a row’s chatbot is not part of it/,
    ],
    [
      'someone else’s source',
      change('agent_sources.jsonl', (text) => text.replaceAll(source, victim.source)),
      /a row’s agent or source is not part of it/,
    ],
    [
      'a document in someone else’s session',
      change('session_documents.jsonl', (text) =>
        text.replace(/"session":"\w+"/, `"session":"${victim.session}"`),
      ),
      /a row’s session is not part of it/,
    ],
    [
      'passages for someone else’s source',
      change('passages.jsonl', (text) => text.replaceAll(source, victim.source)),
      /a row’s source is not part of it/,
    ],
    [
      'settings that are no settings',
      change('agents.jsonl', (text) => text.replace('"tags":[]', '"tags":7')),
      /agents.jsonl is wrong: settings.tags/,
    ],
  ];
  for (const [what, changed, refused] of hostile) {
    const tried = importOwner(target, { file: await writeEntries(changed), owner: 'bert' });
    const reason = await tried.then(() => 'imported', String);
    expect(`${what}: ${reason}`).toMatch(refused);
  }
  const cut = newFile();
  writeFileSync(cut, readFileSync(file).subarray(0, -100));
  await expect(importOwner(target, { file: cut })).rejects.toThrow(/can’t be read/);
  await expect(importOwner(target, { file: join(dataDir, 'none.zip') })).rejects.toThrow(
    'does not exist',
  );

  const after = newFile();
  await exportOwner(target, { file: after, owner: 'anna' });
  expect(readFileSync(after).equals(readFileSync(before))).toBe(true);
  await using service = await startTestService({ dataDir: target });
  expect((await service.get('/api/v1/chatbots', bertsKey)).json).toHaveLength(1);
  const files = readdirSync(join(target, 'files', 'sources'));
  expect(files.filter((name) => existsSync(join(dataDir, 'files', 'sources', name)))).toEqual([]);
});

test('every column of an owner’s rows is exported', async () => {
  const { dataDir } = exported();
  using database = new DatabaseSync(join(dataDir, 'service.sqlite'));
  for (const { name, Row } of tables) {
    const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all(name);
    const stored = columns.map((column) => String(column['name']));
    // What is imported is counted anew.
    const kept = new Set([...Object.keys(Row.shape), 'id', 'owner', 'bytes']);
    expect([name, stored.filter((column) => !kept.has(column))]).toEqual([name, []]);
  }
  expect(passages.name).toBe('passages');
});
