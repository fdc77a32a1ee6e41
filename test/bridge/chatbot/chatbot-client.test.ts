import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../../src/bridge/chatbot/chatbot-client.ts';
import { agent, chatbot, message, session, source, success, tag } from './fixtures.ts';
import { startServer, type TestServer } from './start-server.ts';

const apiKey = 'key-4711-secret';

let server: TestServer;
let client: ChatbotClient;
let answer: { status?: number; body?: unknown; text?: string; type?: string; headers?: object };

beforeEach(async () => {
  answer = {};
  server = await startServer((_, response) => {
    const { status = 200, body, text = JSON.stringify(body), type = 'application/json' } = answer;
    response.writeHead(status, { 'content-type': type, ...answer.headers }).end(text);
  });
  client = createChatbotClient({ baseUrl: server.url, apiKey, retry: { attempts: 1 } });
});

afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

interface Wire {
  name: string;
  run: () => Promise<unknown>;
  sends: [method: string, path: string, body?: unknown];
  body: unknown;
  gives?: unknown;
}

const from = '2024-09-12T00:19:12.000Z';
const wires: Wire[] = [
  {
    name: 'listChatbots',
    run: () => client.listChatbots(),
    sends: ['GET', '/api/v1/chatbots'],
    body: [chatbot],
    gives: [chatbot],
  },
  {
    name: 'getChatbot',
    run: () => client.getChatbot('c1'),
    sends: ['GET', '/api/v1/chatbot/c1'],
    body: chatbot,
    gives: chatbot,
  },
  {
    name: 'createChatbot',
    run: () => client.createChatbot({ name: 'Guide', rate_limit: [1, 2] }),
    sends: ['POST', '/api/v1/chatbot/create', { name: 'Guide', rate_limit: [1, 2] }],
    body: chatbot,
    gives: chatbot,
  },
  {
    name: 'updateChatbot',
    run: () => client.updateChatbot('c1', { visibility: 'public' }),
    sends: ['POST', '/api/v1/chatbot/c1/update', { visibility: 'public' }],
    body: chatbot,
    gives: chatbot,
  },
  {
    name: 'deleteChatbot',
    run: () => client.deleteChatbot('c1'),
    sends: ['DELETE', '/api/v1/chatbot/c1/delete'],
    body: success,
  },
  {
    name: 'listAgents',
    run: () => client.listAgents('c1'),
    sends: ['GET', '/api/v1/chatbot/c1/agents'],
    body: [agent],
    gives: [expect.objectContaining({ uuid: 'a1', enabled: true, future: 1 })],
  },
  {
    name: 'createAgent',
    run: () => client.createAgent('c1', { name: 'Spam', type: 'background' }),
    sends: ['POST', '/api/v1/chatbot/c1/agent/create', { name: 'Spam', type: 'background' }],
    body: agent,
    gives: expect.objectContaining({ uuid: 'a1' }),
  },
  {
    name: 'updateAgent',
    run: () => client.updateAgent('a1', { enabled: false }),
    sends: ['POST', '/api/v1/agent/a1/update', { enabled: false }],
    body: agent,
    gives: expect.objectContaining({ uuid: 'a1' }),
  },
  {
    name: 'deleteAgent',
    run: () => client.deleteAgent('a1'),
    sends: ['DELETE', '/api/v1/agent/a1/delete'],
    body: success,
  },
  {
    name: 'listDataSources',
    run: () => client.listDataSources('c1'),
    sends: ['GET', '/api/v1/chatbot/c1/data-sources'],
    body: [source],
    gives: [{ ...source, file_size: 12 }],
  },
  {
    name: 'addUrlSource',
    run: () => client.addUrlSource('c1', { url: 'https://example.com/a' }),
    sends: ['POST', '/api/v1/chatbot/c1/data-source/url', { url: 'https://example.com/a' }],
    body: source,
    gives: { source: { ...source, file_size: 12 }, duplicate: false },
  },
  {
    name: 'addQaSource',
    run: () => client.addQaSource('c1', { question: 'Q?', answer: 'A.' }),
    sends: ['POST', '/api/v1/chatbot/c1/data-source/qa', { question: 'Q?', answer: 'A.' }],
    body: source,
    gives: { source: { ...source, file_size: 12 }, duplicate: false },
  },
  {
    name: 'updateDataSource',
    run: () => client.updateDataSource('s1', { title: 'New' }),
    sends: ['POST', '/api/v1/data-source/s1/update', { title: 'New' }],
    body: source,
    gives: { ...source, file_size: 12 },
  },
  {
    name: 'deleteDataSource',
    run: () => client.deleteDataSource('s1'),
    sends: ['POST', '/api/v1/data-source/s1/delete'],
    body: success,
  },
  {
    name: 'listSourceTags',
    run: () => client.listSourceTags('c1'),
    sends: ['GET', '/api/v1/chatbot/c1/source-tags'],
    body: [tag],
    gives: [{ ...tag, data_source_uuids: [] }],
  },
  {
    name: 'createSourceTag',
    run: () => client.createSourceTag('c1', { name: 'HR', color: '#112233' }),
    sends: ['POST', '/api/v1/chatbot/c1/source-tag/create', { name: 'HR', color: '#112233' }],
    body: tag,
    gives: { ...tag, data_source_uuids: [] },
  },
  {
    name: 'updateSourceTag',
    run: () => client.updateSourceTag('t1', { data_source_uuids: ['s1'] }),
    sends: ['POST', '/api/v1/source-tag/t1/update', { data_source_uuids: ['s1'] }],
    body: tag,
    gives: { ...tag, data_source_uuids: [] },
  },
  {
    name: 'deleteSourceTag',
    run: () => client.deleteSourceTag('t1'),
    sends: ['DELETE', '/api/v1/source-tag/t1/delete'],
    body: success,
  },
  {
    name: 'createSession',
    run: () => client.createSession('c1'),
    sends: ['POST', '/api/v1/chatbot/c1/session/create'],
    body: session,
    gives: { ...session, takesKeys: false },
  },
  {
    name: 'getSession',
    run: () => client.getSession('n1'),
    sends: ['GET', '/api/v1/session/n1'],
    body: session,
    gives: session,
  },
  {
    name: 'listSessions',
    run: () => client.listSessions('c1'),
    sends: ['GET', '/api/v1/chatbot/c1/sessions'],
    body: [session],
    gives: [session],
  },
  {
    name: 'listSessions, by time',
    run: () => client.listSessions('c1', { start_timestamp: from }),
    sends: ['GET', '/api/v1/chatbot/c1/sessions?start_timestamp=2024-09-12T00%3A19%3A12.000Z'],
    body: [session],
    gives: [session],
  },
  {
    name: 'deleteSession',
    run: () => client.deleteSession('n1'),
    sends: ['POST', '/api/v1/session/n1/delete'],
    body: success,
  },
  {
    name: 'listMessages',
    run: () => client.listMessages('n1'),
    sends: ['GET', '/api/v1/session/n1/messages'],
    body: [message],
    gives: [expect.objectContaining({ ...message, cite_data_json: '', finish_reason: '' })],
  },
  {
    name: 'call, with parameters and a body',
    run: () => client.call('sendMessage', { params: { uuid: 'n1' }, body: { query: 'Hi?' } }),
    sends: ['POST', '/api/v1/session/n1/message/non-stream', { query: 'Hi?' }],
    body: { response: 'Hi.' },
    gives: { response: 'Hi.' },
  },
  {
    name: 'call, without parameters',
    run: () => client.call('listAgentModels', {}),
    sends: ['GET', '/api/v1/agent/models'],
    body: { models: ['m'] },
    gives: { models: ['m'] },
  },
  {
    name: 'call, of a path outside v1',
    run: () => client.call('restartDataSources', { body: { uuids: ['s1'] } }),
    sends: ['POST', '/api/data-sources/restart', { uuids: ['s1'] }],
    body: [{ uuid: 's1', status: 'restarted scraping' }],
    gives: [{ uuid: 's1', status: 'restarted scraping' }],
  },
];

