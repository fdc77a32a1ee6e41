import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Extractor } from '../../src/service/ingestion/extract.ts';
import type { DatabasePlace } from '../../src/shared/stores/open-database.ts';
import { postgres, queryBeside } from '../fixtures/databases.ts';
import { type ModelServer, sendCompletion, startModelServer } from '../fixtures/model-server.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import {
  bertsKey,
  handbook,
  startTestService,
  type TestService,
  toForm,
  type UploadFile,
} from './fixture.ts';
import { ask, holdAnswers, key, readUntil, whole } from './keyed-asks.ts';
import { query } from './model/model-fixture.ts';

/** Reads the beginning of each file, and the rest when it is told to. */
function createGatedExtractor() {
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const aborted: string[] = [];
  const extractor: Extractor = {
    ...sharedExtractor,
    async *passages(file, signal) {
      // All at once, so that no reading process is held.
      const [first, ...rest] = await Array.fromAsync(sharedExtractor.passages(file, signal));
      if (first) yield first;
      begun.push(file.fileName);
      const end = once(signal, 'abort').then(() => void aborted.push(file.fileName));
      await Promise.race([gate.promise, end]);
      yield* rest;
    },
  };
  return { extractor, begun, aborted, goOn: () => gate.resolve() };
}

type Options = Parameters<typeof startTestService>[0];

async function startOn(place: DatabasePlace, options: Options = {}) {
  const service = await startTestService({ place, dataDir: createTemporaryFolder(), ...options });
  onTestFinished(() => service[Symbol.asyncDispose]());
  return service;
}

function file(name: string, content = `The ferry ${name} leaves at noon.`): UploadFile {
  return { name, content };
}

async function upload(service: TestService, chatbot: string, given: UploadFile, key?: string) {
  const headers = key === undefined ? undefined : { authorization: `Bearer ${key}` };
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const response = await service.fetch(path, { method: 'POST', body: toForm(given), headers });
  const { uuid } = (await response.json()) as { uuid: string };
  return uuid;
}

async function listStatuses(service: TestService, chatbot: string): Promise<string[]> {
  const { json } = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  return json.map(({ status }: { status: string }) => status);
}

const queryPlace = (place: DatabasePlace, statement: string) => queryBeside(place, statement);

const { createPlaces } = postgres;

