import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { ServiceOptions } from '../../src/service/service.ts';
import {
  type ModelServer,
  sendCompletion,
  sendDelta,
  startModelServer,
} from '../fixtures/model-server.ts';
import { createDataDir, startTestService } from './fixture.ts';
import { ask, holdAnswers, key, readUntil, whole } from './keyed-asks.ts';
import { query, startWithModel } from './model/model-fixture.ts';

test('a query that is sent again gives the reply it has: while it runs, and once it is whole', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models, { rate_limit: [1, 240] });
  const { session } = service;
  const answers = holdAnswers(models);
  const first = await ask(service, session);
  expect(first.headers.get('idempotency-key')).toBe(key);
  const again = await ask(service, session);
  const reader = await readUntil(again, 'At nine');
  answers.finish();
  expect(await first.text()).toBe(whole);
  let rest = '';
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    rest += Buffer.from(next.value).toString();
  }
  expect(rest).toBe(' in the morning.');
  expect(await (await ask(service, session)).text()).toBe(whole);
  expect(models.seen).toHaveLength(1);
  expect(await service.messages()).toMatchObject([
    { query, response: whole, finish_reason: 'stop' },
  ]);
});

test('with a key, a reply goes on when its reader leaves, and without one it ends', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const answers = holdAnswers(models);
  await (await readUntil(await service.stream(query), 'At nine')).cancel();
  await once(answers.held[0] ?? fail(), 'close');
  expect(await service.messages()).toMatchObject([{ response: 'At nine', finish_reason: '' }]);
  answers.held.length = 0;
  await (await readUntil(await ask(service, service.session), 'At nine')).cancel();
  answers.finish();
  expect(await (await ask(service, service.session)).text()).toBe(whole);
  expect(models.seen).toHaveLength(2);
});

test('a failed reply fails alike when it is asked for again', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) => void response.writeHead(500).end();
  const failed = await (await ask(service, service.session)).text();
  expect(failed).toContain('server failed');
  models.answer = (response) => sendCompletion(response, [whole]);
  expect(await (await ask(service, service.session)).text()).toBe(failed);
  expect(await (await ask(service, service.session, query, 'turn-2')).text()).toBe(whole);
});

test('a key is refused for another query, and if it can’t be one', async () => {
  await using service = await startTestService();
  const session = await service.createSession(await service.createChatbot());
  await (await ask(service, session)).text();
  const other = await ask(service, session, 'Who?');
  expect(other.status).toBe(422);
  expect(await other.json()).toMatchObject({ code: 'idempotency_key_taken' });
  for (const wrong of ['', 'a b', 'x'.repeat(256)]) {
    const refused = await ask(service, session, query, wrong);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: 'idempotency_key_invalid' });
  }
  const elsewhere = await service.createSession(await service.createChatbot());
  expect((await ask(service, elsewhere, 'Who?')).status).toBe(200);
});

test('a stopped reply keeps its text, and is given so again', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const { session } = service;
  holdAnswers(models);
  const response = await ask(service, session);
  const reader = await readUntil(response, 'At nine');
  const stop = () =>
    service.post(`/api/v1/session/${session}/message/stop`, { idempotency_key: key });
  expect((await stop()).json).toEqual({ success: true });
  expect((await reader.read()).done).toBe(true);
  expect(await (await ask(service, session)).text()).toBe('At nine');
  expect((await stop()).status).toBe(200);
  const [message] = await service.messages();
  expect(JSON.parse(message.meta_json)).toMatchObject({ interrupted: true });
  expect(models.seen).toHaveLength(1);
});

/** Two services in turn on one folder; the second one begins while the first one still answers. */
async function startPair(models: ModelServer, options: Partial<ServiceOptions> = {}) {
  const dataDir = await createDataDir();
  const given = { ...options, dataDir };
  const first = await startWithModel(models, {}, given);
  return {
    dataDir,
    first,
    startSecond: () =>
      startTestService({ ...given, llm: { baseUrl: models.baseUrl, model: 'small' } }),
    [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true }),
  };
}

test('an orderly stop leaves a reply to be continued in its row', async () => {
  await using models = await startModelServer();
  await using pair = await startPair(models);
  const { first } = pair;
  const answers = holdAnswers(models);
  const reader = await readUntil(await ask(first, first.session), 'At nine');
  const stopping = first[Symbol.asyncDispose]();
  await expect(reader.read()).rejects.toThrow('The service is stopping');
  await stopping;
  await using second = await pair.startSecond();
  const { json } = await second.get(`/api/v1/session/${first.session}/messages`);
  expect(json).toMatchObject([{ response: 'At nine', finish_reason: '', error_message: '' }]);
  answers.finish();
  expect(await (await ask(second, first.session)).text()).toBe(whole);
  const { json: after } = await second.get(`/api/v1/session/${first.session}/messages`);
  expect(after).toMatchObject([{ uuid: json[0].uuid, response: whole, finish_reason: 'stop' }]);
});

