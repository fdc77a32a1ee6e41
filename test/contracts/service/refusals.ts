import { expect, test } from 'vitest';
import { type OperationName, operations } from '../../../src/shared/api/operations.ts';
import {
  calledNames,
  doOperation,
  goodBodies,
  operationNames,
  post,
  type ServedClients,
  shareThings,
  type StartService,
  toFile,
  toThing,
  uncalled,
} from './world.ts';

/** Tests what is refused whatever is stored. `start` gives services with limits of their own. */
export function testRefusals(served: () => ServedClients, start: StartService): void {
  const findThings = shareThings(served);

  test.each(calledNames)('%s: 401 without a known key', async (name) => {
    await expect(doOperation(served().stranger, name, '0')).rejects.toMatchObject({
      kind: 'unauthorized',
      status: 401,
      message: expect.stringContaining('Authorization: Bearer'),
    });
  });

  test(`${uncalled}: 401 without a known key`, async () => {
    const { path, method } = operations[uncalled];
    const headers = { authorization: 'Bearer nobodys-key' };
    expect((await served().fetch(path, { method, headers })).status).toBe(401);
  });

  test.each(operationNames)('%s answers other methods with 405', async (name) => {
    const { path } = operations[name];
    const methods = new Set<string>(
      Object.values(operations)
        .filter((other) => toPattern(other.path).test(path.replaceAll(/\{\w+\}/g, '0')))
        .map(({ method }) => method),
    );
    const method = ['GET', 'DELETE', 'PUT'].find((each) => !methods.has(each)) ?? '';
    const response = await served().fetch(path.replaceAll(/\{\w+\}/g, '0'), { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')?.split(', ')).toEqual(
      expect.arrayContaining([operations[name].method]),
    );
    expect(await response.json()).toMatchObject({
      error: expect.stringContaining('only'),
      code: expect.any(String),
    });
  });

  test.each(wrongBodies)('%s answers %j with 400', async (name, body, message) => {
    const things = await findThings();
    const path = operations[name].path.replace('{uuid}', things[toThing(name) ?? 'chatbot']);
    const response = await served().fetch(path, post(JSON.stringify(body)));
    await expectBadRequest(response, message);
  });

  test.each([
    ['limit=0', 'limit: must be at least 1'],
    ['limit=1001', 'limit: must be at most 1000'],
    ['limit=1.5', 'limit: must be a whole number'],
    ['limit=all', 'limit: must be a number'],
    ['order=newest', 'order: must be one of'],
  ])('listMessages answers ?%s with 400', async (query, message) => {
    const { session } = await findThings();
    const response = await served().fetch(`/api/v1/session/${session}/messages?${query}`);
    await expectBadRequest(response, message);
  });

  test.each([
    ['start_timestamp=2024-09-12T00:19:12', 'start_timestamp: must be a time or a date'],
    ['start_timestamp=2024-13-12', 'start_timestamp: must be a time or a date'],
    ['start_timestamp=2024-09-12T00:19:12%2B99:00', 'start_timestamp: must be a time or a date'],
    ['start_timestamp=1726100352', 'start_timestamp: must be a time or a date'],
    ['start_timestamp=2024-02-30', 'start_timestamp: must be a time or a date'],
    ['end_timestamp=yesterday', 'end_timestamp: must be a time or a date'],
  ])('listSessions answers ?%s with 400', async (query, message) => {
    const { chatbot } = await findThings();
    const response = await served().fetch(`/api/v1/chatbot/${chatbot}/sessions?${query}`);
    await expectBadRequest(response, message);
  });

  test('405: where the field has a path that nothing is posted to', async () => {
    const { session } = await findThings();
    const path = `/api/v1/session/${session}/message`;
    const response = await served().fetch(path, post('{"query":"Why?"}'));
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });

  test.each(['/healthz', '/readyz', '/api/v1/openapi.json'])(
    '%s answers other methods with 405',
    async (path) => {
      const response = await served().fetch(path, { method: 'POST' });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
      expect((await served().fetch(path, { method: 'HEAD' })).status).toBe(200);
    },
  );

  const withJson = operationNames.filter((name) => goodBodies[name] !== undefined);
  test.each(withJson)('%s: 400, 413 and 415 for what is no JSON', async (name) => {
    const path = operations[name].path.replaceAll(/\{\w+\}/g, '0');
    const status = async (init: RequestInit) => {
      const response = await served().fetch(path, init);
      expect(await response.json()).toMatchObject({
        error: expect.stringMatching(/^\S.{10,}/),
        code: expect.any(String),
      });
      return response.status;
    };
    expect(await status(post('{"name":'))).toBe(400);
    expect(await status(post('[]'))).toBe(400);
    expect(await status(post(`{"name":"${'x'.repeat(1024 * 1024)}"}`))).toBe(413);
    expect(await status(post('{}', 'text/plain'))).toBe(415);
  });

  test.each(['uploadDataSource', uncalled] as const)(
    '%s: 400 and 415 for bad forms',
    async (name) => {
      const { chatbot } = await findThings();
      const path = operations[name].path.replace('{uuid}', chatbot);
      const status = async (body: FormData | string, type?: string) => {
        const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
        const response = await served().fetch(path, { method: 'POST', headers, body });
        expect(await response.json()).toMatchObject({
          error: expect.stringMatching(/^\S.{10,}/),
          code: expect.any(String),
        });
        return response.status;
      };
      const empty = new FormData();
      empty.set('file', new Blob([]), 'a.txt');
      expect(await status('{}', 'application/json')).toBe(415);
      expect(await status(new FormData())).toBe(400);
      expect(await status(empty)).toBe(400);
      expect(await status('--x\r\n', 'multipart/form-data; boundary=x')).toBe(400);
      expect(await status('', 'multipart/form-data')).toBe(400);
    },
  );

  test('a file of a type that is not allowed is told as such', async () => {
    const { anna } = served();
    const { chatbot } = await findThings();
    const picture = toFile('a.txt', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]));
    await expect(anna.uploadDataSource(chatbot, picture)).rejects.toMatchObject({
      kind: 'unsupported_type',
      message: expect.stringContaining('file type not allowed'),
    });
  });

  test('413: a file that is too large', async () => {
    await using small = await start({ maxUploadBytes: 1000 });
    const { uuid } = await small.anna.createChatbot({ name: 'Small' });
    const large = toFile('a.txt', 'word '.repeat(300));
    await expect(small.anna.uploadDataSource(uuid, large)).rejects.toMatchObject({
      kind: 'too_large',
      status: 413,
    });
  });

  test('429: more requests than a key may send', async () => {
    await using strict = await start({ requestLimit: { requests: 2, seconds: 120 } });
    await strict.anna.listChatbots();
    const response = await strict.fetch('/api/v1/chatbots');
    expect(response.headers.get('ratelimit-limit')).toBe('2');
    expect(response.headers.get('ratelimit-remaining')).toBe('0');
    const once = strict.anna.createChatbot({ name: 'One too many' });
    await expect(once).rejects.toMatchObject({
      kind: 'rate_limited',
      status: 429,
      retryAfterMs: expect.closeTo(60_000, -3.5),
    });
    expect(await strict.bert.listChatbots()).toEqual([]);
  });
}

