import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { ServiceOptions } from '../../src/service/service.ts';
import { copiedTables } from '../../src/service/store/copied-tables.ts';
import type { DatabasePlace } from '../../src/shared/stores/open-database.ts';
import { databases, queryBeside } from '../fixtures/databases.ts';
import { addKey, createKeys, createOwners } from '../../src/service/keys.ts';
import { createQuota } from '../../src/service/quota.ts';
import { createReplies } from '../../src/service/replies/replies.ts';
import type { Store } from '../../src/service/store/store.ts';
import { createEmbedding } from '../../src/service/ingestion/embedding.ts';
import { createRandom } from '../bench/judge/random.ts';
import { addSource } from '../fixtures/add-source.ts';
import { silentLog } from '../fixtures/log.ts';
import { othersGoOn } from '../fixtures/memory-store.ts';
import { openYieldingStore } from '../fixtures/yielding-database.ts';
import { handbook, startTestService, type TestService, toJsonPost } from './fixture.ts';
import { createGate } from './gate.ts';
import { startWebsite } from './website.ts';

/*
 * What becomes of things that are changed, used and deleted at once, on a store that lets others go on
 * after each query.
 */

/** Begins all operations, each some turns after the one before. */
async function atOnce<Result>(seed: number, operations: (() => Promise<Result>)[]) {
  const random = createRandom(seed);
  const results: Promise<Result>[] = [];
  for (const operation of operations) {
    results.push(operation());
    for (let turns = random.whole(0, 12); turns > 0; turns -= 1) await othersGoOn();
  }
  return Promise.all(results);
}

/** Reads the database beside the service. */
const read = ({ place }: TestService, statement: string) => queryBeside(place, statement);

/** How many rows each table has, except those of owners and keys. */
async function countRows(service: TestService) {
  const tables = copiedTables.filter(({ name }) => !['owners', 'keys'].includes(name));
  const counts = tables.map(
    ({ name }) => `SELECT '${name}' AS name, count(*) AS rows FROM ${name}`,
  );
  const found = await read(service, counts.join(' UNION ALL '));
  const kept = found.filter(({ rows }) => Number(rows) > 0);
  return Object.fromEntries(kept.map(({ name, rows }) => [String(name), Number(rows)]));
}

const ask = (service: TestService, session: string, query: string, fields = {}) =>
  service.post(`/api/v1/session/${session}/message/non-stream`, { query, ...fields });

const upload = (service: TestService, chatbot: string, file = handbook) =>
  service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, file);

