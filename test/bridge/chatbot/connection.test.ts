import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Agent, Dispatcher, errors } from 'undici';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../../src/bridge/chatbot/chatbot-client.ts';
import { createConversationChatbot } from '../../../src/bridge/chatbot/conversation-chatbot.ts';
import { startProxy } from '../../fixtures/proxy.ts';
import { useProxy } from '../../fixtures/use-proxy.ts';
import { watchTimers } from '../../fixtures/watch-timers.ts';
import { chatbot, session, source } from './fixtures.ts';
import { type SeenRequest, sendJson, startServer, type TestServer } from './start-server.ts';

let server: TestServer;
let client: ChatbotClient;
let agent: Agent;
let answer: (response: ServerResponse, request: SeenRequest) => void;
/** Resolves with the response of the next request that reaches the server. */
let arrived: PromiseWithResolvers<ServerResponse>;
let sleeps: number[];

const options = () => ({
  baseUrl: server.url,
  apiKey: 'key',
  dispatcher: agent,
  random: () => 0.5,
  sleep: async (ms: number) => {
    sleeps.push(ms);
  },
});

beforeEach(async () => {
  sleeps = [];
  arrived = Promise.withResolvers();
  agent = new Agent();
  server = await startServer((request, response) => {
    arrived.resolve(response);
    answer(response, request);
  });
  client = createChatbotClient(options());
});

afterEach(async () => {
  vi.useRealTimers();
  await agent.destroy();
  await server[Symbol.asyncDispose]();
});

const file = () => ({
  name: 'a.txt',
  content: (async function* () {
    yield Buffer.from('a');
  })(),
});

/** Fails the first requests in this way, then answers. */
function failing(times: number, fail: (response: ServerResponse) => void, body: unknown) {
  let left = times;
  answer = (response) => (left-- > 0 ? fail(response) : sendJson(response, body));
}

function drop(response: ServerResponse) {
  response.destroy();
}

function breakOff(response: ServerResponse) {
  response.writeHead(200, { 'content-length': 100 });
  response.write('[{');
  response.socket?.end();
}

function begin(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.write('one');
}

/** The client's timers are known by these lengths, which nothing else has. */
const silenceMs = 913;
const createMs = 2017;

/** From now on, time passes only while the test lets it. Gives the client's running timers. */
function useClock() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return watchTimers(silenceMs, createMs);
}

/** Reports this failure for every request. */
class FailingDispatcher extends Dispatcher {
  readonly error: Error;

  constructor(error: Error) {
    super();
    this.error = error;
  }

  override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    handler.onResponseError?.({} as Dispatcher.DispatchController, this.error);
    return true;
  }
}

/** Collects the requests, and never connects. */
class SilentDispatcher extends Dispatcher {
  readonly tried: unknown[];

  constructor(tried: unknown[]) {
    super();
    this.tried = tried;
  }

  override dispatch(request: Dispatcher.DispatchOptions) {
    this.tried.push(request);
    return true;
  }
}

/** The agent, and when a connection of it is first paused. */
function createPausing() {
  const paused = Promise.withResolvers<void>();
  const dispatcher = agent.compose((dispatch) => (request, handler) => {
    const onRequestStart: Dispatcher.DispatchHandler['onRequestStart'] = (controller, context) => {
      const pause = controller.pause.bind(controller);
      controller.pause = () => {
        pause();
        paused.resolve();
      };
      handler.onRequestStart?.(controller, context);
    };
    return dispatch(request, { ...handler, onRequestStart });
  });
  return { dispatcher, paused: paused.promise };
}

