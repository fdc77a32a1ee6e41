import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeRequest } from '../../../src/bridge/discord/make-request.ts';

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v10/gateway`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test.each([
  ['text', 'ä'],
  ['bytes', Buffer.from('ä')],
  ['nothing', null],
] as const)('sends %s, and gives what the library reads of an answer', async (_, body) => {
  await using served = await serve(async (request, response) => {
    response.setHeader('X-RateLimit-Limit', '5');
    const { url, method, headers } = request;
    const sent = [method, url, headers.authorization, (await buffer(request)).toString()];
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(sent));
  });
  const headers = { Authorization: 'Bot x' };
  const answer = await makeRequest(`${served.url}?a=b`, { method: 'POST', headers, body });
  expect(answer).toMatchObject({ ok: true, status: 201, statusText: 'Created' });
  expect(answer.headers.get('X-RateLimit-Limit')).toBe('5');
  expect(answer.headers.get('Retry-After')).toBeNull();
  expect(answer.headers.has('X-RateLimit-Global')).toBe(false);
  const sent = ['POST', '/api/v10/gateway?a=b', 'Bot x', body === null ? '' : 'ä'];
  expect(await answer.json()).toEqual(sent);
  expect(JSON.parse(await answer.text())).toEqual(sent);
  expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe(await answer.text());
});

test.each(['before it begins', 'while it waits'])('is given up %s', async (when) => {
  const giveUp = new AbortController();
  if (when === 'before it begins') giveUp.abort();
  await using served = await serve(() => giveUp.abort());
  const { signal } = giveUp;
  const asked = makeRequest(served.url, { method: 'GET', headers: {}, signal });
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
});

test('sends no forms', async () => {
  const init = { method: 'POST', headers: {}, body: new URLSearchParams() };
  await expect(makeRequest('http://127.0.0.1:1', init)).rejects.toThrow(TypeError);
});
