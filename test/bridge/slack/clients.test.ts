import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createBoltLogger } from '../../../src/bridge/slack/bolt-logger.ts';
import { createApiFetch, createClients } from '../../../src/bridge/slack/clients.ts';
import { toPlatformError } from '../../../src/bridge/slack/errors.ts';
import { silent } from '../../../src/cli/setup/ask-slack.ts';

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

function writesTo(url: string) {
  const apiUrl = new URL('.', url).href;
  return createClients({ botToken: 'x', apiUrl, logger: createBoltLogger(silent) }).writes;
}

test('a write is one form, with JSON for what is no text', async () => {
  const asked: unknown[] = [];
  await using served = await serve(async (request, response) => {
    const { url, headers } = request;
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    asked.push({ url, authorization: headers.authorization, form });
    response.end(JSON.stringify({ ok: true, ts: '1.2' }));
  });
  const blocks = [{ type: 'markdown' as const, text: 'ä & “b”' }];
  const sent = { channel: 'C1', text: 'ä', blocks, unfurl_links: false, thread_ts: undefined };
  const { ts } = await writesTo(served.url).chat.postMessage(sent);
  expect(ts).toBe('1.2');
  const form = {
    channel: 'C1',
    text: 'ä',
    blocks: JSON.stringify(blocks),
    unfurl_links: 'false',
  };
  expect(asked).toEqual([{ url: '/api/chat.postMessage', authorization: 'Bearer x', form }]);
});

interface Served {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

test.each<[string, Served, object]>([
  ['a refusal', { body: '{"ok":false,"error":"message_not_found"}' }, { kind: 'gone' }],
  ['a limit', { status: 429, headers: { 'retry-after': '7' } }, { retryAfterMs: 7_000 }],
  ['a limit without a time', { status: 429 }, { kind: 'rate_limited', retryAfterMs: 1_000 }],
  [
    'a limit by its error',
    { headers: { 'retry-after': '7' }, body: '{"ok":false,"error":"ratelimited"}' },
    { kind: 'rate_limited', retryAfterMs: 7_000 },
  ],
  ['trouble', { status: 503 }, { problem: { params: { status: 503 } } }],
  ['a page', { body: '<html>' }, { problem: { code: 'platform_unavailable' } }],
  ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, { kind: 'failed' }],
])('%s is told after one call', async (_, { status = 200, headers = {}, body = '' }, error) => {
  let calls = 0;
  await using served = await serve((_request, response) => {
    calls += 1;
    response.writeHead(status, headers).end(body);
  });
  const write = writesTo(served.url).chat.update({ channel: 'C1', ts: '1.2', text: 'x' });
  const failure = await write.then(() => undefined, toPlatformError);
  expect(failure).toMatchObject(error);
  expect(calls).toBe(1);
});