/** The error of a promise that is awaited only after the action that makes it fail. */
function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('retries', () => {
  test.each([502, 503, 504])('a read is retried after a %i, with full jitter', async (status) => {
    failing(2, (response) => sendJson(response, { error: 'later' }, status), [chatbot]);
    expect(await client.listChatbots()).toHaveLength(1);
    expect(server.seen).toHaveLength(3);
    expect(sleeps).toEqual([125, 250]);
  });

  test('a read is retried after a lost connection', async () => {
    failing(1, drop, [chatbot]);
    expect(await client.listChatbots()).toHaveLength(1);
    expect(server.seen).toHaveLength(2);
  });

  test('a read is retried after an answer that broke off', async () => {
    failing(1, breakOff, [chatbot]);
    expect(await client.listChatbots()).toHaveLength(1);
    failing(9, breakOff, []);
    await expect(client.listChatbots()).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test.each([502, 503, 504])('the creation of a session is retried after a %i', async (status) => {
    failing(1, (response) => sendJson(response, { error: 'later' }, status), session);
    expect(await client.createSession('c1')).toEqual({ ...session, takesKeys: false });
    expect(server.seen).toHaveLength(2);
  });

  test.each([404, 410])('a read is retried after a proxy’s %i, a query is not', async (status) => {
    const page = (response: ServerResponse) =>
      void response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>');
    failing(2, page, [chatbot]);
    expect(await client.listChatbots()).toHaveLength(1);
    expect(server.seen).toHaveLength(3);
    failing(1, page, {});
    await expect(client.streamReply('n1', 'Hi?').next()).rejects.toMatchObject({ status });
    expect(server.seen).toHaveLength(4);
  });

  test('there are at most three tries', async () => {
    failing(9, (response) => sendJson(response, { error: 'later' }, 503), []);
    await expect(client.listChatbots()).rejects.toMatchObject({ status: 503, message: 'later' });
    expect(server.seen).toHaveLength(3);
  });

  test('the options set the number of tries and the waits', async () => {
    client = createChatbotClient({ ...options(), retry: { attempts: 5, baseMs: 10 } });
    failing(4, drop, []);
    expect(await client.listChatbots()).toEqual([]);
    expect(sleeps).toEqual([5, 10, 20, 40]);
  });

  test.each([
    ['2', 2000],
    ['0', 125],
    ['3600', 10_000],
  ])('Retry-After: %s makes it wait %i ms', async (header, ms) => {
    const fail = (response: ServerResponse) =>
      void response.writeHead(503, { 'retry-after': header }).end();
    failing(1, fail, []);
    expect(await client.listChatbots()).toEqual([]);
    expect(sleeps).toEqual([ms]);
  });

  test.each([429, 500, 400, 404, 410])(
    'nothing is retried after the API’s own %i',
    async (status) => {
      failing(1, (response) => sendJson(response, { error: 'no' }, status), []);
      await expect(client.listChatbots()).rejects.toMatchObject({ status });
      expect(server.seen).toHaveLength(1);
    },
  );

  test.each<[string, () => Promise<unknown>]>([
    ['creation', () => client.createChatbot({ name: 'Berts' })],
    ['deletion', () => client.deleteChatbot('c1')],
    ['URL', () => client.addUrlSource('c1', { url: 'https://example.com' })],
    ['upload', () => client.uploadDataSource('c1', file())],
    ['query', () => client.streamReply('n1', 'Hi?').next()],
    [
      'whole query',
      () => client.call('sendMessage', { params: { uuid: 'n1' }, body: { query: 'Hi?' } }),
    ],
  ])('the %s that may have arrived is not retried', async (_, run) => {
    failing(1, drop, {});
    await expect(run()).rejects.toMatchObject({ kind: 'unavailable', status: undefined });
    failing(1, (response) => sendJson(response, { error: 'later' }, 503), {});
    await expect(run()).rejects.toMatchObject({ kind: 'unavailable', status: 503 });
    expect(server.seen).toHaveLength(2);
    expect(sleeps).toEqual([]);
  });

  test('a creation is retried if no connection was made', async () => {
    answer = (response) => sendJson(response, session);
    await server[Symbol.asyncDispose]();
    const { port } = server;
    const sleep = async (ms: number) => {
      sleeps.push(ms);
      server = await startServer((_, response) => sendJson(response, session), port);
    };
    client = createChatbotClient({ ...options(), sleep });
    expect(await client.createSession('c1')).toEqual({ ...session, takesKeys: false });
    expect(server.seen).toHaveLength(1);
    expect(sleeps).toEqual([125]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['query', () => client.streamReply('n1', 'Hi?').next()],
    ['upload', () => client.uploadDataSource('c1', file())],
  ])('the %s is not retried even then', async (_, run) => {
    await server[Symbol.asyncDispose]();
    await expect(run()).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(sleeps).toEqual([]);
    server = await startServer(() => {});
  });

  test('aborting ends the wait', async () => {
    failing(9, drop, []);
    const giveUp = new AbortController();
    const sleep = (_: number, signal?: AbortSignal) => {
      giveUp.abort(new Error('enough'));
      return Promise.reject(signal?.reason);
    };
    client = createChatbotClient({ ...options(), sleep });
    await expect(client.listChatbots(giveUp.signal)).rejects.toMatchObject({
      kind: 'aborted',
      cause: new Error('enough'),
    });
    expect(server.seen).toHaveLength(1);
  });
});

describe('aborting', () => {
  test('before anything is sent', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const aborted = { kind: 'aborted', cause: new Error('enough') };
    await expect(client.listChatbots(signal)).rejects.toMatchObject(aborted);
    await expect(client.streamReply('n1', 'Hi?', { signal }).next()).rejects.toMatchObject(aborted);
    await expect(client.uploadDataSource('c1', file(), signal)).rejects.toMatchObject(aborted);
    expect(server.connections()).toBe(0);
  });

  test('before the connection stands', async () => {
    const stop = new AbortController();
    const connecting = client.listChatbots(stop.signal);
    stop.abort();
    await expect(connecting).rejects.toMatchObject({ kind: 'aborted' });
    answer = (response) => sendJson(response, session);
    await client.getSession('n1');
    expect(server.seen.map(({ url }) => url)).toEqual(['/api/v1/session/n1']);
  });

  test('while the service thinks', async () => {
    answer = () => {};
    const stop = new AbortController();
    const first = client.streamReply('n1', 'Hi?', { signal: stop.signal }).next();
    const response = await arrived.promise;
    const closed = once(response, 'close');
    stop.abort();
    await expect(first).rejects.toMatchObject({ kind: 'aborted' });
    await closed;
  });

  test('in the middle of a reply, which then yields nothing more', async () => {
    answer = (response) => {
      begin(response);
      // In the same turn of the event loop, both would be one chunk.
      setImmediate(() => response.write('two'));
    };
    const stop = new AbortController();
    const deltas = client.streamReply('n1', 'Hi?', { signal: stop.signal });
    expect((await deltas.next()).value).toBe('one');
    const closed = once(await arrived.promise, 'close');
    stop.abort();
    await expect(deltas.next()).rejects.toMatchObject({ kind: 'aborted' });
    await closed;
  });

  test('while waiting for the next delta', async () => {
    answer = begin;
    const stop = new AbortController();
    const deltas = client.streamReply('n1', 'Hi?', { signal: stop.signal });
    await deltas.next();
    const second = deltas.next();
    const closed = once(await arrived.promise, 'close');
    stop.abort();
    await expect(second).rejects.toMatchObject({ kind: 'aborted' });
    await closed;
  });

  test('by leaving the loop', async () => {
    answer = begin;
    const closed = arrived.promise.then((response) => once(response, 'close'));
    const read: string[] = [];
    for await (const delta of client.streamReply('n1', 'Hi?')) {
      read.push(delta);
      break;
    }
    expect(read).toEqual(['one']);
    await closed;
  });

  test('after the end, which has no effect and keeps the connection', async () => {
    answer = (response, { method }) =>
      method === 'GET' ? sendJson(response, []) : response.end('whole');
    const stop = new AbortController();
    expect(await Array.fromAsync(client.streamReply('n1', 'Hi?', { signal: stop.signal }))).toEqual(
      ['whole'],
    );
    stop.abort();
    await new Promise(setImmediate);
    expect(await client.listChatbots()).toEqual([]);
    expect(server.connections()).toBe(1);
  });

  test('in the middle of an upload, whose content is closed', async () => {
    const stop = new AbortController();
    const reading = Promise.withResolvers<undefined>();
    const closed = Promise.withResolvers<undefined>();
    async function* content() {
      try {
        yield Buffer.from('a');
        reading.resolve(undefined);
        for (;;) yield Buffer.alloc(65_536);
      } finally {
        closed.resolve(undefined);
      }
    }
    const uploading = client.uploadDataSource('c1', { name: 'a', content: content() }, stop.signal);
    await reading.promise;
    stop.abort();
    await expect(uploading).rejects.toMatchObject({ kind: 'aborted' });
    await closed.promise;
  });
});

describe('an answer', () => {
  test.each<[string, (response: ServerResponse) => void]>([
    [
      'short of its length',
      (response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('one');
        response.write('two');
        response.socket?.end();
      },
    ],
    [
      'without its last chunk',
      (response) => {
        response.write('one');
        response.write('two', () => response.destroy());
      },
    ],
  ])('that ends %s is interrupted after everything that arrived', async (_, end) => {
    answer = end;
    const gone = once(agent, 'disconnect');
    const deltas = client.streamReply('n1', 'Hi?');
    const first = await deltas.next();
    await gone;
    let text = first.value ?? '';
    const rest = async () => {
      for await (const delta of deltas) text += delta;
    };
    await expect(rest()).rejects.toMatchObject({ kind: 'interrupted', status: undefined });
    expect(text).toBe('onetwo');
    expect(server.seen).toHaveLength(1);
  });

  test('that ends with its connection is complete', async () => {
    answer = (response) => {
      response.socket?.end('HTTP/1.1 200 OK\r\n\r\nall of it');
    };
    expect((await Array.fromAsync(client.streamReply('n1', 'Hi?'))).join('')).toBe('all of it');
  });

  test('can follow an informational one', async () => {
    answer = (response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      sendJson(response, session);
    };
    expect(await client.getSession('n1')).toEqual(session);
  });

  test('with two content types has the first one', async () => {
    answer = (response) => {
      response.socket?.end(
        'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Type: a/b\r\n\r\ndata: x\n\n',
      );
    };
    expect(await Array.fromAsync(client.streamReply('n1', 'Hi?'))).toEqual(['x']);
  });

  test('that is not HTTP is an error', async () => {
    answer = (response) => {
      response.socket?.end('SSH-2.0-OpenSSH\r\n');
    };
    await expect(client.listChatbots()).rejects.toMatchObject({ kind: 'protocol' });
  });

  test('that is an error and breaks off keeps its status', async () => {
    answer = (response) => {
      response.writeHead(500, { 'content-type': 'text/plain', 'content-length': 100 });
      response.write('Out of');
      response.socket?.end();
    };
    await expect(client.listChatbots()).rejects.toMatchObject({ status: 500, message: 'Out of' });
  });
});

describe('timeouts', () => {
  test('of the connection: nothing was sent, so a creation is retried', async () => {
    const dispatcher = new FailingDispatcher(new errors.ConnectTimeoutError());
    client = createChatbotClient({ ...options(), dispatcher });
    await expect(client.createSession('c1')).rejects.toMatchObject({ kind: 'timeout' });
    expect(sleeps).toEqual([125, 250]);
  });

  test('of a connection that is never made, retries included', async () => {
    const timers = useClock();
    const tried: unknown[] = [];
    const dispatcher = new SilentDispatcher(tried);
    client = createChatbotClient({ ...options(), dispatcher, timeouts: { silenceMs } });
    const limits = { timeoutMs: createMs, maxReplyMs: 60_000 };
    const limited = createConversationChatbot(client, limits);
    const failed = failure(limited.createSession('c1', new AbortController().signal));
    await vi.advanceTimersByTimeAsync(createMs - 1);
    expect(tried).toHaveLength(3);
    expect(timers.size).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(await failed).toMatchObject({ kind: 'timeout' });
    expect(timers.size).toBe(0);
  });

  test('of an error response, whose text is then ignored', async () => {
    useClock();
    answer = (response) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).write('Out');
    };
    const received = new EventEmitter();
    const dispatcher = agent.compose((dispatch) => (request, handler) => {
      const onResponseData: Dispatcher.DispatchHandler['onResponseData'] = (controller, bytes) => {
        handler.onResponseData?.(controller, bytes);
        received.emit('piece');
      };
      return dispatch(request, { ...handler, onResponseData });
    });
    client = createChatbotClient({ ...options(), dispatcher, timeouts: { silenceMs } });
    let came = once(received, 'piece');
    const failed = failure(client.streamReply('n1', 'Hi?').next());
    const response = await arrived.promise;
    const closed = once(response, 'close');
    await came;
    for (const piece of [' of', ' order']) {
      vi.advanceTimersByTime(400);
      came = once(received, 'piece');
      response.write(piece);
      await came;
    }
    vi.advanceTimersByTime(silenceMs - 800);
    expect(await failed).toMatchObject({ status: 500, message: 'Out of order' });
    await closed;
  });

  test('of the headers, which is not retried', async () => {
    useClock();
    answer = () => {};
    client = createChatbotClient({ ...options(), timeouts: { silenceMs } });
    const failed = failure(client.listChatbots());
    await arrived.promise;
    vi.advanceTimersByTime(silenceMs);
    expect(await failed).toMatchObject({ kind: 'timeout' });
    expect(server.seen).toHaveLength(1);
  });

  test('of a reply, which restart with each piece', async () => {
    const timers = useClock();
    answer = (response) => void response.write('0');
    client = createChatbotClient({ ...options(), timeouts: { silenceMs } });
    const deltas = client.streamReply('n1', 'Hi?');
    expect((await deltas.next()).value).toBe('0');
    const response = await arrived.promise;
    for (const piece of ['1', '2', '3']) {
      vi.advanceTimersByTime(800);
      response.write(piece);
      expect((await deltas.next()).value).toBe(piece);
    }
    const failed = failure(deltas.next());
    vi.advanceTimersByTime(silenceMs);
    expect(await failed).toMatchObject({ kind: 'timeout' });
    expect(timers.size).toBe(0);
  });

  test('of a reply, which pause while its reader is behind', async () => {
    const timers = useClock();
    answer = (response) => {
      for (let i = 0; i < 70; i++) response.write('x'.repeat(64 * 1024));
      response.end();
    };
    const { dispatcher, paused } = createPausing();
    client = createChatbotClient({ ...options(), dispatcher, timeouts: { silenceMs } });
    const deltas = client.streamReply('n1', 'Hi?');
    let size = (await deltas.next()).value?.length ?? 0;
    await paused;
    expect(timers.size).toBe(0);
    vi.advanceTimersByTime(100_000);
    for await (const delta of deltas) size += delta.length;
    expect(size).toBe(70 * 64 * 1024);
    expect(timers.size).toBe(0);
  });
});

