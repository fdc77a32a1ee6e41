import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../../src/bridge/chatbot/chatbot-client.ts';
import { createConversationChatbot } from '../../../src/bridge/chatbot/conversation-chatbot.ts';
import { message } from './fixtures.ts';
import { sendJson, startServer, type TestServer } from './start-server.ts';

let server: TestServer;
let client: ChatbotClient;
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  server = await startServer((_, response) => answer(response));
  client = createChatbotClient({ baseUrl: server.url, apiKey: 'key', sleep: async () => {} });
});

afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const readLast = () =>
  createConversationChatbot(client, { timeoutMs: 60_000, maxReplyMs: 900_000 }).lastReply(
    'n1',
    new AbortController().signal,
  );

const at = (second: number) => `2024-09-12T00:19:${second}Z`;

test('only the newest message is asked for', async () => {
  answer = (response) => sendJson(response, [message]);
  expect(await readLast()).toMatchObject({ id: 'm1' });
  expect(server.seen.map(({ url }) => url)).toEqual([
    '/api/v1/session/n1/messages?limit=1&order=desc',
  ]);
});

test('a session without messages has no newest message', async () => {
  answer = (response) => sendJson(response, []);
  expect(await readLast()).toBeUndefined();
});

test.each([
  ['the oldest first', [at(10), at(20), at(30)], 2],
  ['the newest first', [at(30), at(20), at(10)], 0],
  ['in no order', [at(10), at(30), at(20)], 1],
  ['of one time', [at(10), at(10), at(10)], 2],
  ['without times', [undefined, null, ''], 2],
  ['without a time in between', [at(10), undefined, at(20)], 2],
  ['without a time in between, the newest first', [at(20), undefined, at(10)], 1],
])('the newest message is found in a list %s', async (_, times, newest) => {
  const list = times.map((created_at, index) => ({ ...message, uuid: `m${index}`, created_at }));
  answer = (response) => sendJson(response, list);
  expect(await readLast()).toMatchObject({ id: `m${newest}` });
});

test('the newest message is found in a list of more than 32 MB', async () => {
  const response = 'x'.repeat(1024 * 1024);
  function* list() {
    for (let each = 1; each <= 34; each++) {
      const listed = { ...message, uuid: `m${each}`, response, created_at: at(10 + each) };
      yield `${each === 1 ? '[' : ','}${JSON.stringify(listed)}`;
    }
    yield ']';
  }
  answer = (out) => void Readable.from(list()).pipe(out);
  expect(await readLast()).toMatchObject({ id: 'm34' });
});

test('a list that breaks off is requested again', async () => {
  const whole = JSON.stringify([{ ...message, uuid: 'm0' }, message]);
  answer = (response) => {
    response.writeHead(200, { 'content-length': whole.length });
    if (server.seen.length > 1) return response.end(whole);
    response.write(whole.slice(0, -10));
    return response.socket?.end();
  };
  expect(await readLast()).toMatchObject({ id: 'm1' });
  expect(server.seen).toHaveLength(2);
});

test('an invalid message does not hide a newer one', async () => {
  answer = (response) => sendJson(response, [{ uuid: 'm0', query: 7 }, message]);
  expect(await readLast()).toMatchObject({ id: 'm1' });
});

test.each([
  ['no list', '{"messages":[]}'],
  ['no JSON', '[{"uuid":}]'],
  ['a list of something else', '[1]'],
  ['a message without an id', '[{"query":"Hi?"}]'],
])('%s is an error', async (_, body) => {
  answer = (response) => response.end(body);
  await expect(readLast()).rejects.toMatchObject({ kind: 'protocol' });
  expect(server.seen).toHaveLength(1);
});
