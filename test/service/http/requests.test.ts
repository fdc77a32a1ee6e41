import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../fixture.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ maxUploadBytes: 100_000 });
});
afterAll(() => service[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'multipart/form-data; boundary=x' };

async function post(
  path: string,
  body: RequestInit['body'],
  headers: RequestInit['headers'] = json,
) {
  const response = await service.fetch(path, { method: 'POST', body, headers, duplex: 'half' });
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Record<string, unknown>,
  };
}

interface Part {
  disposition: string;
  content: string;
}

const file = (fileName: string, content = 'A text about lighthouses.'): Part => ({
  disposition: `name="file"; filename="${fileName}"`,
  content,
});
const field = (name: string, content: string): Part => ({ disposition: `name="${name}"`, content });

function toForm(...parts: Part[]): Buffer<ArrayBuffer> {
  const texts = parts.map(
    ({ disposition, content }) =>
      `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`,
  );
  return Buffer.from(`${texts.join('')}--x--\r\n`);
}

async function upload(body: RequestInit['body'], headers: Record<string, string> = {}) {
  const path = `/api/v1/chatbot/${await service.createChatbot()}/data-source/upload`;
  return post(path, body, { ...form, ...headers });
}

const codings = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  GZIP: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  identity: (bytes: Uint8Array) => bytes,
};

test.each(Object.entries(codings))('a body packed with %s is read', async (coding, pack) => {
  const headers = { ...json, 'content-encoding': coding };
  const body = new Uint8Array(pack(Buffer.from('{"name":"Packed"}')));
  expect(await post('/api/v1/chatbot/create', body, headers)).toMatchObject({
    status: 200,
    json: { name: 'Packed' },
  });
  const packed = new Uint8Array(pack(toForm(file('a.txt'))));
  expect(await upload(packed, { 'content-encoding': coding })).toMatchObject({
    status: 200,
    json: { file_name: 'a.txt', file_size: 25 },
  });
});

test.each(['zstd', 'gzip, gzip', 'constructor'])(
  '%s is refused with what is read',
  async (coding) => {
    const packed = { 'content-encoding': coding };
    const answers = [
      await post('/api/v1/chatbot/create', '{"name":"A"}', { ...json, ...packed }),
      await upload(toForm(file('a.txt')), packed),
    ];
    for (const { status, headers, json: body } of answers) {
      expect(status).toBe(415);
      expect(headers.get('accept-encoding')).toBe('gzip, deflate, br');
      expect(body['error']).toContain('gzip, deflate, br');
    }
  },
);

test('what is packed is counted unpacked', async () => {
  const packed = { 'content-encoding': 'gzip' };
  const name = gzipSync(`{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`);
  expect(name.length).toBeLessThan(10_000);
  const created = await post('/api/v1/chatbot/create', name, { ...json, ...packed });
  expect(created.status).toBe(413);
  const large = gzipSync(toForm(file('a.txt', 'word '.repeat(100_000))));
  expect((await upload(large, packed)).status).toBe(413);
  // What precedes the first part of a form counts too.
  const preamble = Buffer.concat([Buffer.alloc(2_000_000), toForm(file('a.txt'))]);
  expect((await upload(gzipSync(preamble), packed)).status).toBe(413);
  expect((await upload(new Blob([preamble]).stream(), {})).status).toBe(413);
});

test('a body that can’t be unpacked is refused in words', async () => {
  const packed = { 'content-encoding': 'gzip' };
  const good = gzipSync('{"name":"A"}');
  for (const body of [good.subarray(0, -9), '{"name":"A"}']) {
    const answer = await post('/api/v1/chatbot/create', body, { ...json, ...packed });
    expect(answer).toMatchObject({ status: 400, json: { code: 'body_coding_broken' } });
  }
  const answer = await upload(toForm(file('a.txt')), packed);
  expect(answer).toMatchObject({ status: 400, json: { code: 'body_coding_broken' } });
});

test('a second file is refused, and the first is not kept', async () => {
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const answer = await post(path, toForm(file('a.txt'), file('b.txt')), form);
  expect(answer).toMatchObject({ status: 400, json: { code: 'upload_several' } });
  expect((await service.get(`/api/v1/chatbot/${chatbot}/data-sources`)).json).toEqual([]);
});

test.each([
  ['as browsers escape', 'filename="a%22b%0D%0Ac%0d.txt"', 'a"bc.txt'],
  ['with other percent signs as they are', 'filename="100%25 %41.txt"', '100%25 %41.txt'],
  ['as curl escapes', String.raw`filename="a\"b.txt"`, 'a"b.txt'],
  ['in UTF-8', 'filename="Öffnung 灯台 🚢.txt"', 'Öffnung 灯台 🚢.txt'],
  ['in RFC 5987', "filename*=UTF-8''%C3%96ffnung%20%E2%82%AC.txt", 'Öffnung €.txt'],
  ['with folders', 'filename="../../etc/passwd.txt"', 'passwd.txt'],
  ['with what turns text around', 'filename="a\u202etxt.b\u2066.txt"', 'atxt.b.txt'],
  ['with line breaks of other kinds', 'filename="a\u2028b\u0085c.txt"', 'abc.txt'],
])('a file is named %s', async (_, name, expected) => {
  const part = { disposition: `name="file"; ${name}`, content: 'A text about lighthouses.' };
  expect(await upload(toForm(part))).toMatchObject({ status: 200, json: { file_name: expected } });
});