describe('disposal', () => {
  test('ends running requests on the client’s own connections', async () => {
    answer = (response) => void response.write('one');
    const own = createChatbotClient({ baseUrl: server.url, apiKey: 'key' });
    const deltas = own.streamReply('n1', 'Hi?');
    await deltas.next();
    const closed = once(await arrived.promise, 'close');
    const failed = failure(deltas.next());
    await own[Symbol.asyncDispose]();
    expect(await failed).toMatchObject({ kind: 'aborted' });
    await closed;
    await expect(own.listChatbots()).rejects.toMatchObject({ kind: 'aborted' });
  });

  test('leaves a dispatcher open that was passed in', async () => {
    answer = (response) => sendJson(response, [source]);
    await client[Symbol.asyncDispose]();
    expect(await client.listDataSources('c1')).toHaveLength(1);
  });
});

describe('behind a proxy', () => {
  const open = (baseUrl: string) =>
    createChatbotClient({
      ...options(),
      baseUrl,
      dispatcher: undefined,
      timeouts: { connectMs: 200 },
    });

  test('requests with http: are passed to the proxy whole, with its credentials', async () => {
    await using proxy = await startProxy({
      credentials: 'me:p%40ss',
      hosts: { 'service.test': server.url },
    });
    useProxy(proxy.url);
    await using own = open('http://service.test/sub');
    answer = (response) => void response.end('event: message\ndata: one\n\n');
    await own.streamReply('n1', 'Hi?').next();
    const path = '/sub/api/v1/session/n1/message/stream';
    expect(proxy.asked).toEqual([`POST http://service.test${path}`]);
    expect(proxy.reached('service.test')).toEqual([`POST ${path}`]);
  });

  test('a proxy that never answers is retried as often as an unreachable service', async () => {
    await using proxy = await startProxy({ connect: 'silent' });
    useProxy(proxy.url);
    await using own = open('https://service.test');
    await expect(own.listChatbots()).rejects.toMatchObject({
      kind: 'unavailable',
      message: `The chatbot service cannot be reached: The proxy at ${proxy.url} has not connected to service.test:443 for 0.2 seconds`,
    });
    expect(proxy.asked).toHaveLength(3);
    expect(sleeps).toHaveLength(2);
  });

  test('loopback is reached directly', async () => {
    await using proxy = await startProxy();
    useProxy(proxy.url);
    await using own = open(server.url);
    answer = (response) => sendJson(response, [chatbot]);
    expect(await own.listChatbots()).toHaveLength(1);
    expect(proxy.asked).toEqual([]);
  });
});
