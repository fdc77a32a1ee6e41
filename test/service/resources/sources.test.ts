import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { startWebsite } from '../website.ts';
import { handbook, startTestService } from '../fixture.ts';

test('the service accepts a Markdown file and returns its title, tokens and size', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const { status, json } = await service.upload(
    `/api/v1/chatbot/${chatbot}/data-source/upload`,
    handbook,
    { reference_source_link: 'https://example.com/handbook' },
  );
  expect(status).toBe(200);
  expect(json).toMatchObject({
    uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
    title: 'handbook.md',
    file_name: 'handbook.md',
    file_size: handbook.content.length,
    tokens: 0,
    status: 'await',
    type: 'upload',
    meta_json: '{"reference_source_link":"https://example.com/handbook"}',
  });

  await service.service.settled();
  const list = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  expect(list.json).toMatchObject([
    { uuid: json.uuid, title: 'Handbook of the Lighthouse', status: 'success' },
  ]);
  expect(list.json[0].tokens).toBeGreaterThan(40);
  expect(list.json[0].tokens).toBeLessThan(80);
});

test('the service takes the link from meta_json too', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const link = { reference_source_link: 'https://example.com/a' };
  const { json } = await service.upload(path, handbook, { meta_json: JSON.stringify(link) });
  expect(JSON.parse(json.meta_json)).toEqual(link);

  const broken = await service.upload(path, { ...handbook, name: 'b.md' }, { meta_json: '{' });
  expect(broken.status).toBe(400);
  expect(broken.json.error).toContain('meta_json: must be a JSON object');
});

test('the service answers a duplicate with 409 and the source that is there', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const first = await service.upload(path, handbook);
  await service.service.settled();
  const second = await service.upload(path, handbook);
  expect(second.status).toBe(409);
  expect(second.json).toMatchObject({ uuid: first.json.uuid, error: expect.any(String) });

  const renamed = await service.upload(path, { ...handbook, name: 'copy.md' });
  expect(renamed.status).toBe(200);
  const changed = await service.upload(path, { ...handbook, content: 'Other words' });
  expect(changed.status).toBe(200);
  const other = await service.createChatbot();
  const elsewhere = await service.upload(`/api/v1/chatbot/${other}/data-source/upload`, handbook);
  expect(elsewhere.status).toBe(200);
});

test('the service keeps a title that a user gave', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const { json } = await service.upload(path, handbook);
  const renamed = await service.post(`/api/v1/data-source/${json.uuid}/update`, { title: 'Guide' });
  expect(renamed.json).toMatchObject({ uuid: json.uuid, title: 'Guide' });
  await service.service.settled();
  const list = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  expect(list.json).toMatchObject([{ title: 'Guide', status: 'success' }]);
});

test('a title given later stands in the citations', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const { json } = await service.upload(path, handbook);
  await service.service.settled();
  await service.post(`/api/v1/data-source/${json.uuid}/update`, { title: 'Guide' });
  const session = await service.createSession(chatbot);
  const query = 'When does the lighthouse open?';
  await service.post(`/api/v1/session/${session}/message/non-stream`, { query });
  const messages = await service.get(`/api/v1/session/${session}/messages`);
  const citations: object[] = Object.values(JSON.parse(messages.json[0].cite_data_json));
  expect(citations[0]).toMatchObject({ title: 'Guide', data_source_uuid: json.uuid });
});

test.each(['README', 'notes.TXT', 'Minutes 12.05.2026', 'release v1.2', '.env', 'main.rs'])(
  'takes text called %s',
  async (name) => {
    await using service = await startTestService();
    const chatbot = await service.createChatbot();
    const file = { name, content: 'The lighthouse opens at nine.' };
    const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
    expect((await service.upload(path, file)).status).toBe(200);
  },
);

test.each([
  [
    'a picture',
    'photo.md',
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    400,
    'file type not allowed',
  ],
  ['an unknown type', 'notes.foobar', 'All but text.', 400, 'file type not allowed'],
  ['a page of an unknown type', 'notes.FooBar', '<html><p>Hi</p></html>', 400, 'file type not all'],
  ['an empty file', 'empty.md', '', 400, 'empty.md is empty'],
  ['a large file', 'large.md', 'a'.repeat(2001), 413, 'too large'],
])('the service refuses %s', async (_, name, content, expected, message) => {
  await using service = await startTestService({ maxUploadBytes: 2000 });
  const chatbot = await service.createChatbot();
  const { status, json } = await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, {
    name,
    content,
  });
  expect(status).toBe(expected);
  expect(json.error).toContain(message);
  expect((await service.get(`/api/v1/chatbot/${chatbot}/data-sources`)).json).toEqual([]);
  expect(await readdir(join(service.dataDir, 'files'))).toEqual([]);
});