describe.each(databases)('on $name', ({ createPlaces, seeds }) => {
  async function start(seed: number, options: Partial<ServiceOptions> = {}): Promise<TestService> {
    const place = options.place ?? (await createPlaces()).service;
    const openStore = (at: DatabasePlace) => openYieldingStore(at, seed);
    return startTestService({ openStore, ...options, place });
  }

  const openStore = async (seed: number) => openYieldingStore((await createPlaces()).service, seed);

  test.each(seeds)(
    'a chatbot that is deleted while it is used leaves nothing (%i)',
    async (seed) => {
      await using service = await start(seed);
      const chatbot = await service.createChatbot();
      const session = await service.createSession(chatbot);
      const { json: agents } = await service.get(`/api/v1/chatbot/${chatbot}/agents`);
      const { json: document } = await service.upload('/api/v1/session-document/upload', handbook);
      await upload(service, chatbot);
      await service.service.settled();
      const of = `/api/v1/chatbot/${chatbot}`;
      const question = { question: 'When does it open?', answer: 'At nine.' };
      const answers = await atOnce(seed, [
        () => upload(service, chatbot, { ...handbook, name: 'second.md' }),
        () =>
          ask(service, session, 'When does it open?', { session_document_uuids: [document.uuid] }),
        () => service.delete(`${of}/delete`),
        () => ask(service, session, 'What does it cost?'),
        () => service.post(`${of}/data-source/qa`, question),
        () => service.post(`${of}/session/create`),
        () => service.post(`${of}/agent/create`, { name: 'A', type: 'background' }),
        () => service.post(`/api/v1/agent/${agents[0].uuid}/update`, { name: 'B' }),
        () => service.post(`${of}/source-tag/create`, { name: 'T', color: '#112233' }),
        () => upload(service, chatbot, { ...handbook, name: 'third.md' }),
        () =>
          service.post(`${of}/data-source/qa`, { ...question, question: 'And when on Sundays?' }),
        () => ask(service, session, 'Who built it?'),
      ]);
      await service.service.settled();
      await service.service.upkeep();
      const failures = answers.filter(({ status }) => status !== 404 && status >= 300);
      expect(failures.map(({ text }) => text)).toEqual([]);
      // A document that no session has come to know stays for a day.
      const { session_documents: documents = 0, ...rows } = await countRows(service);
      expect(rows).toEqual({});
      const [owner] = await read(service, 'SELECT sum(bytes) AS bytes FROM owners');
      expect(Number(owner?.['bytes']) > 0).toBe(documents > 0);
    },
  );

  test.each(seeds)('a session that is deleted ends every reply in it (%i)', async (seed) => {
    const { sleep } = createGate();
    await using service = await start(seed, { pace: { sleep } });
    const chatbot = await service.createChatbot();
    await upload(service, chatbot);
    await service.service.settled();
    const session = await service.createSession(chatbot);
    const stream = (query: string) =>
      service.post(`/api/v1/session/${session}/message/stream`, { query });
    const answers = await atOnce(seed, [
      () => stream('When does it open?'),
      () => stream('What does it cost?'),
      () => service.post(`/api/v1/session/${session}/delete`),
      () => stream('Who built it?'),
      () => stream('And when?'),
    ]);
    expect(answers.filter(({ status }) => status !== 404 && status >= 300)).toEqual([]);
    const { messages = 0, sessions = 0 } = await countRows(service);
    expect([messages, sessions]).toEqual([0, 0]);
  });

  test.each(seeds)('a reply that is stopped as it ends is one or the other (%i)', async (seed) => {
    const { service: place } = await createPlaces();
    let session = '';
    let stored: unknown;
    {
      await using service = await start(seed, { place });
      const chatbot = await service.createChatbot();
      await upload(service, chatbot);
      await service.service.settled();
      session = await service.createSession(chatbot);
      const stop = new AbortController();
      const query = toJsonPost({ query: 'When does the lighthouse open?' });
      const path = `/api/v1/session/${session}/message/stream`;
      const response = await service.fetch(path, { ...query, signal: stop.signal });
      const reading = response.text().catch(() => '');
      for (let turns = createRandom(seed).whole(0, 60); turns > 0; turns -= 1) await othersGoOn();
      stop.abort();
      await reading;
    }
    {
      await using service = await startTestService({ place });
      stored = (await service.get(`/api/v1/session/${session}/messages`)).json;
    }
    expect(stored).toHaveLength(1);
    const [{ finish_reason, error_message, meta_json }] = stored as [Record<string, string>];
    const { interrupted = false } = JSON.parse(meta_json ?? '') as { interrupted?: boolean };
    expect([finish_reason, interrupted]).toBeOneOf([
      ['stop', false],
      ['', true],
    ]);
    expect(error_message).toBe('');
  });

  test.each(seeds)(
    'messages that are deleted while they are answered are gone (%i)',
    async (seed) => {
      await using service = await start(seed);
      const chatbot = await service.createChatbot();
      await upload(service, chatbot);
      await service.service.settled();
      const session = await service.createSession(chatbot);
      const asked = [1, 2].map(() => ask(service, session, 'When does it open?'));
      const listed: { uuid: string }[] = [];
      while (listed.length < 2) {
        listed.splice(0, 2, ...(await service.get(`/api/v1/session/${session}/messages`)).json);
      }
      const uuids = listed.map(({ uuid }) => uuid);
      const remove = () => service.post('/api/v1/messages/delete', { uuids });
      const deleted = await atOnce(seed, [remove, remove]);
      expect(
        deleted
          .map(({ status }) => String(status))
          .toSorted()
          .join(),
      ).toBe('200,404');
      await Promise.all(asked);
      await service.service.upkeep();
      expect((await countRows(service))['messages'] ?? 0).toBe(0);
    },
  );

  test.each(seeds)(
    'a session that is used as it becomes too old keeps the message, or is gone (%i)',
    async (seed) => {
      let now = 1_000_000;
      await using service = await start(seed, { now: () => now, retentionMs: 1000 });
      const session = await service.createSession(await service.createChatbot());
      const fields = { pre_canned_response: 'Yes.' };
      for (let at = 0; at < 9; at += 1) await ask(service, session, 'Still here?', fields);
      now += 2000;
      const [, answer] = await atOnce<{ status: number } | void>(seed, [
        () => service.service.upkeep(),
        () => ask(service, session, 'And now?', fields),
      ]);
      expect(answer?.status).toBeOneOf([200, 404]);
      const { json } = await service.get(`/api/v1/session/${session}/messages`);
      const kept =
        answer?.status === 200 ? json.at(-1).query : (await countRows(service))['messages'];
      expect(kept).toBe(answer?.status === 200 ? 'And now?' : undefined);
    },
  );

  test.each(seeds)(
    'a source that is renamed while it is read keeps its name (%i)',
    async (seed) => {
      await using service = await start(seed);
      const chatbot = await service.createChatbot();
      const { json } = await upload(service, chatbot);
      for (let turns = createRandom(seed).whole(0, 40); turns > 0; turns -= 1) await othersGoOn();
      await service.post(`/api/v1/data-source/${json.uuid}/update`, { title: 'Our lighthouse' });
      await service.service.settled();
      const named = { title: 'Our lighthouse' };
      expect(await read(service, 'SELECT title FROM sources')).toEqual([named]);
      const live = "SELECT title FROM source_versions WHERE state = 'live'";
      expect(await read(service, live)).toEqual([named]);
    },
  );

  test.each(seeds)(
    'a link that is fetched again while it is read has one version (%i)',
    async (seed) => {
      await using site = await startWebsite();
      await using service = await start(seed, { allowPrivateAddresses: true });
      const chatbot = await service.createChatbot();
      const path = `/api/v1/chatbot/${chatbot}/data-source/url`;
      const { json } = await service.post(path, { url: `${site.url}/page` });
      const fetchAgain = () =>
        service.post('/api/v1/data-sources/url/re-scrape', { uuids: [json.uuid] });
      await atOnce(seed, [
        fetchAgain,
        fetchAgain,
        () => service.post(`/api/v1/data-source/${json.uuid}/update`, { title: 'The new mill' }),
        fetchAgain,
      ]);
      await service.service.settled();
      await service.service.upkeep();
      expect(await read(service, 'SELECT status, title FROM sources')).toEqual([
        { status: 'success', title: 'The new mill' },
      ]);
      const versions = await read(service, 'SELECT state, title FROM source_versions');
      expect(versions).toEqual([{ state: 'live', title: 'The new mill' }]);
      const orphans =
        'SELECT * FROM postings WHERE version NOT IN (SELECT number FROM source_versions)';
      expect(await read(service, orphans)).toEqual([]);
    },
  );

  test.each(seeds)('changes of one agent and one tag are all kept (%i)', async (seed) => {
    await using service = await start(seed);
    const chatbot = await service.createChatbot();
    const { json: agents } = await service.get(`/api/v1/chatbot/${chatbot}/agents`);
    const tags = `/api/v1/chatbot/${chatbot}/source-tag`;
    const { json: tag } = await service.post(`${tags}/create`, { name: 'T', color: '#112233' });
    const agent = (changes: object) =>
      service.post(`/api/v1/agent/${agents[0].uuid}/update`, changes);
    const change = (changes: object) =>
      service.post(`/api/v1/source-tag/${tag.uuid}/update`, changes);
    await atOnce(seed, [
      () => agent({ name: 'Keeper' }),
      () => change({ name: 'Towers' }),
      () => agent({ prompt: 'Be brief.' }),
      () => change({ color: '#445566' }),
      () => agent({ default_message: 'No.' }),
    ]);
    const { json: after } = await service.get(`/api/v1/agent/${agents[0].uuid}`);
    expect(after).toMatchObject({ name: 'Keeper', prompt: 'Be brief.' });
    expect(after.meta.default_message).toBe('No.');
    const { json: shown } = await service.get(`${tags}s`);
    expect(shown[0]).toMatchObject({ name: 'Towers', color: '#445566' });
  });

  test.each(seeds)(
    'a document that two sessions name at once belongs to the first (%i)',
    async (seed) => {
      await using service = await start(seed);
      const chatbot = await service.createChatbot();
      const sessions = [await service.createSession(chatbot), await service.createSession(chatbot)];
      const { json } = await service.upload('/api/v1/session-document/upload', handbook);
      const fields = { session_document_uuids: [json.uuid] };
      await atOnce(
        seed,
        [...sessions, ...sessions].map((session) => () => ask(service, session, 'When?', fields)),
      );
      const [first] = await read(service, 'SELECT session FROM messages ORDER BY id');
      expect(await read(service, 'SELECT session FROM session_documents')).toEqual([first]);
    },
  );

  test.each(seeds)('vectors have one length when the model changes it (%i)', async (seed) => {
    await using store = await openStore(seed);
    const passages = Array.from({ length: 70 }, (_, at) => {
      return { text: `Passage ${at}`, headings: [], start: at, end: at + 1, tokens: 1 };
    });
    const versions: number[] = [];
    for (const uuid of ['one', 'two']) {
      const source = { uuid, title: uuid, file_name: '', type: 'upload' };
      await addSource(store, 'bot', source, passages);
      versions.push((await store.passages.liveVersion(uuid)) ?? 0);
    }
    let calls = 0;
    await using embedding = createEmbedding({
      store,
      embedder: {
        model: 'tiny',
        async embed(texts) {
          calls += 1;
          const length = calls > 3 ? 3 : 2;
          await othersGoOn();
          return texts.map(() => new Float32Array(length).fill(0.5));
        },
        embedQuery: async () => undefined,
      },
      log: silentLog,
      sleep: createGate().sleep,
    });
    const { signal } = new AbortController();
    const drafts = versions.map((version) => ({ source: `of ${version}`, version }));
    await Promise.all(drafts.map((draft) => embedding.embedDraft(draft, signal)));
    await embedding.settled();
    const vector = new Float32Array(3).fill(0.5);
    const found = await store.similar.search({ model: 'tiny', vector }, { chatbot: 'bot' }, 400);
    const missing = await Promise.all(
      versions.map((version) => store.vectors.listMissing(version, 'tiny', 400)),
    );
    // What is missing is known to be, so that it is embedded later.
    expect((found?.length ?? 0) + missing.flat().length).toBe(2 * passages.length);
  });

  test.each(seeds)(
    'a key that is used while its last use is stored is not forgotten (%i)',
    async (seed) => {
      await using store = await openStore(seed);
      let now = 1;
      const owners = createOwners(store.owners, () => now);
      const keys = await createKeys({ store: store.keys, owners, now: () => now }, [], silentLog);
      const key = await keys.ensureFirst();
      const use = () => keys.findOwner(`Bearer ${key}`);
      await use();
      now = 2;
      await Promise.all([keys.storeUses(), use()]);
      await keys.storeUses();
      expect(await store.keys.list()).toMatchObject([{ lastUsedMs: 2 }]);
    },
  );

  test('a key that is revoked twice was revoked the first time', async () => {
    await using store = await openStore(1);
    const owners = createOwners(store.owners, () => 0);
    await addKey({ store: store.keys, owners, now: () => 0 }, { owner: 'anna', name: '' });
    const [key] = await store.keys.list();
    for (const ms of [1, 2]) await store.keys.revoke(key?.hash ?? new Uint8Array(), ms);
    expect(await store.keys.list()).toMatchObject([{ revokedMs: 1 }]);
  });

  test.each(seeds)(
    'passages that are deleted while they are written leave nothing (%i)',
    async (seed) => {
      const { service: place } = await createPlaces();
      await using store = await openYieldingStore(place, seed);
      const source = { uuid: 'one', title: 'One', file_name: '', type: 'upload' };
      const draft = await store.drafts.begin('bot', source);
      const { signal } = new AbortController();
      const write = async () => {
        for (let at = 0; at < 8; at += 1) {
          const passage = { text: `Word${at}`, headings: [], start: at, end: at + 1, tokens: 1 };
          await draft.add([passage]).catch(() => undefined);
        }
        await draft.finish();
      };
      await Promise.allSettled([
        write(),
        (async () => {
          for (let turns = createRandom(seed).whole(0, 12); turns > 0; turns -= 1)
            await othersGoOn();
          await store.passages.remove('one');
          await store.passages.deleteHidden(signal);
        })(),
      ]);
      await store.passages.deleteHidden(signal);
      for (const table of ['source_versions', 'passages', 'postings', 'corpora']) {
        const rows = await queryBeside(place, `SELECT * FROM ${table}`);
        expect([table, rows]).toEqual([table, []]);
      }
    },
  );

  /** A chatbot and a session for tests below the API. */
  async function addSession(store: Store) {
    const times = { createdMs: 0, modifiedMs: 0 };
    const owner = await createOwners(store.owners, () => 0).named();
    const limits = { rateMessages: 9, rateSeconds: 9, rateLimitMessage: '' };
    const shown = { showCitations: true, visibility: 'private' };
    const chatbot = { uuid: 'bot', owner, name: 'Bot', ...limits, ...shown, ...times };
    const session = { uuid: 'session', chatbot: 'bot', variables: {}, learned: {}, ...times };
    await store.chatbots.insert(chatbot);
    await store.sessions.insert(session);
    return { chatbot, session };
  }

  test.each(seeds)('a reply that several stop at once ends once (%i)', async (seed) => {
    await using store = await openStore(seed);
    const { chatbot, session } = await addSession(store);
    let ended = 0;
    async function* answer(signal: AbortSignal): AsyncGenerator<string, never> {
      yield 'At nine. ';
      if (!signal.aborted) await once(signal, 'abort');
      throw signal.reason;
    }
    const answers = {
      historyTurns: 1,
      begin: async (_: unknown, signal: AbortSignal) => ({ meta: {}, deltas: answer(signal) }),
    };
    await using replies = createReplies({
      store,
      quota: createQuota(store, 1_000_000),
      answers,
      generator: 'here',
      graceMs: 0,
      onEnd: async () => void (ended += 1),
      log: silentLog,
      now: () => 1,
    });
    const leaving = new AbortController();
    const documents = { remembered: [], added: [] };
    const turn = { chatbot, session, query: 'When?', isWatched: true, documents };
    const reply = await replies.start(turn, leaving.signal);
    const reading = seed % 2 === 0 ? Array.fromAsync(reply.deltas) : undefined;
    for (let turns = createRandom(seed).whole(0, 12); turns > 0; turns -= 1) await othersGoOn();
    replies.end({ session: 'session' });
    leaving.abort();
    replies.end({ chatbot: 'bot' });
    await reply.leave();
    await reading;
    expect(ended).toBe(1);
    const stored = await Array.fromAsync(store.messages.each('session', {}));
    expect(stored).toMatchObject([{ finishReason: '', meta: { interrupted: true } }]);
  });

  test('a source that has new passages while others are embedded keeps their state', async () => {
    await using store = await openStore(1);
    await addSession(store);
    const source = { uuid: 'one', title: 'One', file_name: '', type: 'upload' };
    const passage = { text: 'Text', headings: [], start: 0, end: 4, tokens: 1 };
    const usual = { title: 'One', titleIsGiven: true, fileName: '', fileSize: 0, contentType: '' };
    const state = { tokens: 1, status: 'success' as const, createdMs: 0, modifiedMs: 0 };
    const row = { uuid: 'one', chatbot: 'bot', type: 'upload' as const, identity: null };
    await store.sources.insert({ ...row, ...usual, ...state, meta: {} });
    await addSource(store, 'bot', source, [passage]);
    const next = { embedded: { passages: 2, vectors: 0, refused: 0 } };
    await using embedding = createEmbedding({
      store,
      embedder: {
        model: 'tiny',
        async embed(texts) {
          await addSource(store, 'bot', source, [passage, passage]);
          await store.sources.update('one', { meta: next });
          return texts.map(() => Float32Array.from([1, 0]));
        },
        embedQuery: async () => undefined,
      },
      log: silentLog,
      sleep: createGate().sleep,
    });
    embedding.wake();
    await embedding.settled();
    expect((await store.sources.find('one'))?.meta).toEqual(next);
  });
});
