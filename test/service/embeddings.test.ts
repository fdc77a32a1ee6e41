import { rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
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
  const system = models.seen.at(-1)?.body.messages[0]?.content ?? '';
  return [...system.matchAll(/^\[\d+\.\d+\] (\S+)/gm)].map(([, title]) => title);
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

test('embeds passages as they are ingested, and finds what shares no word with the query', async () => {
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

test('without an embedder nothing of it is done', async () => {
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

test('a query does without an embedder that fails, and so do those after it for a while', async () => {
  await using models = await startModelServer();
  understand(models);
  let nowMs = 0;
  await using service = await startEmbedding(models, { now: () => nowMs });
  const chatbot = await teach(service);
  models.embed = (response) => void response.destroy();
  const before = models.seenEmbeddings.length;
  const bread = () => retrieve(service, models, chatbot, 'Which bread is there?');
  expect(await bread()).toEqual(['Bakery']);
  expect(await bread()).toEqual(['Bakery']);
  expect(models.seenEmbeddings).toHaveLength(before + 1);
  understand(models);
  nowMs = 30_000;
  expect((await bread())[0]).toBe('Bakery');
  expect(models.seenEmbeddings).toHaveLength(before + 2);
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
