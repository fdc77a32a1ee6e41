import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { expect, test } from 'vitest';
import { recognizeProblem } from '../../../src/shared/problems/problem.ts';
import { fieldModels } from '../../../src/service/model/field-models.ts';
import { annasKey } from '../fixture.ts';
import { createManualSleep } from '../manual-sleep.ts';
import { query, startWithModel } from './model-fixture.ts';
import {
  beginStream,
  sendCompletion,
  sendDelta,
  sendEvent,
  startModelServer,
} from '../../fixtures/model-server.ts';

test.each([
  [401, '{"error":{"message":"bad key sk-123"}}', 'LLM_API_KEY'],
  [403, 'no', 'LLM_API_KEY'],
  [404, '{"error":{"code":"model_not_found"}}', 'does not know the model small'],
  [404, '{"error":"model \'small\' not found, try pulling it first"}', 'does not know the model'],
  [404, '404 page not found', 'check LLM_BASE_URL'],
  [400, '{"error":"maximum context length is 4096"}', 'too long for the model'],
  [400, '{"error":"what?"}', 'did not accept'],
  [429, 'slow down', 'overloaded'],
  [500, '<html>oops</html>', 'server failed'],
  [503, '{"error":"loading"}', 'server failed'],
])('the service tells a %i of the model server in words', async (status, body, words) => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) => void response.writeHead(status).end(body);
  const text = await service.ask(query);
  expect(text).toContain(words);
  expect(text).not.toContain('sk-123');
  const [message] = await service.messages();
  expect(message).toMatchObject({ response: text, error_message: text });
  const { error_code, error_params } = JSON.parse(message.meta_json);
  const problem = recognizeProblem({ error: text, code: error_code, params: error_params });
  expect(problem).toMatchObject({ code: expect.stringMatching(/^model_/) });
});

test.each<[string, (response: ServerResponse) => void, string]>([
  ['a connection that breaks', (response) => void response.destroy(), 'cut off'],
  ['an end without a reason', (response) => void response.end(), 'cut off'],
  ['an error among the events', (response) => sendEvent(response, { error: 'oom' }), 'cut off'],
  ['an event that is no JSON', (response) => void response.write('data: {\n\n'), 'cut off'],
])('the service keeps the text before %s, and says so below it', async (_, fail, words) => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = async (response) => {
    beginStream(response);
    sendDelta(response, 'At nine');
    await once(sent, 'delta');
    fail(response);
  };
  const sent = new EventTarget();
  const reader = (await service.stream(query)).body?.getReader();
  const first = await reader?.read();
  sent.dispatchEvent(new Event('delta'));
  let text = new TextDecoder().decode(first?.value);
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  expect(text).toMatch(/^At nine\n\n/);
  expect(text).toContain(words);
  const [message] = await service.messages();
  expect(message.response).toBe(text);
  expect(text.endsWith(message.error_message)).toBe(true);
});

test('the service says so when the model answers nothing, or does not exist', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) => sendCompletion(response, []);
  expect(await service.ask(query)).toContain('gave no answer');

  await models[Symbol.asyncDispose]();
  expect(await service.ask(query)).toContain('could not be reached');
  expect((await service.get('/api/v1/agent/models')).json).toEqual({
    models: ['small', ...fieldModels.keys()],
  });
});

test('the service says so when the server is no model server', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html><title>Welcome to nginx!</title></html>');
  };
  expect(await service.ask(query)).toContain('check LLM_BASE_URL');
});

test('the service waits once for a busy server, as long as it asks', async () => {
  await using models = await startModelServer();
  const { sleep, take } = createManualSleep();
  await using service = await startWithModel(models, {}, { sleep });
  models.answer = (response) => {
    if (models.seen.length === 1) response.writeHead(503, { 'retry-after': '7' }).end('loading');
    else sendCompletion(response, ['At nine.']);
  };
  const reply = service.ask(query);
  (await take(7000)).wake();
  expect(await reply).toBe('At nine.');
  expect(models.seen).toHaveLength(2);

  models.answer = (response) => void response.writeHead(429).end('slow down');
  const second = service.ask(query);
  (await take(1000)).wake();
  expect(await second).toContain('overloaded');
  expect(models.seen).toHaveLength(4);
});