test('a reply whose process is taken for dead is generated anew, and that process leaves it', async () => {
  await using models = await startModelServer();
  await using pair = await startPair(models);
  const answers = holdAnswers(models);
  await using first = pair.first;
  const reader = await readUntil(await ask(first, first.session), 'At nine');
  await using second = await pair.startSecond();
  models.answer = (response) => sendCompletion(response, ['At ten', ' in the evening.']);
  expect(await (await ask(second, first.session)).text()).toBe('At ten in the evening.');
  sendDelta(answers.held[0] ?? fail(), ', says the first');
  expect((await reader.read()).done).toBe(false);
  await expect(reader.read()).rejects.toThrow('generated by another process');
  expect(await first.messages()).toMatchObject([
    { response: 'At ten in the evening.', finish_reason: 'stop' },
  ]);
});

test('what happens after a turn happens once, however often its reply was asked for and generated', async () => {
  await using models = await startModelServer();
  await using pair = await startPair(models);
  await using first = pair.first;
  const tags = [{ name: 'Angry', criteria: 'The user shouts', color: '#ff0000' }];
  await first.addAgent({ name: 'Sorter', type: 'background', tags });
  const answers = holdAnswers(models);
  const reader = await readUntil(await ask(first, first.session), 'At nine');
  await using second = await pair.startSecond();
  models.answer = (response) => sendCompletion(response, ['{"labels": ["Angry"]}']);
  await (await ask(second, first.session)).text();
  await second.service.settled();
  expect(models.seen).toHaveLength(3);
  await (await ask(second, first.session)).text();
  // The first process does not know yet that another one has generated its reply.
  const [held] = answers.held;
  held?.end('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
  await reader.closed.catch(() => {});
  await first.service.settled();
  await second.service.settled();
  expect(models.seen).toHaveLength(3);
  expect(await first.messages()).toMatchObject([{ labels: ['Angry'] }]);
});

test('a reply that another process generates is followed as it is stored', async () => {
  await using service = await startTestService();
  const session = await service.createSession(await service.createChatbot());
  await (await ask(service, session)).text();
  using database = new DatabaseSync(join(service.dataDir, 'service.sqlite'));
  const edit = (sql: string, ...values: (string | number)[]) =>
    database.prepare(`UPDATE messages SET ${sql}`).run(...values);
  const soon = Date.now() + 60_000;
  edit(
    "is_done = 0, finish_reason = '', response = 'At', generator = 'x', generates_until_ms = ?",
    soon,
  );
  const reader = await readUntil(await ask(service, session), 'At');
  edit("response = 'At nine'");
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(' nine');
  edit("is_done = 1, finish_reason = 'stop', response = 'At nine.'");
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('.');
  expect((await reader.read()).done).toBe(true);
});

test('a followed reply breaks off when its process has died, so that its reader asks again', async () => {
  await using service = await startTestService();
  const session = await service.createSession(await service.createChatbot());
  const answered = await (await ask(service, session)).text();
  using database = new DatabaseSync(join(service.dataDir, 'service.sqlite'));
  const edit = (sql: string, ...values: number[]) =>
    database.prepare(`UPDATE messages SET ${sql}`).run(...values);
  const soon = Date.now() + 60_000;
  edit(
    "is_done = 0, finish_reason = '', response = 'At', generator = 'x', generates_until_ms = ?",
    soon,
  );
  const reader = await readUntil(await ask(service, session), 'At');
  edit('generates_until_ms = 0');
  await expect(reader.read()).rejects.toThrow('broke off');
  expect(await (await ask(service, session)).text()).toBe(answered);
});

test('a reply whose end can’t be stored is given whole, and is stored once that works', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const answers = holdAnswers(models);
  const reply = await ask(service, service.session);
  using database = new DatabaseSync(join(service.dataDir, 'service.sqlite'));
  database.exec(
    "CREATE TRIGGER full BEFORE UPDATE OF is_done ON messages BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
  );
  answers.finish();
  expect(await reply.text()).toBe(whole);
  expect(await (await ask(service, service.session)).text()).toBe(whole);
  const isDone = () => database.prepare('SELECT is_done FROM messages').get()?.['is_done'];
  expect(isDone()).toBe(0);
  database.exec('DROP TRIGGER full');
  await expect.poll(isDone).toBe(1);
  expect(models.seen).toHaveLength(1);
  expect(await service.messages()).toMatchObject([{ response: whole, finish_reason: 'stop' }]);
});

test('a reply that nobody asks for again is closed after an hour', async () => {
  let now = Date.now();
  await using models = await startModelServer();
  await using pair = await startPair(models, { now: () => now });
  const { first } = pair;
  holdAnswers(models);
  await (await readUntil(await ask(first, first.session), 'At nine')).cancel();
  await first[Symbol.asyncDispose]();
  await using second = await pair.startSecond();
  const read = async () => (await second.get(`/api/v1/session/${first.session}/messages`)).json;
  now += 59 * 60_000;
  await second.service.upkeep();
  expect(await read()).toMatchObject([{ error_message: '' }]);
  now += 2 * 60_000;
  await second.service.upkeep();
  expect(await read()).toMatchObject([
    { response: 'At nine', error_message: 'The service stopped while it was answering.' },
  ]);
});

function fail(): never {
  throw new Error('The model was not asked');
}
