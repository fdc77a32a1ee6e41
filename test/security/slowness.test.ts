import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startServer } from '../../src/app/server.ts';
import { serve, writeHead } from '../service/serve.ts';

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

test('a request that is never completed is cut off', async () => {
  await using served = await serve({}, { requestMs: 50 });
  const socket = served.connect();
  writeHead(socket, '/api/v1/chatbot/create', { 'content-length': 100 });
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
});

// oxlint-disable-next-line vitest/expect-expect -- Both promises resolve, or the test times out.
test('a reader who stalls is cut off, and its reply ends', async () => {
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

test('a sender who trickles a compressed body is answered 408 too', async () => {
  await using served = await serve({ bodyTimeoutMs: 30 });
  const socket = served.connect();
  writeHead(socket, '/api/v1/chatbot/create', {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    'content-length': 100,
  });
  // The header of gzip, which is not part of the body yet.
  socket.write(Buffer.from('1f8b0800000000000003', 'hex'));
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
});

test('a request whose head never ends is cut off', async () => {
  await using served = await serve({}, { headersMs: 50, requestMs: 50 });
  const socket = served.connect();
  socket.write('GET /api/v1/user HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
});
