import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { p, toDocx } from '../fixtures/documents/office.ts';
import { annasKey, bertsKey, startTestService, type TestService, toForm } from './fixture.ts';
import { startWebsite } from './website.ts';

const mebibyte = 1024 * 1024;

async function addFile(
  service: TestService,
  file: { name: string; content: string | Uint8Array<ArrayBuffer> },
  { key = annasKey, chatbot }: { key?: string; chatbot: string },
) {
  const headers = { authorization: `Bearer ${key}` };
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const response = await service.fetch(path, { method: 'POST', headers, body: toForm(file) });
  const json = (await response.json()) as { uuid?: string; code?: string; error?: string };
  await service.service.settled();
  return { status: response.status, json };
}

async function listSources(service: TestService, chatbot: string) {
  const { json } = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  return (json as { uuid: string; status: string; meta_json: string; file_size: number }[]).map(
    ({ meta_json, ...source }) => ({
      ...source,
      meta: JSON.parse(meta_json) as { error?: string },
    }),
  );
}

async function ask(service: TestService, session: string, query: string, fields = {}) {
  return service.post(`/api/v1/session/${session}/message/non-stream`, { query, ...fields });
}

/** A small file with this much text in it. */
function toPacked(name: string, characters: number) {
  const paragraph = 'The mill on the hill grinds wheat from Monday to Friday, and rye on Sundays. ';
  const text = paragraph.repeat(12);
  const content = Uint8Array.from(toDocx(p(text).repeat(Math.ceil(characters / text.length))));
  return { name, content };
}

test('what an owner stores has a limit, over all chatbots and for no other owner', async () => {
  await using service = await startTestService({ maxOwnerBytes: mebibyte / 4 });
  const content = 'word '.repeat(mebibyte / 80);
  const one = await service.createChatbot();
  const other = await service.createChatbot();
  const { json: berts } = await service.post('/api/v1/chatbot/create', { name: 'B' }, bertsKey);
  const first = await addFile(service, { name: 'one.txt', content }, { chatbot: one });
  expect(first.status).toBe(200);

  const large = { name: 'three.txt', content: 'x '.repeat(mebibyte / 16) };
  const refused = await addFile(service, large, { chatbot: other });
  expect(refused.status).toBe(422);
  expect(refused.json).toMatchObject({ code: 'storage_full', params: { max: 0.3 } });
  {
    using database = new DatabaseSync(join(service.dataDir, 'service.sqlite'), { readOnly: true });
    const files = database.prepare('SELECT DISTINCT source FROM source_files').all();
    expect(files).toEqual([{ source: first.json.uuid }]);
  }
  expect((await addFile(service, large, { key: bertsKey, chatbot: berts.uuid })).status).toBe(200);

  await service.post(`/api/v1/data-source/${first.json.uuid}/delete`);
  expect((await addFile(service, large, { chatbot: other })).status).toBe(200);
});

test('a file whose text is too large says how large, and fits once there is room', async () => {
  await using service = await startTestService({ maxOwnerBytes: mebibyte / 2 });
  const chatbot = await service.createChatbot();
  const small = await addFile(service, toPacked('a.docx', 100_000), { chatbot });
  const large = toPacked('b.docx', 262_500);
  expect(large.content.length).toBeLessThan(20_000);
  expect((await addFile(service, large, { chatbot })).status).toBe(200);
  const [first, second] = await listSources(service, chatbot);
  expect(first?.status).toBe('success');
  expect(second).toMatchObject({ status: 'error:storage', meta: { error_code: 'text_too_large' } });
  expect(second?.meta.error).toMatch(
    /^Too large: its text takes up 0\.\d MB, and 0\.\d MB is left\. Delete .*OWNER_MAX_MB\.$/,
  );

  await service.post(`/api/v1/data-source/${small.json.uuid}/delete`);
  await service.post('/api/data-sources/restart', { uuids: [second?.uuid] });
  await service.service.settled();
  expect(await listSources(service, chatbot)).toMatchObject([{ status: 'success' }]);
});

