import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { webApi } from '@slack/bolt';
import { expect, test } from 'vitest';
import { LostLeaseError, withLease } from '../../../src/bridge/conversation/leases.ts';
import { createBoltLogger, createClients } from '../../../src/bridge/slack/clients.ts';
import { toPlatformError } from '../../../src/bridge/slack/errors.ts';
import { silent } from '../../../src/cli/setup/ask-slack.ts';
import { shortenLimits } from '../../fixtures/shorten-limits.ts';

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

function clientsOf(url: string) {
  const apiUrl = new URL('.', url).href;
  return createClients({ token: async () => 'x', apiUrl, logger: createBoltLogger(silent) });
}

const writesTo = (url: string) => clientsOf(url).writes;

test('the token goes nowhere else, however often a call is repeated', async () => {
  const asked: (string | undefined)[] = [];
  await using served = await serve((request, response) => {
    asked.push(request.url);
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  const call = clientsOf(served.url).calls.auth.test();
  await expect(call).rejects.toThrow(webApi.WebAPIRequestError);
  expect(asked).toEqual(['/api/auth.test', '/api/auth.test', '/api/auth.test']);
});

test('a write fails whose response does not arrive, or stops half-way', async () => {
  const limits = shortenLimits();
  const asked: (string | undefined)[] = [];
  await using served = await serve((request, response) => {
    asked.push(request.url);
    if (request.url === '/api/chat.update') response.write('{"ok":');
  });
  const client = writesTo(served.url);
  const message = { channel: 'C1', ts: '1.2', text: 'x' };
  const unreachable = { kind: 'failed', problem: { code: 'platform_unreachable' } };
  for (const write of [client.chat.postMessage(message), client.chat.update(message)]) {
    expect(await write.then(() => undefined, toPlatformError)).toMatchObject(unreachable);
  }
  expect(new Set(asked)).toEqual(new Set(['/api/chat.postMessage', '/api/chat.update']));
  const tenSeconds = { headersTimeout: 10_000, bodyTimeout: 10_000 };
  expect(limits).toEqual([tenSeconds, tenSeconds]);
});

test('a write whose lease ends is cut off, and not tried again', async () => {
  const asked = Promise.withResolvers<IncomingMessage>();
  let count = 0;
  await using served = await serve((request) => {
    count += 1;
    asked.resolve(request);
  });
  const ending = new AbortController();
  const lost = new LostLeaseError('slack:T1');
  const lease = {
    fence: { scope: 'slack:T1', epoch: 1 },
    ended: ending.signal,
    lost: ending.signal,
    get isValid() {
      return !ending.signal.aborted;
    },
  };
  const { calls } = clientsOf(served.url);
  const write = withLease(lease, () => calls.chat.update({ channel: 'C1', ts: '1.2', text: 'x' }));
  const request = await asked.promise;
  const cutOff = once(request.socket, 'close');
  ending.abort(lost);
  await expect(write).rejects.toMatchObject({ original: lost });
  await cutOff;
  expect(count).toBe(1);
});

test('writes do not wait for each other', async () => {
  const count = 150;
  const allAsked = Promise.withResolvers<void>();
  const held: ServerResponse[] = [];
  await using served = await serve((_, response) => {
    if (held.push(response) === count) allAsked.resolve();
  });
  const client = writesTo(served.url);
  const edit = () => client.chat.update({ channel: 'C1', ts: '1.2', text: 'x' });
  const edits = Promise.all(Array.from({ length: count }, edit));
  await allAsked.promise;
  for (const response of held) response.end('{"ok":true}');
  expect(await edits).toHaveLength(count);
});

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
])('%s is reported after one call', async (_, { status = 200, headers = {}, body = '' }, error) => {
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
