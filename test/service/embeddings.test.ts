import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ServerResponse } from 'node:http';
import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { serviceMigrations, type ServiceTables } from '../../src/service/store/schema.ts';
import { createStore, type Store } from '../../src/service/store/store.ts';
import { type DatabasePlace, openDatabase } from '../../src/shared/stores/open-database.ts';
import { silentLog } from '../fixtures/log.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import type { ServiceOptions } from '../../src/service/service.ts';
import { createDataDir, startTestService, type TestService } from './fixture.ts';
import { createManualSleep } from './manual-sleep.ts';
import { type ModelServer, sendEmbeddings, startModelServer } from '../fixtures/model-server.ts';

/** Words that mean the same: each group is a dimension. */
const meanings = [
  ['car', 'automobile', 'vehicle'],
  ['physician', 'doctor'],
];

/** Vectors of a world in which texts of one meaning lie together. */
function understand(models: ModelServer) {
  models.embed = (response, input) =>
    sendEmbeddings(
      response,
      input.map((text) => [
        ...meanings.map((words) => words.filter((word) => text.includes(word)).length * 10),
        1,
      ]),
    );
}

const texts = {
  'garage.md': '# Garage\n\nEvery automobile is washed at noon behind the station.',
  'clinic.md': '# Clinic\n\nThe physician sees people on Tuesday mornings.',
  'bakery.md': '# Bakery\n\nRye bread leaves the oven at four.',
};

function startEmbedding(models: ModelServer, options: Partial<ServiceOptions> = {}) {
  return startTestService({
    llm: { baseUrl: models.baseUrl, model: 'small' },
    embeddings: { baseUrl: models.baseUrl, apiKey: 'hidden', model: 'tiny' },
    ...options,
  });
}

async function teach(service: TestService) {
  const chatbot = await service.createChatbot();
  for (const [name, content] of Object.entries(texts)) {
    await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, { name, content });
  }
  await service.service.settled();
  return chatbot;
}

/** The texts that the model was given with the query, best first. */
async function retrieve(service: TestService, models: ModelServer, chatbot: string, query: string) {
  const session = await service.createSession(chatbot);
  await service.post(`/api/v1/session/${session}/message/non-stream`, { query });
  const prompt = models.seen.at(-1)?.body.messages.at(-1)?.content ?? '';
  return [...prompt.matchAll(/ passage \[\d+\.\d+\]>\n(\S+)/g)].map(([, title]) => title);
}

async function listSources(service: TestService, chatbot: string) {
  const { json } = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  return json.map(({ status, meta_json }: { status: string; meta_json: string }) => ({
    status,
    error: JSON.parse(meta_json).embedding_error,
  }));
}

const ready = { status: 'success', error: undefined };
const query = 'Where do I clean my car?';

test('embeds passages as they are ingested, and finds passages that share no word with the query', async () => {
  await using models = await startModelServer();
  understand(models);
  await using service = await startEmbedding(models);
  const chatbot = await teach(service);
  expect(await listSources(service, chatbot)).toEqual([ready, ready, ready]);
  expect(models.seenEmbeddings).toContainEqual({
    authorization: 'Bearer hidden',
    body: {
      model: 'tiny',
      input: ['Garage\n\nEvery automobile is washed at noon behind the station.'],
      encoding_format: 'float',
    },
  });
  expect((await retrieve(service, models, chatbot, query))[0]).toBe('Garage');
  expect(models.seenEmbeddings.at(-1)?.body.input).toEqual([query]);
});

test('without an embedder nothing is embedded', async () => {
  await using models = await startModelServer();
  await using service = await startEmbedding(models, { embeddings: undefined });
  const chatbot = await teach(service);
  expect(await retrieve(service, models, chatbot, query)).toEqual([]);
  expect(await retrieve(service, models, chatbot, 'Which bread is there?')).toEqual(['Bakery']);
  expect(models.seenEmbeddings).toEqual([]);
});