test('the service asks once more when the server hangs up without a response, then says so', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) => void response.destroy();
  expect(await service.ask(query)).toContain('could not be reached');
  expect(models.seen).toHaveLength(2);
});

test('the service ends an answer whose server does not, after two seconds', async () => {
  await using models = await startModelServer();
  const { sleep, take } = createManualSleep();
  await using service = await startWithModel(models, {}, { sleep });
  models.answer = (response) => {
    beginStream(response);
    sendDelta(response, 'At nine.');
    sendEvent(response, { choices: [{ delta: {}, finish_reason: 'stop' }] });
  };
  const reply = service.ask(query);
  (await take(2000)).wake();
  expect(await reply).toBe('At nine.');
  expect((await service.messages())[0]).toMatchObject({ finish_reason: 'stop' });
});

test('the time for the first text starts with the question, whatever else arrives', async () => {
  await using models = await startModelServer();
  const { sleep, take } = createManualSleep();
  const limits = { firstTextMs: 90_000, textMs: 30_000 };
  await using service = await startWithModel(models, {}, { sleep, limits });
  const opened = Promise.withResolvers<ServerResponse>();
  models.answer = (response) => {
    beginStream(response);
    sendEvent(response, { choices: [{ delta: { role: 'assistant', content: '' } }] });
    opened.resolve(response);
  };
  const reply = service.ask(query);
  const model = await opened.promise;
  const first = await take(90_000);
  expect(first.signal.aborted).toBe(false);
  sendDelta(model, 'At nine');
  (await take(30_000)).wake();
  expect(await reply).toMatch(/^At nine\n\nThe model took too long/);
  expect(first.signal.aborted).toBe(true);
});

test('the service gives up on a model that never begins', async () => {
  await using models = await startModelServer();
  const { sleep, take } = createManualSleep();
  await using service = await startWithModel(models, {}, { sleep });
  const asked = Promise.withResolvers<ServerResponse>();
  models.answer = asked.resolve;
  const reply = service.ask(query);
  const closed = once(await asked.promise, 'close');
  (await take(120_000)).wake();
  expect(await reply).toContain('took too long');
  await closed;
});

test('the service gives up on a model that stalls, not on one that is slow', async () => {
  await using models = await startModelServer();
  const { sleep, take } = createManualSleep();
  await using service = await startWithModel(models, {}, { sleep });
  const opened = Promise.withResolvers<ServerResponse>();
  models.answer = (response) => {
    beginStream(response);
    opened.resolve(response);
  };
  const reader = (await service.stream(query)).body?.getReader();
  const read = async () => new TextDecoder().decode((await reader?.read())?.value);
  const model = await opened.promise;
  sendDelta(model, 'At');
  expect(await read()).toBe('At');

  const first = await take(60_000);
  model.write(': still here\n\n');
  sendEvent(model, { choices: [{ delta: { reasoning_content: 'Hm.' } }] });
  const second = await take(60_000);
  expect(first.signal.aborted).toBe(true);
  first.wake();
  sendDelta(model, ' nine');
  expect(await read()).toBe(' nine');
  expect(second.signal.aborted).toBe(true);

  const closed = once(model, 'close');
  (await take(60_000)).wake();
  expect(await read()).toContain('took too long');
  await closed;
  const [message] = await service.messages();
  expect(message.response).toMatch(/^At nine\n\nThe model took too long/);
  expect(message.error_message).toContain('took too long');
});

test('a client that vanishes from its socket ends the model’s work', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const listener = getRequestListener((request) => service.service.fetch(request));
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const closed = Promise.withResolvers<void>();
  models.answer = (response) => {
    response.on('close', () => closed.resolve());
    beginStream(response);
    sendDelta(response, 'At ni');
  };
  const sent = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: `/api/v1/session/${service.session}/message/stream`,
    headers: { authorization: `Bearer ${annasKey}`, 'content-type': 'application/json' },
  });
  sent.on('error', () => undefined);
  sent.end(JSON.stringify({ query }));
  const [response] = await once(sent, 'response');
  await once(response, 'data');
  sent.destroy();
  await expect(closed.promise).resolves.toBeUndefined();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});
