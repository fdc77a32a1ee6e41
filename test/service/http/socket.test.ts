import { EventEmitter, once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, request as send, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import { expect, test, vi } from 'vitest';
import { patience } from '../../fixtures/patience.ts';
import { annasKey, handbook, startTestService, type TestService } from '../fixture.ts';
import { createGate } from '../gate.ts';
import type { Log } from '../../../src/shared/primitives/log.ts';

/** A log whose messages can be waited for. */
function createWatchedLog(): { log: Log; next: (message: string) => Promise<unknown> } {
  const written = new EventEmitter();
  const write = (_fields: object, message: string) => {
    written.emit(message);
  };
  return {
    log: { debug: write, info: write, warn: write, error: write },
    next: (message) => once(written, message),
  };
}

async function listen(service: TestService) {
  const listener = getRequestListener((request) => service.service.fetch(request));
  const server: Server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const headers = { authorization: `Bearer ${annasKey}`, 'content-type': 'application/json' };
const body = JSON.stringify({ query: 'When does the lighthouse open?' });

async function createTaughtSession(service: TestService): Promise<string> {
  const chatbot = await service.createChatbot();
  await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
  await service.service.settled();
  return service.createSession(chatbot);
}

test('streams over a socket in several pieces', async () => {
  await using service = await startTestService({
    pace: { deltaMs: 1, sleep: () => new Promise((resolve) => setImmediate(resolve)) },
  });
  await using server = await listen(service);
  const session = await createTaughtSession(service);
  const path = `${server.url}/api/v1/session/${session}/message/stream`;
  const response = await fetch(path, { method: 'POST', headers, body });
  const parts = await Array.fromAsync(response.body ?? []);
  expect(parts.length).toBeGreaterThan(2);
  const { json } = await service.get(`/api/v1/session/${session}/messages`);
  expect(json[0].response).toBe(Buffer.concat(parts).toString());
});

test('a client that vanishes ends its reply, and its text so far is stored', async () => {
  const gate = createGate();
  const watched = createWatchedLog();
  await using service = await startTestService({
    pace: { deltaMs: 1, sleep: gate.sleep },
    log: watched.log,
  });
  await using server = await listen(service);
  const session = await createTaughtSession(service);
  const path = `/api/v1/session/${session}/message/stream`;
  const request = send({ port: server.port, method: 'POST', path, headers });
  request.end(body);
  const [response] = await once(request, 'response');
  await once(response, 'data');
  await gate.reached;
  const ended = watched.next('a reply ended');
  response.destroy();
  await ended;
  const { json } = await service.get(`/api/v1/session/${session}/messages`);
  expect(json[0].response.length).toBeGreaterThan(0);
});

test('a client that sends too large a file gets its answer', async () => {
  await using service = await startTestService({ maxUploadBytes: 100_000 });
  await using server = await listen(service);
  const chatbot = await service.createChatbot();
  const request = send({
    port: server.port,
    method: 'POST',
    path: `/api/v1/chatbot/${chatbot}/data-source/upload`,
    headers: { ...headers, 'content-type': 'multipart/form-data; boundary=x' },
  });
  request.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n');
  for (let part = 0; part < 30; part++) request.write('word '.repeat(1000));
  request.end('\r\n--x--\r\n');
  const [response] = await once(request, 'response');
  expect(response.statusCode).toBe(413);
  expect(await text(response)).toContain('too large');
});

test('a client that leaves in the middle of a file leaves nothing behind', async () => {
  await using service = await startTestService();
  await using server = await listen(service);
  const chatbot = await service.createChatbot();
  const socket = connect(server.port, '127.0.0.1');
  socket.write(
    [
      `POST /api/v1/chatbot/${chatbot}/data-source/upload HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${annasKey}`,
      'Content-Type: multipart/form-data; boundary=x',
      'Content-Length: 100000',
      '',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf a file',
    ].join('\r\n'),
  );
  const files = () => readdirSync(join(service.dataDir, 'files'));
  await vi.waitFor(() => expect(files()).toHaveLength(1), patience);
  socket.destroy();
  await vi.waitFor(() => expect(files()).toEqual([]), patience);
  expect((await service.get(`/api/v1/chatbot/${chatbot}/data-sources`)).json).toEqual([]);
});