test('a query that leans on the one before is embedded with it', async () => {
  await using models = await startModelServer();
  understand(models);
  await using service = await startEmbedding(models);
  const session = await service.createSession(await teach(service));
  const path = `/api/v1/session/${session}/message/non-stream`;
  await service.post(path, { query: 'Is there a doctor in town?' });
  await service.post(path, { query: 'When do I see him?' });
  expect(models.seenEmbeddings.at(-1)?.body.input).toEqual([
    'Is there a doctor in town?\nWhen do I see him?',
  ]);
});

test('a search keeps to what the agent may see, and to its own chatbot', async () => {
  await using models = await startModelServer();
  understand(models);
  await using service = await startEmbedding(models);
  const chatbot = await teach(service);
  const other = await service.createChatbot();
  await service.post(`/api/v1/chatbot/${other}/data-source/qa`, {
    question: 'Does a physician come here?',
    answer: 'No.',
  });
  await service.service.settled();
  expect(await retrieve(service, models, other, query)).toEqual(['Does']);

  const sources = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  const agents = await service.get(`/api/v1/chatbot/${chatbot}/agents`);
  const [garage, clinic] = sources.json.map(({ uuid }: { uuid: string }) => uuid);
  await service.post(`/api/v1/agent/${agents.json[0].uuid}/update`, {
    use_all_sources: false,
    data_source_uuids: [clinic],
  });
  expect(await retrieve(service, models, chatbot, query)).toEqual(['Clinic']);
  await service.post(`/api/v1/agent/${agents.json[0].uuid}/update`, { use_all_sources: true });
  await service.post(`/api/v1/data-source/${garage}/delete`);
  expect(await retrieve(service, models, chatbot, query)).not.toContain('Garage');
});

test('tries again with longer and longer pauses while the embedder is busy', async () => {
  await using models = await startModelServer();
  understand(models);
  const succeed = models.embed;
  const refusals = [503, 429];
  models.embed = (response, input) => {
    const status = refusals.shift();
    if (status === undefined) return succeed(response, input);
    response.writeHead(status, status === 429 ? { 'retry-after': '7' } : {}).end('later');
  };
  const paused: number[] = [];
  const sleep = (ms: number) => {
    paused.push(ms);
    return Promise.resolve();
  };
  await using service = await startEmbedding(models, { llm: undefined, sleep });
  const chatbot = await service.createChatbot();
  await service.post(`/api/v1/chatbot/${chatbot}/data-source/qa`, { question: 'Q', answer: 'A' });
  await service.service.settled();
  expect(paused).toEqual([500, 7000]);
  expect(await listSources(service, chatbot)).toEqual([ready]);
});

test.each<[string, (response: ServerResponse) => void, string]>([
  ['refuses', (response) => void response.writeHead(401).end('bad key'), 'answered 401'],
  ['breaks off', (response) => void response.destroy(), 'could not be reached'],
  ['talks nonsense', (response) => void response.end('<html>'), 'check EMBEDDINGS_BASE_URL'],
  ['gives too few', (response) => sendEmbeddings(response, []), 'one vector for each text'],
])('an embedder that %s leaves words to search by, and says so', async (_, fail, words) => {
  await using models = await startModelServer();
  models.embed = fail;
  const sleep = (ms: number) => (ms < 60_000 ? Promise.resolve() : new Promise(() => undefined));
  await using service = await startEmbedding(models, { sleep });
  const chatbot = await teach(service);
  const [source] = await listSources(service, chatbot);
  expect(source.status).toBe('success');
  expect(source.error).toContain(words);
  expect(await retrieve(service, models, chatbot, 'Which bread is there?')).toEqual(['Bakery']);
});

test('a source that could not be embedded is tried again later', async () => {
  await using models = await startModelServer();
  const { sleep, take } = createManualSleep();
  models.embed = (response) => void response.writeHead(401).end();
  await using service = await startEmbedding(models, { sleep });
  const chatbot = await teach(service);
  expect(await listSources(service, chatbot)).toEqual(
    Array.from({ length: 3 }, () => ({
      status: 'success',
      error: expect.stringContaining('answered 401'),
    })),
  );
  understand(models);
  const sleeper = await take(300_000);
  sleeper.wake();
  await service.service.settled();
  await service.service.settled();
  expect(await listSources(service, chatbot)).toEqual([ready, ready, ready]);
});

