import { expect, test } from 'vitest';
import { annasKey, startTestService } from '../fixture.ts';

test('the service answers health without a key', async () => {
  await using service = await startTestService();
  for (const path of ['/healthz', '/readyz']) {
    const response = await service.service.fetch(new Request(`http://service.test${path}`));
    expect(response.status).toBe(200);
  }
});

test('the service is not ready once it is closed', async () => {
  const service = await startTestService();
  await service[Symbol.asyncDispose]();
  const ready = await service.service.fetch(new Request('http://service.test/readyz'));
  expect(ready.status).toBe(503);
  const health = await service.service.fetch(new Request('http://service.test/healthz'));
  expect(health.status).toBe(200);
});

test('the service gives every answer a request id, the proxy’s where it is harmless', async () => {
  await using service = await startTestService();
  const id = async (path: string, given?: string) => {
    const headers = new Headers({ authorization: `Bearer ${annasKey}` });
    if (given !== undefined) headers.set('x-request-id', given);
    const request = new Request(`http://service.test${path}`, { headers });
    return (await service.service.fetch(request)).headers.get('x-request-id');
  };
  expect(await id('/api/v1/chatbots')).toMatch(/^[0-9a-f]{32}$/);
  expect(await id('/nowhere')).toMatch(/^[0-9a-f]{32}$/);
  expect(await id('/api/v1/chatbots', 'proxy-7')).toBe('proxy-7');
  expect(await id('/api/v1/chatbots', 'a b"c')).toMatch(/^[0-9a-f]{32}$/);
});

test('the service logs each answer and never the key', async () => {
  const lines: string[] = [];
  const write = (fields: object, message: string) => {
    lines.push(JSON.stringify({ ...fields, message }));
  };
  const log = { debug: write, info: write, warn: write, error: write };
  await using service = await startTestService({ log });
  const { headers } = await service.get('/api/v1/chatbots');
  const id = headers.get('x-request-id') ?? 'none';
  expect(lines.find((line) => line.includes(id))).toMatch(
    /"path":"\/api\/v1\/chatbots".*"status":200/,
  );
  expect(lines.join('\n')).not.toContain(annasKey);
});

test('the service answers 404 to unknown paths and 405 to other methods, as JSON', async () => {
  await using service = await startTestService();
  const unknown = await service.get('/api/v1/nothing');
  expect(unknown.status).toBe(404);
  expect(unknown.json.error).toContain('/api/v1/nothing');
  expect((await service.get('/')).status).toBe(404);

  const wrong = await service.get('/api/v1/chatbot/create');
  expect(wrong.status).toBe(405);
  expect(wrong.headers.get('allow')).toBe('POST');
  expect(wrong.json.error).toContain('POST');

  const uuid = '0'.repeat(32);
  const get = await service.post(`/api/v1/agent/${uuid}/delete`);
  expect(get.status).toBe(405);
  expect(get.headers.get('allow')).toBe('DELETE');
});

test.each([
  ['{"name":', 400, 'not valid JSON'],
  ['null', 400, 'name: is required'],
  ['', 400, 'name: is required'],
  [new Uint8Array([0x22, 0xff, 0x22]), 400, 'not UTF-8'],
  [`{"name":"${'x'.repeat(1024 * 1024)}"}`, 413, 'up to 1 MB'],
])('the service answers a bad body with its status', async (body, status, message) => {
  await using service = await startTestService();
  const response = await service.fetch('/api/v1/chatbot/create', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(response.status).toBe(status);
  expect(await response.text()).toContain(message);
});

test('the service takes JSON only where it is called JSON, or nothing', async () => {
  await using service = await startTestService();
  const post = (type: string | undefined) =>
    service.fetch('/api/v1/chatbot/create', {
      method: 'POST',
      headers: type === undefined ? {} : { 'content-type': type },
      body: new TextEncoder().encode('{"name":"A"}'),
    });
  expect((await post('application/json; charset=utf-8')).status).toBe(200);
  expect((await post(undefined)).status).toBe(200);
  expect((await post('text/plain')).status).toBe(415);
});

test.each([
  ['chatbot/create', { name: 'a', rate_limit: [1.5, 2] }, 'rate_limit.0: must be a whole number'],
  ['chatbot/create', { name: 'a', rate_limit: '20' }, 'rate_limit: must be a list'],
  [
    'CHATBOT/agent/create',
    { name: 'a', type: 'background', tags: { name: 'Angry', color: 'red' } },
    'tags.criteria: is required (a string); tags.color: must be a colour like #1f2937: # and six hex digits',
  ],
  [
    'CHATBOT/agent/create',
    { name: 'a', type: 'background', tags: 'Angry' },
    'tags: must be an object or list',
  ],
  ['CHATBOT/session/create', { initial_variables: [] }, 'initial_variables: must be an object'],
  [
    'CHATBOT/session/create',
    { initial_variables: { plan: ['pro'] } },
    'initial_variables.plan: must be a string or number or boolean',
  ],
  [
    'SESSION/message/non-stream',
    { query: 'a', pre_canned_response: 5 },
    'pre_canned_response: must be a string or boolean',
  ],
  [
    'CHATBOT/data-source/qa',
    { question: 'a', answer: 'b', reference_source_link: 'handbook' },
    'reference_source_link: must be an http or https address',
  ],
])(
  'the service refuses at %s what a field must not be, in plain words: %o',
  async (path, body, error) => {
    await using service = await startTestService();
    const chatbot = await service.createChatbot();
    const full = path
      .replace('CHATBOT', `chatbot/${chatbot}`)
      .replace('SESSION', `session/${await service.createSession(chatbot)}`);
    const { status, json } = await service.post(`/api/v1/${full}`, body);
    expect([status, json.error]).toEqual([400, error]);
  },
);