describe.runIf(postgres.isInstalled)('two services on Postgres share what they ingest', () => {
  async function startPair() {
    const { service: place } = await createPlaces();
    const gates = [createGatedExtractor(), createGatedExtractor()] as const;
    const one = await startOn(place, { extractor: gates[0].extractor });
    const other = await startOn(place, { extractor: gates[1].extractor });
    const goOn = () => {
      for (const gate of gates) gate.goOn();
    };
    onTestFinished(goOn);
    const begun = () => gates.flatMap((gate) => gate.begun);
    return { place, one, other, gates, goOn, begun };
  }

  test('each source is read by one of them, and no owner fills both', async () => {
    const { one, other, gates, goOn, begun } = await startPair();
    const chatbot = await one.createChatbot();
    const names = Array.from({ length: 20 }, (_, at) => `${at}.md`);
    for (const [at, name] of names.entries()) {
      await upload(at % 2 === 0 ? one : other, chatbot, file(name));
    }
    await expect.poll(() => gates.every((gate) => gate.begun.length > 0)).toBe(true);
    const { json } = await one.post('/api/v1/chatbot/create', { name: 'Bert’s' }, bertsKey);
    await upload(one, json.uuid, file('bert.md'), bertsKey);
    // Anna has enough waiting for all readers.
    await expect.poll(begun).toContain('bert.md');
    expect(begun().length).toBeLessThan(names.length);
    goOn();
    await one.service.settled();
    expect(begun().toSorted()).toEqual([...names, 'bert.md'].toSorted());
    expect(new Set(await listStatuses(other, chatbot))).toEqual(new Set(['success']));
  });

  test('one that the other deletes ends soon', async () => {
    const { one, other, gates, goOn, begun } = await startPair();
    const chatbot = await one.createChatbot();
    const uuids = [
      await upload(one, chatbot, file('a.md')),
      await upload(one, chatbot, file('b.md')),
    ];
    await expect.poll(() => begun().length).toBe(2);
    for (const [at, gate] of gates.entries()) {
      const services = [one, other];
      for (const name of gate.begun) {
        const uuid = uuids[name === 'a.md' ? 0 : 1];
        await services[1 - at]?.post(`/api/v1/data-source/${uuid}/delete`);
      }
    }
    const aborted = () => gates.flatMap((gate) => gate.aborted).toSorted();
    await expect.poll(aborted).toEqual(['a.md', 'b.md']);
    goOn();
    await other.service.settled();
    expect(await listStatuses(one, chatbot)).toEqual([]);
  });

  test('a killed one’s source is read by the other, from its beginning', async () => {
    const { service: place } = await createPlaces();
    if (typeof place === 'string') throw new Error('The place is no server');
    const one = await startOn(place, { extractor: createGatedExtractor().extractor });
    const chatbot = await one.createChatbot();
    await upload(one, chatbot, handbook);
    const child = fork(new URL('held-service.ts', import.meta.url), [
      place.url,
      createTemporaryFolder(),
    ]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const begun = once(child, 'message');
    const exited = once(child, 'exit');
    await once(child, 'spawn');
    // The child gets what the first one gives back.
    await one[Symbol.asyncDispose]();
    await begun;
    const other = await startOn(place);
    child.kill('SIGKILL');
    await exited;
    expect(await listStatuses(other, chatbot)).toEqual(['embedding']);
    // Instead of the time after which a process counts as dead.
    await queryPlace(
      place,
      "UPDATE causeway_jobs.job SET heartbeat_on = now() - interval '1 minute'",
    );
    const statuses = async () => {
      await other.service.upkeep();
      return listStatuses(other, chatbot);
    };
    await expect.poll(statuses).toEqual(['success']);
    const states = await queryPlace(place, 'SELECT state FROM source_versions');
    expect(states.filter(({ state }) => state !== 'retired')).toEqual([{ state: 'live' }]);
  });

  test('one whose job was taken over publishes nothing', async () => {
    const { service: place } = await createPlaces();
    const gate = createGatedExtractor();
    const one = await startOn(place, { extractor: gate.extractor });
    const chatbot = await one.createChatbot();
    await upload(one, chatbot, handbook);
    await expect.poll(() => gate.begun).toHaveLength(1);
    // As another process takes it, which goes on with it.
    await queryPlace(place, 'UPDATE causeway_jobs.job SET retry_count = retry_count + 1');
    gate.goOn();
    await expect.poll(() => gate.aborted).toHaveLength(1);
    expect(await listStatuses(one, chatbot)).toEqual(['embedding']);
    expect(await queryPlace(place, "SELECT 1 FROM source_versions WHERE state = 'live'")).toEqual(
      [],
    );
  });

  test('one that starts leaves alone what the other is doing', async () => {
    const { service: place } = await createPlaces();
    await using models = await startModelServer();
    const gate = createGatedExtractor();
    const llm = { baseUrl: models.baseUrl, model: 'small' };
    const one = await startOn(place, { extractor: gate.extractor, llm });
    const answers = holdAnswers(models);
    const chatbot = await one.createChatbot();
    await upload(one, chatbot, handbook);
    await expect.poll(() => gate.begun).toHaveLength(1);
    const session = await one.createSession(chatbot);
    const path = `/api/v1/session/${session}/message/stream`;
    const reply = await one.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const reader = await readUntil(reply, 'At nine');
    const other = await startOn(place, { llm });
    await other.service.upkeep();
    answers.finish();
    gate.goOn();
    let rest = '';
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      rest += Buffer.from(next.value).toString();
    }
    expect(rest).toBe(' in the morning.');
    await other.service.settled();
    expect(await listStatuses(other, chatbot)).toEqual(['success']);
    expect(gate.begun).toHaveLength(1);
    const { json } = await other.get(`/api/v1/session/${session}/messages`);
    expect(json).toMatchObject([{ response: whole, error_message: '' }]);
  });

  test('one that can’t be stored for long is given up, and says so', async () => {
    const { service: place } = await createPlaces();
    const one = await startOn(place);
    await queryPlace(
      place,
      `
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'disk is full'; END $$`,
    );
    await queryPlace(
      place,
      `CREATE TRIGGER full_disk BEFORE UPDATE ON sources EXECUTE FUNCTION refuse()`,
    );
    const chatbot = await one.createChatbot();
    await upload(one, chatbot, handbook);
    const tries = () => queryPlace(place, "SELECT 1 FROM causeway_jobs.job WHERE state = 'retry'");
    await expect.poll(tries).toHaveLength(1);
    expect(await listStatuses(one, chatbot)).toEqual(['await']);
    await queryPlace(place, 'UPDATE causeway_jobs.job SET retry_limit = 0, start_after = now()');
    const failed = () =>
      queryPlace(place, "SELECT 1 FROM causeway_jobs.job WHERE state = 'failed'");
    await expect.poll(failed).toHaveLength(1);
    await queryPlace(place, 'DROP TRIGGER full_disk ON sources');
    const statuses = async () => {
      await one.service.upkeep();
      return listStatuses(one, chatbot);
    };
    await expect.poll(statuses).toEqual(['fail']);
    const { json } = await one.get(`/api/v1/chatbot/${chatbot}/data-sources`);
    expect(JSON.parse(json[0].meta_json)).toMatchObject({ error_code: 'source_failed' });
  });

  test('one whose connection breaks is tried again, also when it is read anew', async () => {
    const { service: place } = await createPlaces();
    const one = await startOn(place);
    const chatbot = await one.createChatbot();
    await queryPlace(
      place,
      `
      CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$`,
    );
    const breakOff = () =>
      queryPlace(
        place,
        'CREATE TRIGGER break_off BEFORE INSERT ON passages EXECUTE FUNCTION break_off()',
      );
    const tries = () => queryPlace(place, "SELECT 1 FROM causeway_jobs.job WHERE state = 'retry'");
    const tryAgain = async (service: TestService) => {
      await expect.poll(tries).toHaveLength(1);
      expect(await listStatuses(service, chatbot)).toEqual(['embedding']);
      await queryPlace(place, 'DROP TRIGGER break_off ON passages');
      await queryPlace(place, 'UPDATE causeway_jobs.job SET start_after = now()');
      await expect.poll(() => listStatuses(service, chatbot)).toEqual(['success']);
    };
    await breakOff();
    await upload(one, chatbot, handbook);
    await tryAgain(one);
    await queryPlace(place, 'UPDATE source_versions SET index_version = 0');
    await breakOff();
    await tryAgain(await startOn(place));
    const outdated = 'SELECT 1 FROM source_versions WHERE index_version = 0 AND state = $$live$$';
    expect(await queryPlace(place, outdated)).toEqual([]);
  });

  test('one that a bug ends is not tried again: it fails at once', async () => {
    const { service: place } = await createPlaces();
    const extractor: Extractor = {
      ...sharedExtractor,
      passages() {
        throw new TypeError('There is a bug.');
      },
    };
    const one = await startOn(place, { extractor });
    const chatbot = await one.createChatbot();
    await upload(one, chatbot, handbook);
    await one.service.settled();
    expect(await listStatuses(one, chatbot)).toEqual(['fail']);
  });

  test('a source without a job gets one', async () => {
    const { service: place } = await createPlaces();
    const gate = createGatedExtractor();
    const one = await startOn(place, { extractor: gate.extractor });
    const chatbot = await one.createChatbot();
    await upload(one, chatbot, handbook);
    await expect.poll(() => gate.begun).toHaveLength(1);
    await queryPlace(place, 'DELETE FROM causeway_jobs.job');
    await expect.poll(() => gate.aborted).toHaveLength(1);
    gate.goOn();
    const statuses = async () => {
      await one.service.upkeep();
      return listStatuses(one, chatbot);
    };
    await expect.poll(statuses).toEqual(['success']);
  });

  test('the first key is created once', async () => {
    const { service: place } = await createPlaces();
    const services = await Promise.all([startOn(place), startOn(place)]);
    const keys = await Promise.all(services.map(({ service }) => service.ensureFirstKey()));
    expect(keys.filter((key) => key !== undefined)).toHaveLength(1);
  });
});