test('the service takes a file of just the allowed size', async () => {
  await using service = await startTestService({ maxUploadBytes: 2000 });
  const chatbot = await service.createChatbot();
  const { status } = await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, {
    name: 'large.md',
    content: 'word '.repeat(400),
  });
  expect(status).toBe(200);
});

test('the service refuses forms that are none, broken, or hold no file', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;

  expect((await service.post(path, { file: 'text' })).status).toBe(415);

  const empty = new FormData();
  empty.set('reference_source_link', 'https://example.com');
  const withoutFile = await service.fetch(path, { method: 'POST', body: empty });
  expect(withoutFile.status).toBe(400);
  expect(await withoutFile.text()).toContain('form field \\"file\\"');

  const multipart = 'multipart/form-data; boundary=x';
  for (const body of [
    '',
    '--x',
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nhalf',
  ]) {
    const headers = { 'content-type': multipart };
    const broken = await service.fetch(path, { method: 'POST', headers, body });
    expect(broken.status).toBe(400);
  }
  const headers = { 'content-type': 'multipart/form-data' };
  const noBoundary = await service.fetch(path, { method: 'POST', headers, body: 'x' });
  expect(noBoundary.status).toBe(400);
});

test('a path in a file name is only a name', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const { status, json } = await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, {
    ...handbook,
    name: '../../Überblick.md',
  });
  expect(status).toBe(200);
  expect(json.file_name).toBe('Überblick.md');
  await service.service.settled();
  expect(await readdir(join(service.dataDir, 'files'))).toEqual([]);
});

test('the service does not read the file for an unknown chatbot', async () => {
  await using service = await startTestService();
  let wasRead = false;
  const body = new ReadableStream(
    {
      pull() {
        wasRead = true;
      },
    },
    { highWaterMark: 0 },
  );
  const response = await service.fetch(`/api/v1/chatbot/${'0'.repeat(32)}/data-source/upload`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body,
    duplex: 'half',
  });
  expect(response.status).toBe(404);
  expect(wasRead).toBe(false);
});

test('a question and its answer are a source', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const { json } = await service.post(`/api/v1/chatbot/${chatbot}/data-source/qa`, {
    question: 'Who feeds the cat?',
    answer: 'Maria feeds the cat every evening.',
    reference_source_link: 'https://example.com/cat',
  });
  expect(json).toMatchObject({ type: 'qa', status: 'await', title: 'Who feeds the cat?' });
  expect(JSON.parse(json.meta_json)).toEqual({
    question: 'Who feeds the cat?',
    answer: 'Maria feeds the cat every evening.',
    reference_source_link: 'https://example.com/cat',
  });
  await service.service.settled();
  const session = await service.createSession(chatbot);
  const reply = await service.post(`/api/v1/session/${session}/message/non-stream`, {
    query: 'Who feeds the cat?',
  });
  expect(reply.json.response).toContain('Maria feeds the cat every evening.');
});

test('the service adds a URL, once, and fetches it', async () => {
  await using site = await startWebsite();
  await using service = await startTestService({ allowPrivateAddresses: true });
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source/url`;
  const { status, json } = await service.post(path, { url: `${site.url}/page#part` });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    type: 'link',
    status: 'await',
    file_name: `${site.url}/page`,
    title: '',
  });
  await service.service.settled();
  const list = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  expect(list.json).toMatchObject([
    { uuid: json.uuid, status: 'success', title: 'The Mill', file_size: site.pageBytes },
  ]);

  const again = await service.post(path, { url: `${site.url}/page` });
  expect(again.status).toBe(409);
  expect(again.json.uuid).toBe(json.uuid);
});