test('a page that has become too large keeps the text that it had', async () => {
  await using site = await startWebsite();
  const page = '<title>Mill</title><p>The mill on the hill grinds wheat on Mondays.</p>';
  site.page = page;
  await using service = await startTestService({
    allowPrivateAddresses: true,
    maxOwnerBytes: mebibyte,
  });
  const chatbot = await service.createChatbot();
  const body = { url: `${site.url}/page` };
  const { json } = await service.post(`/api/v1/chatbot/${chatbot}/data-source/url`, body);
  await service.service.settled();
  const refresh = async () => {
    await service.post('/api/v1/data-sources/url/re-scrape', { uuids: [json.uuid] });
    await service.service.settled();
    return (await listSources(service, chatbot))[0];
  };

  site.page = page + '<p>It grinds rye on Sundays, and oats on any other day.</p>'.repeat(9_000);
  expect(await refresh()).toMatchObject({
    status: 'error:storage',
    file_size: page.length,
    meta: { error_code: 'text_too_large' },
  });
  const session = await service.createSession(chatbot);
  const reply = await ask(service, session, 'What does the mill grind?');
  expect(reply.json.response).toContain('grinds wheat on Mondays');

  site.page = page.padEnd(2 * mebibyte);
  expect(await refresh()).toMatchObject({
    status: 'error:storage',
    meta: { error_code: 'storage_full' },
  });
  // More than half of what is allowed takes the place of itself.
  site.page = page.replace('wheat', 'rye') + '<p>It is closed at night.</p>'.repeat(6_000);
  for (let time = 0; time < 3; time += 1) {
    expect(await refresh()).toMatchObject({ status: 'success', file_size: site.page.length });
  }
  expect((await ask(service, session, 'What does the mill grind?')).json.response).toContain('rye');
});

test('a question that finds no room is refused with how to make some', async () => {
  await using service = await startTestService({ maxOwnerBytes: 200_000 });
  const chatbot = await service.createChatbot();
  const session = await service.createSession(chatbot);
  const long = 'What does the mill grind? '.repeat(2_000);
  let answer = await ask(service, session, long);
  for (let asked = 1; asked < 10 && answer.status === 200; asked += 1) {
    answer = await ask(service, session, long);
  }
  expect(answer.status).toBe(422);
  expect(answer.json).toMatchObject({ code: 'storage_full', params: { max: 0.2 } });
  expect(answer.json.error).toMatch(/Delete sources or sessions.*OWNER_MAX_MB/);
  const stream = await service.post(`/api/v1/session/${session}/message/stream`, { query: long });
  expect(stream.json.code).toBe('storage_full');
  const { json: messages } = await service.get(`/api/v1/session/${session}/messages`);
  expect(messages.length).toBeLessThan(5);

  const other = await service.createSession(chatbot);
  await service.post(`/api/v1/session/${session}/delete`);
  expect((await ask(service, other, long)).status).toBe(200);
});

test('everything else that an owner stores has the same limit, and deleting is always possible', async () => {
  await using service = await startTestService({ maxOwnerBytes: 300_000 });
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}`;
  const { json: agents } = await service.get(`${path}/agents`);
  const { json: source } = await service.post(`${path}/data-source/qa`, {
    question: 'Why?',
    answer: 'So.',
  });
  await service.service.settled();
  const { json: document } = await service.upload('/api/v1/session-document/upload', {
    name: 'a.txt',
    content: 'The ferry leaves at noon. '.repeat(4_000),
  });
  expect(document.uuid).toBeDefined();

  const large = 'x'.repeat(60_000);
  const parts = Array.from({ length: 30 }, (_, at) => [`part ${at}`, 'x'.repeat(2_000)]);
  const variables = { initial_variables: Object.fromEntries(parts) };
  const fill = () => service.post(`${path}/session/create`, variables);
  const sessions: string[] = [];
  let answer = await fill();
  while (answer.status === 200) {
    sessions.push(answer.json.uuid);
    answer = await fill();
  }
  expect(answer.json.code).toBe('storage_full');
  expect(sessions.length).toBeGreaterThan(1);
  expect(sessions.length).toBeLessThan(5);

  const attempts = [
    service.post(`${path}/agent/create`, { name: 'B', type: 'user-facing', prompt: large }),
    service.post(`/api/v1/agent/${agents[0].uuid}/update`, { prompt: large }),
    service.upload('/api/v1/session-document/upload', { name: 'b.txt', content: 'y '.repeat(9e4) }),
    service.post(`${path}/data-source/qa`, { question: 'Where?', answer: 'z'.repeat(20_000) }),
    ask(service, sessions[0] ?? '', large),
  ];
  for (const { json } of await Promise.all(attempts)) expect(json.code).toBe('storage_full');
  expect((await service.get(`${path}/agents`)).json).toHaveLength(1);

  // What takes up less than before is possible however full it is.
  const shorter = { prompt: 'Be brief.' };
  const shortened = await service.post(`/api/v1/agent/${agents[0].uuid}/update`, shorter);
  expect(shortened.status).toBe(200);
  for (const what of [`data-source/${source.uuid}`, ...sessions.map((uuid) => `session/${uuid}`)]) {
    expect((await service.post(`/api/v1/${what}/delete`)).status).toBe(200);
  }
  expect((await fill()).status).toBe(200);
});
