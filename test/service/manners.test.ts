import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startServer } from '../../src/app/server.ts';
import { annasKey, handbook, startTestService } from './fixture.ts';
import { startModelServer, beginStream, sendDelta } from '../fixtures/model-server.ts';

type Options = Parameters<typeof startTestService>[0];
type Patience = Parameters<typeof startServer>[0]['patience'];

async function serve(options: Options = {}, patience: Patience = {}) {
  const service = await startTestService(options);
  const routes = { service: service.service, listeners: new Map() };
  const server = await startServer({ host: '127.0.0.1', port: 0, patience }, routes);
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    stopped ??= (async () => service[Symbol.asyncDispose]())();
    await stopped;
  };
  return {
    service,
    stop,
    origin: server.origin,
    connect: () => connect(Number(new URL(server.origin).port), '127.0.0.1'),
    async [Symbol.asyncDispose]() {
      await stop();
      await server[Symbol.asyncDispose]();
    },
  };
}

function writeHead(socket: Socket, path: string, headers: Record<string, string | number>): void {
  const lines = Object.entries({
    host: 'localhost',
    authorization: `Bearer ${annasKey}`,
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

test('a sender who trickles a body is answered 408, then cut off', async () => {
  await using served = await serve({ bodyTimeoutMs: 30 });
  const lengths: Record<string, string>[] = [
    { 'content-length': '100' },
    { 'transfer-encoding': 'chunked' },
  ];
  for (const length of lengths) {
    const socket = served.connect();
    writeHead(socket, '/api/v1/chatbot/create', { 'content-type': 'application/json', ...length });
    socket.write('2\r\n{"\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('{"error":"The body did not arrive within 0.03 s');
  }
});

test('an upload that stalls is answered 408 and leaves nothing behind', async () => {
  await using served = await serve({ bodyTimeoutMs: 30 });
  const chatbot = await served.service.createChatbot();
  const socket = served.connect();
  writeHead(socket, `/api/v1/chatbot/${chatbot}/data-source/upload`, {
    'content-type': 'multipart/form-data; boundary=x',
    'content-length': 100_000,
  });
  socket.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
  const list = await served.service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  expect(list.json).toEqual([]);
});

test('a request that never becomes whole is cut off', async () => {
  await using served = await serve({}, { requestMs: 50 });
  const socket = served.connect();
  writeHead(socket, '/api/v1/chatbot/create', { 'content-length': 100 });
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
});

// oxlint-disable-next-line vitest/expect-expect -- Both promises resolve, or the test times out.
test('a reader who stalls is cut off, and what it was reading ends', async () => {
  const left = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const service = {
    fetch(request: Request) {
      request.signal.addEventListener('abort', () => aborted.resolve());
      const endless = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
        cancel: () => left.resolve(),
      });
      return new Response(endless);
    },
  };
  const patience = { stalledMs: 50 };
  const routes = { service, listeners: new Map() };
  await using server = await startServer({ host: '127.0.0.1', port: 0, patience }, routes);
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(socket, 'readable');
  await Promise.all([left.promise, aborted.promise]);
  socket.destroy();
});

test('a reply that is silent for long is no stall', async () => {
  await using model = await startModelServer();
  const asked = Promise.withResolvers<() => void>();
  model.answer = (response) => {
    beginStream(response);
    asked.resolve(() => {
      sendDelta(response, 'At nine.');
      response.end('data: [DONE]\n\n');
    });
  };
  const llm = { baseUrl: model.baseUrl, model: 'small' };
  await using served = await serve({ llm }, { stalledMs: 10, keepAliveMs: 10 });
  const session = await served.service.createSession(await served.service.createChatbot());
  const reply = fetch(`${served.origin}/api/v1/session/${session}/message/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${annasKey}`, 'content-type': 'application/json' },
    body: '{"query":"When?"}',
  });
  const finish = await asked.promise;
  // Another connection that is idle is closed by then.
  const idle = served.connect();
  idle.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(idle.resume(), 'close');
  finish();
  expect(await (await reply).text()).toBe('At nine.');
});

test('many requests go over one connection', async () => {
  await using served = await serve();
  const socket = served.connect();
  let answers = '';
  socket.on('data', (bytes) => {
    answers += String(bytes);
  });
  const request = `GET /api/v1/user HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${annasKey}\r\n\r\n`;
  for (let count = 1; count <= 3; count++) {
    socket.write(request);
    while (answers.split('HTTP/1.1 200').length - 1 < count) await once(socket, 'data');
  }
  expect(socket.closed).toBe(false);
  socket.destroy();
});

test('a body that is too large is answered though it is still being sent', async () => {
  await using served = await serve();
  const response = await fetch(`${served.origin}/api/v1/chatbot/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${annasKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'x'.repeat(8 * 1024 * 1024) }),
  });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({
    error: expect.stringContaining('1 MiB'),
    code: expect.any(String),
  });
});

test('a service that stops ends its replies, refuses requests and closes connections', async () => {
  await using served = await serve({
    graceMs: 10_000,
    pace: { deltaMs: 1, sleep: () => new Promise((resolve) => setImmediate(resolve)) },
  });
  const { service } = served;
  const chatbot = await service.createChatbot();
  await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
  await service.service.settled();
  const session = await service.createSession(chatbot);
  const headers = { authorization: `Bearer ${annasKey}`, 'content-type': 'application/json' };
  const reply = await fetch(`${served.origin}/api/v1/session/${session}/message/stream`, {
    method: 'POST',
    headers,
    body: '{"query":"When does the lighthouse open?"}',
  });
  const closed = served.stop();
  const refused = await fetch(`${served.origin}/api/v1/chatbots`, { headers });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('connection')).toBe('close');
  expect(await refused.json()).toMatchObject({
    error: expect.stringContaining('stopping'),
    code: expect.any(String),
  });
  expect((await fetch(`${served.origin}/readyz`)).status).toBe(503);
  expect((await fetch(`${served.origin}/healthz`)).status).toBe(200);
  expect(await reply.text()).toMatch(/nine in the morning.*\[1\.1\]/s);
  await closed;
});

test('a request that can not be one is told so', async () => {
  await using served = await serve();
  const socket = served.connect();
  socket.write('GET /api/v1/user HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n');
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('{"error":"The request is malformed');
});