describe.runIf(postgres.isInstalled)('two services on Postgres share replies', () => {
  async function startPair(models: ModelServer) {
    const { service: place } = await createPlaces();
    const options = { llm: { baseUrl: models.baseUrl, model: 'small' } };
    const one = await startOn(place, options);
    const other = await startOn(place, options);
    const chatbot = await one.createChatbot();
    const session = await one.createSession(chatbot);
    const read = async () => (await other.get(`/api/v1/session/${session}/messages`)).json;
    return { place, one, other, chatbot, session, read };
  }

  test('one is followed where it was not asked, to its end', async () => {
    await using models = await startModelServer();
    const { one, other, session, read } = await startPair(models);
    const answers = holdAnswers(models);
    const asked = await ask(one, session);
    const reader = await readUntil(asked, 'At nine');
    const followed = await readUntil(await ask(other, session), 'At nine');
    answers.finish();
    let rest = '';
    for (let next = await followed.read(); !next.done; next = await followed.read()) {
      rest += Buffer.from(next.value).toString();
    }
    expect(rest).toBe(' in the morning.');
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(' in the morning.');
    expect(models.seen).toHaveLength(1);
    expect(await read()).toMatchObject([{ query, response: whole, finish_reason: 'stop' }]);
  });

  test('one is stopped where it was not asked', async () => {
    await using models = await startModelServer();
    const { one, other, session, read } = await startPair(models);
    holdAnswers(models);
    const reader = await readUntil(await ask(one, session), 'At nine');
    await expect.poll(async () => (await read())[0].response).toBe('At nine');
    const path = `/api/v1/session/${session}/message/stop`;
    expect((await other.post(path, { idempotency_key: key })).json).toEqual({ success: true });
    await expect(reader.read()).rejects.toThrow('was ended');
    expect(await (await ask(one, session)).text()).toBe('At nine');
    expect(await (await ask(other, session)).text()).toBe('At nine');
    expect(models.seen).toHaveLength(1);
  });

  test('one whose session the other deletes ends', async () => {
    await using models = await startModelServer();
    const { one, other, session, read } = await startPair(models);
    const { held } = holdAnswers(models);
    const reader = await readUntil(await ask(one, session), 'At nine');
    await expect.poll(async () => (await read())[0].response).toBe('At nine');
    const closed = once(held[0] ?? fail(), 'close');
    await other.post(`/api/v1/session/${session}/delete`);
    await expect(reader.read()).rejects.toThrow('was ended');
    await closed;
  });

  test('one that a stopping service leaves is continued by the other', async () => {
    await using models = await startModelServer();
    const { one, other, session, read } = await startPair(models);
    const answers = holdAnswers(models);
    const reader = await readUntil(await ask(one, session), 'At nine');
    const stopping = one[Symbol.asyncDispose]();
    await expect(reader.read()).rejects.toThrow('The service is stopping');
    await stopping;
    answers.finish();
    expect(await (await ask(other, session)).text()).toBe(whole);
    expect(await read()).toMatchObject([{ response: whole, finish_reason: 'stop' }]);
  });

  test('one whose service has died is generated anew by the other, and left by the first', async () => {
    await using models = await startModelServer();
    const { place, one, other, session, read } = await startPair(models);
    holdAnswers(models);
    const reader = await readUntil(await ask(one, session), 'At nine');
    // The first one would soon say that it goes on.
    await queryPlace(place, "UPDATE messages SET generator = 'a dead one', generates_until_ms = 0");
    models.answer = (response) => sendCompletion(response, ['At ten.']);
    expect(await (await ask(other, session)).text()).toBe('At ten.');
    await expect(reader.read()).rejects.toThrow('another process');
    expect(await read()).toMatchObject([{ response: 'At ten.', finish_reason: 'stop' }]);
  });
});

function fail(): never {
  throw new Error('The model was not asked');
}