test('a source that the embedder fails at does not keep the others waiting', async () => {
  await using models = await startModelServer();
  const { sleep, take } = createManualSleep();
  const dataDir = await createDataDir();
  try {
    let chatbot = '';
    {
      await using service = await startTestService({ dataDir });
      chatbot = await service.createChatbot();
      for (const question of ['Garage', 'Clinic', 'Bakery']) {
        const path = `/api/v1/chatbot/${chatbot}/data-source/qa`;
        await service.post(path, { question, answer: 'At noon.' });
        await service.service.settled();
      }
    }
    const succeed = models.embed;
    models.embed = (response, input) => {
      if (input.some((text) => text.includes('Garage'))) return void response.writeHead(500).end();
      return succeed(response, input);
    };
    let nowMs = 0;
    const wake = async (ms: number) => (await take(ms)).wake();
    await using service = await startEmbedding(models, { dataDir, sleep, now: () => nowMs });
    for (let pass = 1; pass <= 2; pass += 1) {
      for (const ms of [500, 1000, 2000]) await wake(ms);
      await service.service.settled();
      nowMs += 300_000;
      await wake(300_000);
    }
    expect(await listSources(service, chatbot)).toEqual([
      { status: 'success', error: expect.stringContaining('answered 500') },
      ready,
      ready,
    ]);
    const texts = models.seenEmbeddings.flatMap(({ body }) => body.input);
    expect(texts.some((text) => text.startsWith('Clinic'))).toBe(true);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

/** Opens a database, and tells how many rows each query of vectors gives. */
function createWatchedStore() {
  const rows: number[] = [];
  const queries = new WeakSet<object>();
  const counter: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const isOfVectors = JSON.stringify(node).includes('passage_vectors');
      if (node.kind === 'SelectQueryNode' && isOfVectors) queries.add(queryId);
      return node;
    },
    async transformResult({ result, queryId }) {
      if (queries.has(queryId)) rows.push(result.rows.length);
      return result;
    },
  };
  const open = async (place: DatabasePlace): Promise<Store> => {
    const database = await openDatabase<ServiceTables>(place, serviceMigrations);
    const watched: Pick<typeof database, 'queries' | 'transaction'> = {
      queries: database.queries.withPlugin(counter),
      transaction: (work, scope) =>
        database.transaction((tx) => work(tx.withPlugin(counter)), scope),
    };
    return createStore(Object.assign(Object.create(database), watched));
  };
  return { open, rows };
}

test('what has no vector is looked up source by source, and later only of those that failed', async () => {
  await using models = await startModelServer();
  const { sleep, take } = createManualSleep();
  const dataDir = createTemporaryFolder();
  let chatbot = '';
  {
    await using service = await startTestService({ dataDir });
    chatbot = await service.createChatbot();
    for (const question of ['Garage', 'Clinic', 'Bakery']) {
      const path = `/api/v1/chatbot/${chatbot}/data-source/qa`;
      await service.post(path, { question, answer: 'At noon.' });
    }
    await service.service.settled();
  }
  const succeed = models.embed;
  models.embed = (response, input) => {
    if (input.some((text) => text.includes('Garage'))) return void response.writeHead(500).end();
    return succeed(response, input);
  };
  let nowMs = 0;
  const { open, rows } = createWatchedStore();
  const parts = { dataDir, sleep, now: () => nowMs, openStore: open };
  await using service = await startEmbedding(models, parts);
  const wake = async (ms: number) => (await take(ms)).wake();
  const fail = async () => {
    for (const ms of [500, 1000, 2000]) await wake(ms);
    await service.service.settled();
    nowMs += 300_000;
  };
  await fail();
  await wake(300_000);
  await fail();
  expect(Math.max(...rows)).toBe(1);
  rows.length = 0;
  await wake(300_000);
  await fail();
  // What it misses, and how much it has now.
  expect(rows).toEqual([1, 1]);
  expect(await listSources(service, chatbot)).toContainEqual(ready);
});

test('sources from before the embedder are embedded once it is there, and anew by another', async () => {
  await using models = await startModelServer();
  understand(models);
  const dataDir = await createDataDir();
  try {
    let chatbot = '';
    {
      await using service = await startEmbedding(models, { dataDir, embeddings: undefined });
      chatbot = await teach(service);
    }
    {
      await using service = await startEmbedding(models, { dataDir });
      await service.service.settled();
      expect((await retrieve(service, models, chatbot, query))[0]).toBe('Garage');
    }
    models.seenEmbeddings.length = 0;
    {
      await using service = await startEmbedding(models, { dataDir });
      await service.service.settled();
      expect(models.seenEmbeddings).toEqual([]);
    }
    const embeddings = { baseUrl: models.baseUrl, model: 'other' };
    await using service = await startEmbedding(models, { dataDir, embeddings });
    await service.service.settled();
    expect(models.seenEmbeddings.map(({ body }) => body.model)).toEqual([
      'other',
      'other',
      'other',
    ]);
    expect((await retrieve(service, models, chatbot, query))[0]).toBe('Garage');
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('what has no vector when it is indexed again is embedded after that', async () => {
  await using models = await startModelServer();
  understand(models);
  const dataDir = await createDataDir();
  try {
    let chatbot = '';
    {
      await using before = await startTestService({ dataDir });
      chatbot = await teach(before);
    }
    const database = new DatabaseSync(join(dataDir, 'service.sqlite'));
    database.exec('UPDATE source_versions SET index_version = 0');
    database.close();
    await using service = await startEmbedding(models, { dataDir });
    await service.service.settled();
    expect(models.seenEmbeddings.flatMap(({ body }) => body.input)).toHaveLength(3);
    expect(await listSources(service, chatbot)).toEqual([ready, ready, ready]);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

/** Asks with an embedder that fails, and counts how often it was asked. */
async function startFailing(embed: ModelServer['embed']) {
  await using parts = new AsyncDisposableStack();
  const models = parts.use(await startModelServer());
  understand(models);
  const clock = { nowMs: 0 };
  const service = parts.use(await startEmbedding(models, { now: () => clock.nowMs }));
  const chatbot = await teach(service);
  const before = models.seenEmbeddings.length;
  models.embed = embed;
  const running = parts.move();
  return {
    models,
    clock,
    ask: (text: string) => retrieve(service, models, chatbot, text),
    countAsked: () => models.seenEmbeddings.length - before,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const bread = 'Which bread is there?';

test('a query does without an embedder that fails, and the next one asks it again', async () => {
  await using failing = await startFailing((response) => void response.writeHead(500).end());
  expect(await failing.ask(bread)).toEqual(['Bakery']);
  understand(failing.models);
  expect((await failing.ask(query))[0]).toBe('Garage');
});

test('after three failures in a row, queries do without the embedder for a while', async () => {
  await using failing = await startFailing((response) => void response.destroy());
  for (let asked = 0; asked < 4; asked += 1) expect(await failing.ask(bread)).toEqual(['Bakery']);
  expect(failing.countAsked()).toBe(3);
  failing.clock.nowMs = 30_000;
  await failing.ask(bread);
  await failing.ask(bread);
  expect(failing.countAsked()).toBe(4);
  understand(failing.models);
  failing.clock.nowMs = 60_000;
  expect((await failing.ask(query))[0]).toBe('Garage');
  failing.models.embed = (response) => void response.destroy();
  await failing.ask(bread);
  await failing.ask(bread);
  expect(failing.countAsked()).toBe(7);
});

test('queries do without an embedder for as long as it asks to wait', async () => {
  await using failing = await startFailing(
    (response) => void response.writeHead(503, { 'retry-after': '7' }).end(),
  );
  await failing.ask(bread);
  failing.clock.nowMs = 6_999;
  await failing.ask(bread);
  expect(failing.countAsked()).toBe(1);
  failing.clock.nowMs = 7_000;
  await failing.ask(bread);
  expect(failing.countAsked()).toBe(2);
});

test('a service that closes does not wait for the embedder', async () => {
  await using models = await startModelServer();
  const asked = Promise.withResolvers<void>();
  models.embed = () => asked.resolve();
  await using service = await startEmbedding(models);
  const chatbot = await service.createChatbot();
  await service.post(`/api/v1/chatbot/${chatbot}/data-source/qa`, { question: 'Q', answer: 'A' });
  await asked.promise;
  expect((await listSources(service, chatbot))[0].status).toBe('embedding');
});

/** A service with one source of this many passages, and what it says of them. */
async function teachMany(
  service: TestService,
  count: number,
  text = (number: number) => `Fact ${number}. `,
) {
  const chatbot = await service.createChatbot();
  const sections = Array.from(
    { length: count },
    (_, number) => `## Section ${number}\n\n${text(number).repeat(60)}\n`,
  );
  await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, {
    name: 'facts.md',
    content: `# Facts\n\n${sections.join('\n')}`,
  });
  await service.service.settled();
  const { json } = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  return { chatbot, source: json[0], meta: JSON.parse(json[0].meta_json) };
}

test.each([400, 413, 422])(
  'a batch that is refused with %i is halved, and so are those after it',
  async (status) => {
    await using models = await startModelServer();
    const sizes: number[] = [];
    models.embed = (response, input) => {
      sizes.push(input.length);
      if (input.length > 32) return void response.writeHead(status).end('batch size > 32');
      sendEmbeddings(
        response,
        input.map(() => [1, 0]),
      );
    };
    await using service = await startEmbedding(models);
    const { meta, source } = await teachMany(service, 80);
    expect(source.status).toBe('success');
    expect(meta.embedded).toEqual({
      passages: meta.embedded.vectors,
      vectors: expect.any(Number),
      refused: 0,
    });
    expect(meta.embedded.vectors).toBeGreaterThan(64);
    // The second one is the word that tells whether the server takes anything.
    expect(sizes.slice(0, 4)).toEqual([64, 1, 32, 32]);
    expect(Math.max(...sizes.slice(1))).toBe(32);
  },
);

test.each([
  [413, 'Payload Too Large'],
  [500, 'input is too large to process. increase the physical batch size'],
])('a text that is too long alone is shortened: %i %s', async (status, detail) => {
  await using models = await startModelServer();
  let longest = 0;
  models.embed = (response, input) => {
    if (input.some((text) => text.length > 200)) return void response.writeHead(status).end(detail);
    longest = Math.max(longest, ...input.map((text) => text.length));
    sendEmbeddings(
      response,
      input.map(() => [1, 0]),
    );
  };
  await using service = await startEmbedding(models);
  const { meta } = await teachMany(service, 3);
  expect(meta.embedded).toMatchObject({ vectors: meta.embedded.passages, refused: 0 });
  expect(meta).not.toHaveProperty('embedding_error');
  expect(longest).toBeGreaterThan(100);
});

test('a server that fails while a text is shortened has not refused it', async () => {
  await using models = await startModelServer();
  models.embed = (response, input) => {
    const isLong = input.some((text) => text.length > 200);
    if (isLong) return void response.writeHead(413).end();
    if (input[0] !== 'word') return void response.writeHead(401).end();
    sendEmbeddings(
      response,
      input.map(() => [1, 0]),
    );
  };
  await using service = await startEmbedding(models);
  const { meta } = await teachMany(service, 3);
  expect(meta).toMatchObject({
    embedded: { vectors: 0, refused: 0 },
    embedding_error: expect.stringContaining('answered 401'),
  });
});

test('a text that is refused however short loses one passage, and only once', async () => {
  await using models = await startModelServer();
  models.embed = (response, input) => {
    if (input.some((text) => text.includes('Section 5'))) return void response.writeHead(400).end();
    sendEmbeddings(
      response,
      input.map(() => [1, 0]),
    );
  };
  const dataDir = await createDataDir();
  try {
    {
      await using service = await startEmbedding(models, { dataDir });
      const { meta, source } = await teachMany(service, 9);
      expect(source.status).toBe('success');
      expect(meta.embedded).toMatchObject({ vectors: meta.embedded.passages - 1, refused: 1 });
      expect(meta).not.toHaveProperty('embedding_error');
    }
    models.seenEmbeddings.length = 0;
    await using service = await startEmbedding(models, { dataDir });
    await service.service.settled();
    expect(models.seenEmbeddings).toEqual([]);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('a server that refuses everything is not asked passage by passage', async () => {
  await using models = await startModelServer();
  models.embed = (response) => void response.writeHead(400).end('unknown model');
  await using service = await startEmbedding(models);
  const { meta } = await teachMany(service, 20);
  expect(models.seenEmbeddings).toHaveLength(2);
  expect(meta).toMatchObject({
    embedded: { vectors: 0, refused: 0 },
    embedding_error: expect.stringContaining('answered 400'),
    embedding_code: 'embeddings_refused',
    embedding_params: { status: 400 },
  });
});

test('a query that is too long is shortened, and those after it are embedded too', async () => {
  await using models = await startModelServer();
  understand(models);
  const succeed = models.embed;
  models.embed = (response, input) => {
    if (input.some((text) => text.length > 200)) return void response.writeHead(400).end();
    return succeed(response, input);
  };
  await using service = await startEmbedding(models);
  const chatbot = await teach(service);
  const long = `${query} ${'Please tell me all about it. '.repeat(20)}`;
  expect((await retrieve(service, models, chatbot, long))[0]).toBe('Garage');
  expect((await retrieve(service, models, chatbot, query))[0]).toBe('Garage');
});

test('the same model with another dimension embeds everything again, and the log says so', async () => {
  await using models = await startModelServer();
  understand(models);
  const lines: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void lines.push(fields) };
  const dataDir = await createDataDir();
  try {
    let chatbot = '';
    {
      await using service = await startEmbedding(models, { dataDir });
      chatbot = await teach(service);
    }
    const succeed = models.embed;
    models.embed = (response, input) =>
      sendEmbeddings(
        response,
        input.map((text) => [/car|automobile/.test(text) ? 1 : 0, 0, 0, 0, 1]),
      );
    {
      await using service = await startEmbedding(models, { dataDir, log });
      await retrieve(service, models, chatbot, query);
      await service.service.settled();
      expect(lines).toEqual([{ model: 'tiny', dimensions: 5, vectors: 3 }]);
      expect((await retrieve(service, models, chatbot, query))[0]).toBe('Garage');
    }
    // Earlier builds left vectors of both dimensions under one name.
    const database = new DatabaseSync(join(dataDir, 'service.sqlite'));
    database.exec(
      'UPDATE passage_vectors SET vector = zeroblob(12) WHERE passage = (SELECT min(passage) FROM passage_vectors)',
    );
    database.close();
    lines.length = 0;
    await using service = await startEmbedding(models, { dataDir, log });
    await retrieve(service, models, chatbot, query);
    await service.service.settled();
    expect(lines).toEqual([{ model: 'tiny', dimensions: 5, vectors: 1 }]);
    // A server that gives now one and now the other is not followed for ever.
    models.embed = succeed;
    const before = models.seenEmbeddings.length;
    for (let times = 0; times < 3; times++) await retrieve(service, models, chatbot, query);
    await service.service.settled();
    models.embed = (response, input) =>
      sendEmbeddings(
        response,
        input.map(() => [1, 0, 0, 0, 0]),
      );
    for (let times = 0; times < 3; times++) await retrieve(service, models, chatbot, query);
    await service.service.settled();
    expect(models.seenEmbeddings.length - before).toBeLessThan(6 + 3 + 1);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('sources of an earlier version say how much of them has vectors', async () => {
  await using models = await startModelServer();
  understand(models);
  const dataDir = await createDataDir();
  try {
    let chatbot = '';
    {
      await using service = await startEmbedding(models, { dataDir });
      chatbot = await teach(service);
    }
    const database = new DatabaseSync(join(dataDir, 'service.sqlite'));
    database.exec(`UPDATE sources SET meta = json_remove(meta, '$.embedded')`);
    database.close();
    await using service = await startEmbedding(models, { dataDir });
    await service.service.settled();
    const { json } = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
    for (const { meta_json } of json) {
      expect(JSON.parse(meta_json).embedded).toEqual({ passages: 1, vectors: 1, refused: 0 });
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
