import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isValidSlackRequest } from '@slack/bolt';
import { expect, test } from 'vitest';
import { createClock } from '../clock.ts';
import { serveWorkspace } from './serve-workspace.ts';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Never answers. */
  silent?: boolean;
}

interface Request {
  headers: IncomingHttpHeaders;
  body: string;
}

/** An app's HTTP end: it answers the challenge, and then as it is told. */
async function startEndpoint(answers: Answer[]) {
  const requests: Request[] = [];
  const waiting: (() => void)[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    if (body.includes('"url_verification"')) {
      const { challenge } = JSON.parse(body) as { challenge: string };
      response.end(challenge);
      return;
    }
    requests.push({ headers: request.headers, body });
    waiting.shift()?.();
    const { status = 200, headers = {}, body: said = '', silent } = answers.shift() ?? {};
    if (!silent) response.writeHead(status, headers).end(said);
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`,
    requests,
    async received(count: number): Promise<Request> {
      while (requests.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
      const request = requests[count - 1];
      if (!request) throw new Error(`There is no request ${count}.`);
      return request;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a request URL that does not return the challenge is refused', async () => {
  await using served = await serveWorkspace();
  const server = createServer((_, response) => response.end('hello'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await expect(served.slack.setRequestUrl(url)).rejects.toThrow('did not return the challenge');
  server.close();
});

test('deliveries are signed, and a retry names the reason', async () => {
  const clock = createClock();
  await using served = await serveWorkspace(clock);
  await using endpoint = await startEndpoint([{ status: 500 }, { silent: true }]);
  const { slack, ada, help } = served;
  await slack.setRequestUrl(endpoint.url);

  await slack.say({ user: ada, channel: help, text: 'hello' });
  const first = await endpoint.received(1);
  expect(first.headers['x-slack-retry-num']).toBeUndefined();
  const { signingSecret } = slack.credentials;
  const headers = {
    'x-slack-signature': String(first.headers['x-slack-signature']),
    'x-slack-request-timestamp': Number(first.headers['x-slack-request-timestamp']),
  };
  expect(isValidSlackRequest({ signingSecret, body: first.body, headers })).toBe(true);
  expect(isValidSlackRequest({ signingSecret, body: `${first.body} `, headers })).toBe(false);

  const second = await endpoint.received(2);
  expect(second.headers).toMatchObject({
    'x-slack-retry-num': '1',
    'x-slack-retry-reason': 'http_error',
  });
  expect(second.body).toBe(first.body);
  await clock.sleeping(3_000);
  clock.advance(3_000);
  await clock.sleeping(60_000);
  clock.advance(60_000);
  const third = await endpoint.received(3);
  expect(third.headers).toMatchObject({
    'x-slack-retry-num': '2',
    'x-slack-retry-reason': 'http_timeout',
  });
});

test('x-slack-no-retry stops the retries', async () => {
  await using served = await serveWorkspace();
  const refused = { status: 503, headers: { 'x-slack-no-retry': '1' } };
  await using endpoint = await startEndpoint([refused]);
  const { slack, ada, help } = served;
  await slack.setRequestUrl(endpoint.url);

  await slack.say({ user: ada, channel: help, text: 'one' });
  await endpoint.received(1);
  await slack.say({ user: ada, channel: help, text: 'two' });
  const next = await endpoint.received(2);
  expect(JSON.parse(next.body)).toMatchObject({ event: { text: 'two' } });
});

test('commands are sent as forms, and their responses are shown', async () => {
  await using served = await serveWorkspace();
  const json = { 'content-type': 'application/json' };
  await using endpoint = await startEndpoint([
    { body: 'plain words' },
    { headers: json, body: '{"text":"as JSON"}' },
    { headers: json, body: 'no JSON' },
    { status: 500 },
  ]);
  const { slack, ada, help } = served;
  await slack.setRequestUrl(endpoint.url);
  const outcomes: boolean[] = [];
  for (let count = 0; count < 4; count += 1) {
    outcomes.push(await slack.command({ user: ada, channel: help, command: '/ask', text: 'a&b' }));
  }
  const [request] = endpoint.requests;
  expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(new URLSearchParams(request?.body).get('text')).toBe('a&amp;b');
  expect(outcomes).toEqual([true, true, false, false]);
  expect(slack.ephemerals(ada, help).map(({ text: shown }) => shown)).toEqual([
    'plain words',
    'as JSON',
    '/ask failed with the error "dispatch_failed"',
    '/ask failed with the error "dispatch_failed"',
  ]);
});
