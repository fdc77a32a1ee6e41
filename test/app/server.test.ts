import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type Routes, startServer } from '../../src/app/server.ts';

const service = {
  fetch: (request: Request) => new Response(`the service: ${new URL(request.url).pathname}`),
};

test('the server is ready once it waits for nothing more, and until then says what it waits for', async () => {
  let awaited = ['its start'];
  const routes: Routes = { listeners: new Map(), awaited: () => awaited };
  await using server = await startServer({ host: '127.0.0.1', port: 0 }, routes);
  const ready = async () => {
    const answer = await fetch(`${server.origin}/readyz`);
    return [answer.status, await answer.text()];
  };
  expect(await ready()).toEqual([503, 'waiting for its start\n']);
  awaited = [];
  expect(await ready()).toEqual([200, 'ready\n']);
  // The built-in service reports its own readiness, but only once the rest is ready.
  routes.service = service;
  expect(await ready()).toEqual([200, 'the service: /readyz']);
  routes.warnings = () => ['Another process is connected.'];
  expect(await ready()).toEqual([200, 'ready\nAnother process is connected.\n']);
  awaited = ['a connection to slack', 'a connection to discord'];
  expect(await ready()).toEqual([
    503,
    'waiting for a connection to slack and a connection to discord\n',
  ]);
});

const echo = { fetch: async (request: Request) => new Response(`got ${await request.text()}`) };

/** The answer to raw bytes, until the server closes the connection. */
function say(origin: string, ...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.write(lines.join('\r\n'));
  return text(socket);
}

// As curl --http2 and Java's HttpClient send it (RFC 9110 §7.8, RFC 7540 §3.2).
const offersHttp2 = [
  'Host: localhost',
  'Connection: close, Upgrade, HTTP2-Settings',
  'Upgrade: h2c',
  'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
];

test('a request that offers an upgrade is answered as HTTP/1.1', async () => {
  const routes: Routes = { service: echo, listeners: new Map() };
  await using server = await startServer({ host: '127.0.0.1', port: 0 }, routes);
  const upgrades = [offersHttp2, ['Host: a', 'Connection: close, Upgrade', 'Upgrade: websocket']];
  for (const headers of upgrades) {
    const post = ['POST /api HTTP/1.1', ...headers, 'Content-Length: 4', '', 'body'];
    const answer = await say(server.origin, ...post);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/\r\n\r\n.*got body/s);
  }
});

test('only web sockets of the sandbox are upgraded', async () => {
  const upgraded: unknown[] = [];
  const sandbox = {
    fetch: echo.fetch,
    upgrade: ({ url }: { url?: string }) => {
      upgraded.push(url);
      return false;
    },
  };
  const routes: Routes = { service: echo, sandbox, listeners: new Map() };
  await using server = await startServer({ host: '127.0.0.1', port: 0 }, routes);
  const socket = ['Host: localhost', 'Connection: close, Upgrade', 'Upgrade: WebSocket', '', ''];
  const status = async (path: string, headers: string[]) =>
    (await say(server.origin, `GET ${path} HTTP/1.1`, ...headers)).split('\r\n', 1)[0];
  expect(await status('/sandbox/x', [...offersHttp2, '', ''])).toBe('HTTP/1.1 200 OK');
  expect(await status('/api', socket)).toBe('HTTP/1.1 200 OK');
  expect(upgraded).toEqual([]);
  expect(await status('/sandbox/x', socket)).toBe('HTTP/1.1 404 Not Found');
  expect(upgraded).toEqual(['/sandbox/x']);
});

const hasCurl = await promisify(execFile)('curl', ['--version']).then(
  ({ stdout }) => /\bHTTP2\b/.test(stdout),
  () => false,
);

test.skipIf(!hasCurl)('curl --http2 gets an answer', async () => {
  const routes: Routes = { service: echo, listeners: new Map() };
  await using server = await startServer({ host: '127.0.0.1', port: 0 }, routes);
  const curl = (...options: string[]) =>
    promisify(execFile)('curl', ['-sS', '-m', '5', ...options, '-d', 'body', server.origin]);
  expect((await curl('--http2')).stdout).toBe('got body');
  // The preface of HTTP/2 is refused: curl sees the refusal (16), the end (52), or a connection that
  // is closed while it still sends (55) or before it reads (56).
  const { code } = (await curl('--http2-prior-knowledge').catch((error: unknown) => error)) as {
    code: unknown;
  };
  expect([16, 52, 55, 56]).toContain(code);
  expect((await curl('--http1.1')).stdout).toBe('got body');
});

test('the HTTP/2 preface is refused and the connection closed', async () => {
  const routes: Routes = { service: echo, listeners: new Map() };
  await using server = await startServer({ host: '127.0.0.1', port: 0 }, routes);
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  const closed = once(socket, 'close');
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  await closed;
});

test('when all connections are in use, idle ones are closed and streams continue', async () => {
  const stream = new TransformStream<Uint8Array>();
  const writer = stream.writable.getWriter();
  const reads = {
    fetch: (request: Request) =>
      new Response(request.url.endsWith('/stream') ? stream.readable : 'read'),
  };
  const lines: object[] = [];
  const log = { warn: (fields: object, message: string) => lines.push({ ...fields, message }) };
  const address = { host: '127.0.0.1', port: 0, maxConnections: 2, log };
  await using server = await startServer(address, { service: reads, listeners: new Map() });
  const open = (path: string) => {
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    return socket;
  };
  const streaming = open('/stream');
  void writer.write(Buffer.from('first'));
  await once(streaming, 'data');
  const waiting = open('/');
  await once(waiting, 'data');
  const closed = once(waiting, 'close');
  await once(open('/'), 'close');
  await closed;
  expect(lines).toMatchObject([{ count: 1, maxConnections: 2 }]);
  expect(await (await fetch(server.origin)).text()).toBe('read');
  void writer.write(Buffer.from('second'));
  const [more] = (await once(streaming, 'data')) as [Buffer];
  expect(more.toString()).toContain('second');
  streaming.destroy();
});