test('the service says why a URL failed, and restarts it', async () => {
  await using site = await startWebsite();
  await using service = await startTestService({ allowPrivateAddresses: true });
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source/url`;
  site.isDown = true;
  const { json } = await service.post(path, { url: `${site.url}/page` });
  await service.service.settled();
  const read = async () => (await service.get(`/api/v1/chatbot/${chatbot}/data-sources`)).json[0];
  const failed = await read();
  expect(failed.status).toBe('fail');
  expect(JSON.parse(failed.meta_json).error).toMatch(/\w+.*\./);

  site.isDown = false;
  const uuids = [json.uuid, 'nothing'];
  const restarted = await service.post('/api/data-sources/restart', { uuids });
  expect(restarted.json).toEqual([
    { uuid: json.uuid, status: 'restarted' },
    { uuid: 'nothing', error: 'invalid data source' },
  ]);
  await service.service.settled();
  expect(await read()).toMatchObject({ status: 'success', meta_json: '{}' });

  const needless = await service.post('/api/data-sources/restart', { uuids: [json.uuid] });
  expect(needless.json[0].error).toContain('success');
});

test('adding a failed URL again restarts it', async () => {
  await using site = await startWebsite();
  await using service = await startTestService({ allowPrivateAddresses: true });
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source/url`;
  site.isDown = true;
  const first = await service.post(path, { url: `${site.url}/page` });
  await service.service.settled();
  site.isDown = false;
  const second = await service.post(path, { url: `${site.url}/page` });
  expect(second.status).toBe(200);
  expect(second.json.uuid).toBe(first.json.uuid);
  await service.service.settled();
  const list = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  expect(list.json).toMatchObject([{ status: 'success' }]);
});

test('the service fetches links again on request, and links alone', async () => {
  await using site = await startWebsite();
  await using service = await startTestService({ allowPrivateAddresses: true });
  const chatbot = await service.createChatbot();
  const link = await service.post(`/api/v1/chatbot/${chatbot}/data-source/url`, {
    url: `${site.url}/page`,
  });
  const file = await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
  await service.service.settled();

  site.page = '<title>The New Mill</title><p>It grinds rye these days, and nothing else.</p>';
  const { json } = await service.post('/api/v1/data-sources/url/re-scrape', {
    uuids: [link.json.uuid, file.json.uuid],
  });
  expect(json).toEqual([
    { uuid: link.json.uuid, status: 'restarted scraping' },
    { uuid: file.json.uuid, error: 'invalid data source' },
  ]);
  await service.service.settled();
  const list = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  expect(list.json).toMatchObject([{ title: 'The New Mill', status: 'success' }, {}]);
});

test.each(['example.com', 'ftp://example.com/a', 'https://user:pass@example.com/', 'https://'])(
  'refuses the address %s',
  async (url) => {
    await using service = await startTestService();
    const chatbot = await service.createChatbot();
    const { status, json } = await service.post(`/api/v1/chatbot/${chatbot}/data-source/url`, {
      url,
    });
    expect(status).toBe(400);
    expect(json.error).toMatch(/^url: must/);
  },
);

test('the service never fetches a private address', async () => {
  await using site = await startWebsite();
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  await service.post(`/api/v1/chatbot/${chatbot}/data-source/url`, { url: `${site.url}/page` });
  await service.service.settled();
  const list = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  expect(list.json).toMatchObject([{ status: 'fail' }]);
  expect(site.requests).toBe(0);
});

test('the service deletes one source, or several, with what they taught', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const uuids: string[] = [];
  for (const name of ['a.md', 'b.md', 'c.md']) {
    uuids.push((await service.upload(path, { ...handbook, name })).json.uuid);
  }
  await service.service.settled();

  const [one = '', ...others] = uuids;
  expect((await service.post(`/api/v1/data-source/${one}/delete`)).json).toEqual({ success: true });
  expect((await service.post(`/api/v1/data-source/${one}/delete`)).status).toBe(404);

  const withUnknown = await service.post('/api/v1/data-sources/delete', { uuids });
  expect(withUnknown.status).toBe(404);
  const list = `/api/v1/chatbot/${chatbot}/data-sources`;
  expect((await service.get(list)).json).toHaveLength(2);

  const both = await service.post('/api/v1/data-sources/delete', { uuids: others });
  expect(both.json).toEqual({ success: true });
  expect((await service.get(list)).json).toEqual([]);
  using database = new DatabaseSync(join(service.dataDir, 'service.sqlite'), { readOnly: true });
  expect(database.prepare('SELECT source FROM source_files').all()).toEqual([]);

  const session = await service.createSession(chatbot);
  const reply = await service.post(`/api/v1/session/${session}/message/non-stream`, {
    query: 'When does the lighthouse open?',
  });
  expect(reply.json.response).not.toContain('nine in the morning');
});