test('an upload takes a file name beside the file, and an empty link', async () => {
  const fields = [field('filename', 'other.txt'), field('reference_source_link', '')];
  const { status, json: source } = await upload(toForm(...fields, file('a.txt')));
  expect(status).toBe(200);
  expect(source).toMatchObject({ file_name: 'a.txt', meta_json: '{}' });
  const inMeta = field('meta_json', '{"reference_source_link":""}');
  expect((await upload(toForm(inMeta, file('a.txt')))).status).toBe(200);
  const document = await post(
    '/api/v1/session-document/upload',
    toForm(fields[0] ?? file(''), file('a.txt')),
    form,
  );
  expect(document.status).toBe(200);
});

test.each(['', null])('a source takes the link %j as none', async (reference_source_link) => {
  const chatbot = await service.createChatbot();
  const qa = { question: 'Why?', answer: 'Because.', reference_source_link };
  const added = await service.post(`/api/v1/chatbot/${chatbot}/data-source/qa`, qa);
  expect(added.status).toBe(200);
  expect(JSON.parse(added.json.meta_json)).toEqual({ question: 'Why?', answer: 'Because.' });
});

test('null is no body', async () => {
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}`;
  expect((await post(`${path}/session/create`, 'null')).status).toBe(200);
  expect((await post(`${path}/update`, 'null')).status).toBe(200);
  expect((await post('/api/v1/chatbot/create', 'null')).status).toBe(400);
});

test('null is no value, nor is an empty parameter', async () => {
  const chatbot = await service.createChatbot({ model: null, show_citations: null });
  const path = `/api/v1/chatbot/${chatbot}`;
  const session = await service.post(`${path}/session/create`, { initial_variables: null });
  expect(session.status).toBe(200);
  const { uuid } = (await service.get(`${path}/agents`)).json[0];
  const variables = [{ name: 'a', description: '', type: 'string', default_value: null }];
  const changes = { prompt: null, human_escalation_settings: null, variables };
  expect((await service.post(`/api/v1/agent/${uuid}/update`, changes)).status).toBe(200);
  expect((await service.post(`${path}/update`, { name: null })).json.name).toBe('Test');
  expect((await service.post('/api/v1/chatbot/create', { name: null })).status).toBe(400);

  const listed = await service.get(`${path}/sessions?start_timestamp=&end_timestamp=`);
  expect(listed.json).toHaveLength(1);
  const messages = `/api/v1/session/${session.json.uuid}/messages?limit=&order=`;
  expect((await service.get(messages)).status).toBe(200);
});

test('what a response holds may be sent back, and changes nothing', async () => {
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}`;
  const [agent] = (await service.get(`${path}/agents`)).json;
  const qa = { question: 'Why?', answer: 'Because.' };
  const source = (await service.post(`${path}/data-source/qa`, qa)).json;
  const named = { name: 'Red', color: '#ff0000', data_source_uuids: [source.uuid] };
  const tag = (await service.post(`${path}/source-tag/create`, named)).json;
  await service.service.settled();
  for (const [read, update] of [
    [path, `${path}/update`],
    [`/api/v1/agent/${agent.uuid}`, `/api/v1/agent/${agent.uuid}/update`],
    [`/api/v1/data-source/${source.uuid}`, `/api/v1/data-source/${source.uuid}/update`],
  ] as const) {
    const { json } = await service.get(read);
    const { status, json: updated } = await service.post(update, json);
    expect([update, status]).toEqual([update, 200]);
    expect(updated).toEqual({ ...json, modified_at: updated.modified_at });
  }
  const { json: again } = await service.post(`/api/v1/source-tag/${tag.uuid}/update`, tag);
  expect(again).toEqual({ ...tag, modified_at: again.modified_at });
});

test('the settings in meta count as those beside it, which come first', async () => {
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}`;
  const meta = { visibility: 'public', show_citations: false };
  const { json } = await service.post(`${path}/update`, { meta, visibility: 'private' });
  expect(json.meta).toMatchObject({ visibility: 'private', show_citations: false });
  const { uuid } = (await service.get(`${path}/agents`)).json[0];
  const changes = { meta: { temperature: 0.5, bias: 3 }, bias: 4 };
  const updated = await service.post(`/api/v1/agent/${uuid}/update`, changes);
  expect(updated.json.meta).toMatchObject({ temperature: 0.5, bias: 4 });
});

test('an agent’s hand-over settings are in answers once they were sent', async () => {
  const chatbot = await service.createChatbot();
  const { uuid } = (await service.get(`/api/v1/chatbot/${chatbot}/agents`)).json[0];
  const update = async (changes: object) =>
    (await service.post(`/api/v1/agent/${uuid}/update`, changes)).json;
  expect(await update({ name: 'Guide' })).not.toHaveProperty('human_escalation_settings');
  const settings = { sound_enabled: true };
  const set = { human_escalation_settings: expect.objectContaining(settings) };
  expect(await update({ human_escalation_settings: settings })).toMatchObject(set);
  expect(await update({ name: 'Guide' })).toMatchObject(set);
});

test('a boolean may be 0 or 1', async () => {
  const chatbot = await service.createChatbot({ show_citations: 0 });
  const path = `/api/v1/chatbot/${chatbot}`;
  expect((await service.get(path)).json.meta.show_citations).toBe(false);
  const { uuid } = (await service.get(`${path}/agents`)).json[0];
  const settings = { notifications_enabled: 1, sound_enabled: 0 };
  const changes = { enabled: 0, use_all_sources: 0, human_escalation_settings: settings };
  const off = await service.post(`/api/v1/agent/${uuid}/update`, changes);
  expect(off.json).toMatchObject({
    enabled: false,
    meta: { use_all_sources: false },
    human_escalation_settings: { notifications_enabled: true, sound_enabled: false },
  });
  const on = await service.post(`/api/v1/agent/${uuid}/update`, { enabled: 1 });
  expect(on.json.enabled).toBe(true);
});
