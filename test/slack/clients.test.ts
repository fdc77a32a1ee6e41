import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createApiFetch } from '../../src/slack/clients.ts';

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat.update`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('sends a form, and gives what the client reads of an answer', async () => {
  await using served = await serve(async (request, response) => {
    const { method, headers } = request;
    const sent = [method, headers.authorization, headers['content-type'], await text(request)];
    response.writeHead(200, { 'X-OAuth-Scopes': 'chat:write', 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: true, sent }));
  });
  const headers = {
    Authorization: 'Bearer x',
    'Content-Type': 'application/x-www-form-urlencoded',
  };
  const answer = await createApiFetch(1_000)(served.url, { headers, body: 'text=%C3%A4' });
  expect(answer).toMatchObject({ ok: true, status: 200, statusText: 'OK', url: served.url });
  expect(answer.headers.get('x-oauth-scopes')).toBe('chat:write');
  expect(answer.headers.get('Content-Type')).toBe('application/json');
  expect(answer.headers.get('retry-after')).toBeNull();
  expect(Object.fromEntries(answer.headers.entries())).toMatchObject({
    'x-oauth-scopes': 'chat:write',
  });
  const sent = ['POST', 'Bearer x', 'application/x-www-form-urlencoded', 'text=%C3%A4'];
  expect(await answer.json()).toEqual({ ok: true, sent });
  expect(JSON.parse(await answer.text())).toEqual({ ok: true, sent });
  expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe(await answer.text());
});

test('goes nowhere else with the token', async () => {
  const asked: (string | undefined)[] = [];
  await using served = await serve((request, response) => {
    asked.push(request.url);
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  const answer = await createApiFetch(1_000)(served.url, { body: '' });
  expect(answer).toMatchObject({ ok: false, status: 302 });
  expect(asked).toEqual(['/api/chat.update']);
});

test('gives up on a response that does not arrive, or stops half-way', async () => {
  await using silent = await serve(() => {});
  await using halting = await serve((_, response) => void response.write('{"ok":'));
  const apiFetch = createApiFetch(50);
  await Promise.all(
    [silent, halting].map(async ({ url }) =>
      expect(apiFetch(url, { body: '' })).rejects.toThrow(/Timeout/),
    ),
  );
});

test('sends no files', async () => {
  await expect(createApiFetch(50)('http://127.0.0.1:1', {})).rejects.toThrow(TypeError);
});