describe('operations', () => {
  test.each(wires)('$name', async ({ run, sends: [method, path, body], body: answered, gives }) => {
    answer = { body: answered };
    expect(await run()).toEqual(gives);
    expect(server.seen).toHaveLength(1);
    const [request] = server.seen;
    expect(`${request?.method} ${request?.url}`).toBe(`${method} ${path}`);
    expect(request?.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(request?.headers.accept).toBe('application/json');
    expect(request?.headers['content-type']).toBe(body ? 'application/json' : undefined);
    expect(request?.body).toBe(body ? JSON.stringify(body) : '');
  });

  test('an answer in plain text is returned unchanged', async () => {
    answer = { text: ' User: 2024\r\n', type: 'text/plain' };
    expect(await client.call('getTranscript', { params: { uuid: 'n1' } })).toBe(' User: 2024\r\n');
  });

  test('a body is sent without being checked first', async () => {
    answer = { status: 400, body: { error: 'name must not be empty' } };
    await expect(client.createChatbot({ name: '' })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'name must not be empty',
    });
    expect(server.seen[0]?.body).toBe('{"name":""}');
  });

  test('an identifier always stays one segment of the path', async () => {
    answer = { body: session };
    await client.getSession('a/../b?c#d é');
    expect(server.seen[0]?.url).toBe('/api/v1/session/a%2F..%2Fb%3Fc%23d%20%C3%A9');
  });

  test.each(['', '.', '..', '\uD800'])('%j is refused as an identifier', async (uuid) => {
    await expect(client.deleteSession(uuid)).rejects.toMatchObject({ kind: 'not_found' });
    const file = { name: 'a.txt', content: (async function* () {})() };
    await expect(client.uploadDataSource(uuid, file)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(client.streamReply(uuid, 'Hi?').next()).rejects.toMatchObject({
      kind: 'not_found',
    });
    expect(server.seen).toEqual([]);
  });

  test('a deletion that the service denies is an error', async () => {
    answer = { body: { success: false } };
    await expect(client.deleteAgent('a1')).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('duplicates', () => {
  test.each([
    ['addUrlSource', () => client.addUrlSource('c1', { url: 'https://example.com' })],
    ['addQaSource', () => client.addQaSource('c1', { question: 'Q?', answer: 'A.' })],
    [
      'uploadDataSource',
      () => client.uploadDataSource('c1', { name: 'a.txt', content: bytes('a') }),
    ],
  ])('%s returns the source that exists already', async (_, run) => {
    answer = { status: 409, body: source };
    expect(await run()).toEqual({ source: { ...source, file_size: 12 }, duplicate: true });
  });

  test('a conflict without a source in its body is an error', async () => {
    answer = { status: 409, body: { error: 'busy' } };
    const adding = client.addUrlSource('c1', { url: 'https://example.com' });
    await expect(adding).rejects.toMatchObject({ kind: 'conflict', status: 409, message: 'busy' });
  });

  test('no other operation treats a conflict as a duplicate', async () => {
    answer = { status: 409, body: source };
    const updating = client.updateDataSource('s1', { title: 'New' });
    await expect(updating).rejects.toMatchObject({ kind: 'conflict', status: 409 });
  });
});

describe('failures', () => {
  test.each([
    [301, 'protocol'],
    [201, 'protocol'],
    [400, 'invalid'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'not_found'],
    [405, 'invalid'],
    [408, 'timeout'],
    [409, 'conflict'],
    [410, 'not_found'],
    [413, 'too_large'],
    [415, 'unsupported_type'],
    [422, 'invalid'],
    [429, 'rate_limited'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('status %i means %s, for a call and for a reply', async (status, kind) => {
    answer = { status, body: { error: 'No.' } };
    const expected = {
      name: 'ChatbotError',
      kind,
      status,
      message: 'No.',
      retryAfterMs: undefined,
    };
    await expect(client.listChatbots()).rejects.toMatchObject(expected);
    await expect(client.streamReply('n1', 'Hi?').next()).rejects.toMatchObject(expected);
  });

  test('the field’s message for an unsupported file is recognized', async () => {
    answer = { status: 400, body: { error: 'File type not allowed' } };
    const uploading = client.uploadDataSource('c1', { name: 'a.exe', content: bytes('a') });
    await expect(uploading).rejects.toMatchObject({ kind: 'unsupported_type', status: 400 });
  });

  describe.each([404, 410])('a %i that is not an error of the API', (status) => {
    test.each([
      ['a proxy’s page', { text: '<h1>Not Found</h1>', type: 'text/html' }],
      ['a proxy’s words', { text: 'default backend - 404', type: 'text/plain' }],
      ['JSON without an error', { body: { message: 'no Route matched with those values' } }],
      ['JSON with an error of another shape', { body: { error: { code: 404 } } }],
      ['nothing', { text: '' }],
    ])('means that the service can’t be reached: %s', async (_, body) => {
      answer = { status, ...body };
      const expected = {
        kind: 'unavailable',
        status,
        message: `The chatbot service answered ${status}, but not with an error of its API. Either a proxy in between answered, or the base URL is wrong`,
      };
      await expect(client.createSession('c1')).rejects.toMatchObject(expected);
      await expect(client.streamReply('n1', 'Hi?').next()).rejects.toMatchObject(expected);
    });
  });

  test.each([
    ['text', { text: ' Out of order \n', type: 'text/plain' }, 'Out of order'],
    ['JSON of another shape', { body: { detail: 'x' } }, '{"detail":"x"}'],
    ['nothing', { text: '' }, 'The chatbot service answered 500'],
    [
      'a proxy’s page',
      { text: '<html>Bad gateway</html>', type: 'text/html; charset=utf-8' },
      'The chatbot service answered 500',
    ],
    ['much', { text: 'x'.repeat(200_000), type: 'text/plain' }, 'x'.repeat(500)],
  ])('an answer that is %s gives a message', async (_, body, expected) => {
    answer = { status: 500, ...body };
    await expect(client.listChatbots()).rejects.toMatchObject({ message: expected });
  });

  test('a redirect is not followed, and the error says where it points', async () => {
    answer = { status: 308, text: '', headers: { location: 'https://elsewhere.example/' } };
    await expect(client.listChatbots()).rejects.toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('https://elsewhere.example/'),
    });
    expect(server.seen).toHaveLength(1);
  });

  test('an error never contains the key', async () => {
    answer = { status: 401, body: { error: `${'x'.repeat(495)} ${apiKey} is wrong` } };
    const echoed = await client.listChatbots().catch((error: unknown) => error);
    answer = { text: `"${apiKey}` };
    const broken = await client.listChatbots().catch((error: unknown) => error);
    await server[Symbol.asyncDispose]();
    const gone = await client.listChatbots().catch((error: unknown) => error);
    server = await startServer(() => {});
    for (const error of [echoed, broken, gone]) {
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('key-4');
    }
  });

  test.each([
    ['no JSON', { text: '<html>' }, 'not JSON'],
    ['JSON of another shape', { body: [{ ...chatbot, uuid: 1 }] }, '0.uuid'],
    ['larger than 32 MB', { text: `"${'x'.repeat(32 * 1024 * 1024)}"` }, '32 MB'],
  ])('an answer that is %s', async (_, body, expected) => {
    answer = body;
    await expect(client.listChatbots()).rejects.toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining(expected),
    });
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1);
  test.each([
    ['7', 7_000],
    ['0', 0],
    [new Date(now + 90_000).toUTCString(), 90_000],
    [new Date(now - 90_000).toUTCString(), 0],
    ['soon', undefined],
  ])('%s', async (header, retryAfterMs) => {
    answer = { status: 429, body: { error: 'Slow down' }, headers: { 'retry-after': header } };
    await using timed = createChatbotClient({ baseUrl: server.url, apiKey, now: () => now });
    await expect(timed.listChatbots()).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterMs,
    });
  });
});

describe('options', () => {
  test.each([
    ['', '/api/v1/chatbots'],
    ['/', '/api/v1/chatbots'],
    ['/api/v1', '/api/v1/chatbots'],
    ['/api/v1//', '/api/v1/chatbots'],
    ['/sub/path', '/sub/path/api/v1/chatbots'],
    ['/sub/', '/sub/api/v1/chatbots'],
    ['/sub/api/v1/', '/sub/api/v1/chatbots'],
  ])('base URL with %j', async (suffix, path) => {
    answer = { body: [] };
    await using based = createChatbotClient({ baseUrl: server.url + suffix, apiKey });
    await based.listChatbots();
    expect(server.seen[0]?.url).toBe(path);
  });

  test.each(['', 'example.com', 'ftp://example.com', 'https://u:p@example.com', 'https://a.b?c'])(
    'base URL %j is refused',
    (baseUrl) => {
      expect(() => createChatbotClient({ baseUrl, apiKey })).toThrow(/^baseUrl must be/);
    },
  );

  test('a key that a header cannot carry is refused, and not quoted', () => {
    expect(() => createChatbotClient({ baseUrl: server.url, apiKey: 'a\nb-secret' })).toThrow(
      /^apiKey must consist of visible ASCII characters$/,
    );
  });
});

async function* bytes(text: string) {
  yield Buffer.from(text);
}

test.each([true, false])('a service says whether it takes keys: %s', async (takesKeys) => {
  const headers = takesKeys ? { 'accept-idempotency-key': 'true' } : {};
  answer = { body: session, headers };
  expect(await client.createSession('c1')).toEqual({ ...session, takesKeys });
  answer = { body: [message], headers };
  expect(await client.takesKeys('n1')).toBe(takesKeys);
  expect(server.seen.at(-1)?.url).toBe('/api/v1/session/n1/messages?limit=1&order=desc');
});
