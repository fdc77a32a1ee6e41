import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createRest } from '../../../src/bridge/discord/connection.ts';
import { shortenLimits } from '../../fixtures/shorten-limits.ts';

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  return {
    rest: createRest({ token: 'x', apiUrl }),
    async [Symbol.asyncDispose]() {
      this.rest[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('the token goes nowhere else', async () => {
  const asked: unknown[] = [];
  await using served = await serve((request, response) => {
    asked.push([request.url, request.headers.authorization]);
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  await served.rest.get('/users/@me');
  expect(asked).toEqual([['/api/v10/users/@me', 'Bot x']]);
});

test('a response that stops half-way is given up', async () => {
  const limits = shortenLimits();
  await using served = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"id":');
  });
  const post = served.rest.post('/channels/1/messages', { body: {} });
  await expect(post).rejects.toThrow(/Timeout/);
  expect(limits).toEqual([{ headersTimeout: undefined, bodyTimeout: 15_000 }]);
});

test('a call ends when its signal aborts', async () => {
  const giveUp = new AbortController();
  await using served = await serve(() => giveUp.abort());
  const { signal } = giveUp;
  const asked = served.rest.post('/channels/1/messages', { body: {}, signal });
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
});

test('a rate limit is told at once', async () => {
  let calls = 0;
  await using served = await serve(async (request, response) => {
    await buffer(request);
    calls += 1;
    response.writeHead(429, { 'retry-after': '60', 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: 'You are being rate limited.', retry_after: 60 }));
  });
  const asked = served.rest.post('/channels/1/messages', { body: {} });
  await expect(asked).rejects.toMatchObject({ name: expect.stringContaining('RateLimitError') });
  expect(calls).toBe(1);
});
