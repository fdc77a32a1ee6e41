import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { annasKey, handbook } from './fixture.ts';
import { serve } from './serve.ts';
import { startModelServer, beginStream, sendDelta } from '../fixtures/model-server.ts';

test('a reply that is silent for long is no stall', async () => {
  await using model = await startModelServer();
  const asked = Promise.withResolvers<() => void>();
  model.answer = (response) => {
    beginStream(response);
    asked.resolve(() => {
      sendDelta(response, 'At nine.');
      response.end('data: [DONE]\n\n');
    });
  };
  const llm = { baseUrl: model.baseUrl, model: 'small' };
  await using served = await serve({ llm }, { stalledMs: 10, keepAliveMs: 10 });
  const session = await served.service.createSession(await served.service.createChatbot());
  const reply = fetch(`${served.origin}/api/v1/session/${session}/message/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${annasKey}`, 'content-type': 'application/json' },
    body: '{"query":"When?"}',
  });
  const finish = await asked.promise;
  // Another connection that is idle is closed by then.
  const idle = served.connect();
  idle.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(idle.resume(), 'close');
  finish();
  expect(await (await reply).text()).toBe('At nine.');
});

test('many requests go over one connection', async () => {
  await using served = await serve();
  const socket = served.connect();
  let answers = '';
  socket.on('data', (bytes) => {
    answers += String(bytes);
  });
  const request = `GET /api/v1/user HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${annasKey}\r\n\r\n`;
  for (let count = 1; count <= 3; count++) {
    socket.write(request);
    while (answers.split('HTTP/1.1 200').length - 1 < count) await once(socket, 'data');
  }
  expect(socket.closed).toBe(false);
  socket.destroy();
});

test('a body that is too large is answered though it is still being sent', async () => {
  await using served = await serve();
  const response = await fetch(`${served.origin}/api/v1/chatbot/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${annasKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'x'.repeat(8 * 1024 * 1024) }),
  });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({
    error: expect.stringContaining('1 MB'),
    code: expect.any(String),
  });
});

test('a service that stops ends its replies, refuses requests and closes connections', async () => {
  await using served = await serve({
    graceMs: 10_000,
    pace: { deltaMs: 1, sleep: () => new Promise((resolve) => setImmediate(resolve)) },
  });
  const { service } = served;
  const chatbot = await service.createChatbot();
  await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
  await service.service.settled();
  const session = await service.createSession(chatbot);
  const headers = { authorization: `Bearer ${annasKey}`, 'content-type': 'application/json' };
  const reply = await fetch(`${served.origin}/api/v1/session/${session}/message/stream`, {
    method: 'POST',
    headers,
    body: '{"query":"When does the lighthouse open?"}',
  });
  const closed = served.stop();
  const refused = await fetch(`${served.origin}/api/v1/chatbots`, { headers });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('connection')).toBe('close');
  expect(await refused.json()).toMatchObject({
    error: expect.stringContaining('stopping'),
    code: expect.any(String),
  });
  expect((await fetch(`${served.origin}/readyz`)).status).toBe(503);
  expect((await fetch(`${served.origin}/healthz`)).status).toBe(200);
  expect(await reply.text()).toMatch(/nine in the morning.*\[1\.1\]/s);
  await closed;
});

test('a malformed request is answered with 400', async () => {
  await using served = await serve();
  const socket = served.connect();
  socket.write('GET /api/v1/user HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n');
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('{"error":"The request is malformed');
});