async function expectBadRequest(response: Response, message: string): Promise<void> {
  expect(await response.json()).toMatchObject({
    error: expect.stringContaining(message),
    code: expect.any(String),
  });
  expect(response.status).toBe(400);
}

const uuids = Array.from({ length: 1001 }, () => '0');

const variable = { name: 'order', description: 'The number', type: 'string' };

const wrongBodies: [OperationName, unknown, string][] = [
  ['createChatbot', {}, 'name: is required'],
  ['createChatbot', { name: ' ' }, 'name: must be at least 1 character'],
  ['createChatbot', { name: 'x'.repeat(201) }, 'name: must be at most 200 characters'],
  ['createChatbot', { name: 'A', rate_limit: [0, 240] }, 'rate_limit.0: must be at least 1'],
  ['createChatbot', { name: 'A', rate_limit: [101, 240] }, 'rate_limit.0: must be at most 100'],
  ['createChatbot', { name: 'A', rate_limit: [20, 0] }, 'rate_limit.1: must be at least 1'],
  ['createChatbot', { name: 'A', rate_limit: [20, 361] }, 'rate_limit.1: must be at most 360'],
  ['createChatbot', { name: 'A', rate_limit: [20] }, 'rate_limit: must be at least 2 items'],
  ['createChatbot', { name: 'A', rate_limit: 20 }, 'rate_limit: must be a list'],
  ['createChatbot', { name: 'A', rate_limit: [1.5, 2] }, 'rate_limit.0: must be a whole number'],
  ['createChatbot', { name: 'A', visibility: 'secret' }, 'one of private, public, hybrid'],
  ['createChatbot', { name: 'A', temperature: 1.1 }, 'temperature: must be at most 1'],
  ['createChatbot', { name: 'A', temperature: -0.1 }, 'temperature: must be at least 0'],
  ['createChatbot', { name: 'A', colour: 'red' }, 'colour: is not a field here'],
  ['updateChatbot', { show_citations: 'yes' }, 'show_citations: must be a boolean'],
  ['createAgent', { name: 'A', type: 'spy' }, 'type: must be one of'],
  ['updateAgent', { enabled: 2 }, 'enabled: must be a boolean'],
  ['updateAgent', { variables: [variable, variable] }, 'variables.1.name: is there twice'],
  ['updateAgent', { temperature: 2 }, 'temperature: must be at most 1'],
  ['addUrlSource', { url: 'ftp://example.com' }, 'url: must be an address'],
  ['addUrlSource', { url: 'https://me:secret@example.com' }, 'url: must not contain a user name'],
  ['addQaSource', { question: 'Q' }, 'answer: is required'],
  ['updateDataSource', { title: '' }, 'title: must be at least 1 character'],
  ['deleteDataSources', {}, 'uuids: is required'],
  ['rescrapeUrlSources', { uuids }, 'uuids: must be at most 1000 items'],
  ['restartDataSources', { uuids: [7] }, 'uuids.0: must be a string'],
  ['createSourceTag', { name: 'A', color: 'red' }, 'color: must be a colour like #1f2937'],
  ['createSourceTag', { name: 'A', color: '#12345' }, 'color: must be a colour like #1f2937'],
  ['updateSourceTag', { color: '#1234567' }, 'color: must be a colour like #1f2937'],
  ['createSession', { initial_variables: { a: {} } }, 'initial_variables.a'],
  ['streamMessage', {}, 'query: is required'],
  ['streamMessage', { query: '' }, 'query: must be at least 1 character'],
  ['streamMessage', { query: ' \n' }, 'query: must not be blank'],
  ['sendMessage', { query: 'x'.repeat(100_001) }, 'query: must be at most 100000 characters'],
  ['deleteMessages', { uuids: 'all' }, 'uuids: must be a list'],
];

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
