import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sendEmbeddings, startModelServer } from '../fixtures/model-server.ts';
import { startTestService, type TestService } from './fixture.ts';
import { startWebsite, type Website } from './website.ts';

type Row = Record<string, SQLOutputValue>;

/** What each owner stores, as the service counts it and as a sum over all rows. */
function readUsage(dataDir: string): Record<string, { counted: number; stored: number }> {
  using database = new DatabaseSync(join(dataDir, 'service.sqlite'), { readOnly: true });
  const all = (table: string) => database.prepare(`SELECT * FROM ${table}`).all() as Row[];
  const sizeOf = (value: SQLOutputValue | undefined) => {
    if (typeof value === 'string') return Buffer.byteLength(value);
    return value instanceof Uint8Array ? value.byteLength : Number(value ?? 0);
  };
  const rest = (rows: Row[], ...columns: string[]) =>
    rows.flatMap((row) => columns.map((column) => sizeOf(row[column])));
  /** A row has 200 bytes beside those of its columns. */
  const sum = (rows: Row[], ...columns: string[]) => [rows.length * 200, ...rest(rows, ...columns)];
  const of = (table: string, column: string, rows: Row[], key = 'uuid') => {
    const keys = new Set(rows.map((row) => row[key]));
    return all(table).filter((row) => keys.has(row[column] ?? null));
  };
  const usages = all('owners').map((owner) => {
    const chatbots = of('chatbots', 'owner', [owner], 'id');
    const sessions = of('sessions', 'chatbot', chatbots);
    const corpora = of('corpora', 'chatbot', chatbots);
    const versions = of('source_versions', 'corpus', corpora, 'id');
    const seen = versions.filter(({ state }) => state === 'live');
    const passages = of('passages', 'version', seen, 'number');
    const sizes = [
      sum(chatbots, 'name', 'rate_limit_message'),
      sum(of('agents', 'chatbot', chatbots), 'name', 'settings'),
      sum(of('tags', 'chatbot', chatbots), 'name', 'color'),
      sum(of('sources', 'chatbot', chatbots), 'file_size', 'title', 'file_name', 'identity'),
      rest(of('sources', 'chatbot', chatbots), 'content_type', 'meta'),
      sum(sessions, 'variables', 'learned'),
      sum(of('messages', 'session', sessions), 'query', 'response'),
      rest(of('messages', 'session', sessions), 'citations', 'error_message', 'meta'),
      sum(passages, 'text', 'headings', 'sentences'),
      sum(of('passage_vectors', 'passage', passages, 'id'), 'vector'),
      sum(of('session_documents', 'owner', [owner], 'id'), 'file_name', 'document'),
    ];
    const stored = sizes.flat().reduce((total, size) => total + size, 0);
    return [String(owner['name']), { counted: Number(owner['bytes']), stored }] as const;
  });
  return Object.fromEntries(usages);
}

function expectCounted({ dataDir }: Pick<TestService, 'dataDir'>): void {
  for (const usage of Object.values(readUsage(dataDir))) expect(usage.counted).toBe(usage.stored);
}

const text = (size: number) => `About ${size}. ${'The keeper sells tickets. '.repeat(size)}`;

/** What somebody does to the thing of this number, with a text of this size. */
type Act = (thing: <Uuid>(uuids: Uuid[]) => Uuid | undefined, size: number) => Promise<unknown>;

/** Everything that changes what is stored. */
function actsOn(service: TestService, site: Website): Record<string, Act> {
  const api = '/api/v1';
  const list = async (path: string) => {
    const { status, json } = await service.get(`${api}/${path}`);
    return status === 200 ? (json as { uuid: string }[]).map(({ uuid }) => uuid) : [];
  };
  const chatbots = () => list('chatbots');
  const within = async (thing: Parameters<Act>[0], noun: string) => {
    const chatbot = thing(await chatbots());
    return thing(await list(`chatbot/${chatbot}/${noun}`));
  };
  const post = (path: string, body?: object) => service.post(`${api}/${path}`, body);
  const onChatbot = async (thing: Parameters<Act>[0], path: string, body?: object) =>
    post(`chatbot/${thing(await chatbots())}/${path}`, body);

  return {
    createChatbot: (_, size) => post('chatbot/create', { name: 'B', prompt: text(size) }),
    renameChatbot: (thing, size) => onChatbot(thing, 'update', { name: `Chatbot ${size}` }),
    deleteChatbot: async (thing) =>
      service.delete(`${api}/chatbot/${thing(await chatbots())}/delete`),
    addFile: async (thing, size) =>
      service.upload(`${api}/chatbot/${thing(await chatbots())}/data-source/upload`, {
        name: `${size}.txt`,
        content: text(size),
      }),
    addPage: (thing, size) =>
      onChatbot(thing, 'data-source/url', { url: `${site.url}/${size % 3}` }),
    addAnswer: (thing, size) =>
      onChatbot(thing, 'data-source/qa', { question: `Why ${size}?`, answer: text(size) }),
    rename: async (thing, size) =>
      post(`data-source/${await within(thing, 'data-sources')}/update`, { title: `Title ${size}` }),
    refresh: async (thing, size) => {
      site.page = `<title>${size}</title><p>${text(size)}</p>`;
      return post('data-sources/url/re-scrape', { uuids: [await within(thing, 'data-sources')] });
    },
    failToRefresh: async (thing) => {
      site.isDown = true;
      await post('data-sources/url/re-scrape', { uuids: [await within(thing, 'data-sources')] });
      await service.service.settled();
      site.isDown = false;
    },
    deleteSource: async (thing) =>
      post(`data-source/${await within(thing, 'data-sources')}/delete`),
    addTag: (thing, size) =>
      onChatbot(thing, 'source-tag/create', { name: `Tag ${size}`, color: '#123456' }),
    changeAgent: async (thing, size) =>
      post(`agent/${await within(thing, 'agents')}/update`, { prompt: text(size) }),
    createSession: (thing, size) =>
      onChatbot(thing, 'session/create', { initial_variables: { about: text(size % 60) } }),
    ask: async (thing, size) =>
      post(`session/${await within(thing, 'sessions')}/message/non-stream`, { query: text(size) }),
    leave: async (thing, size) => {
      const left = new AbortController();
      const session = await within(thing, 'sessions');
      const response = await service.fetch(`${api}/session/${session}/message/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: `Who sells ${size} tickets?` }),
        signal: left.signal,
      });
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    },
    deleteMessage: async (thing) => {
      const session = await within(thing, 'sessions');
      return post(`message/${thing(await list(`session/${session}/messages`))}/delete`);
    },
    deleteSession: async (thing) => post(`session/${await within(thing, 'sessions')}/delete`),
    addDocument: (_, size) =>
      service.upload(`${api}/session-document/upload`, { name: 'd.txt', content: text(size) }),
    keepUp: () => service.service.upkeep(),
  };
}

const names = Object.keys(actsOn({} as TestService, {} as Website));
const anyActs = fc.array(
  fc.tuple(fc.constantFrom(...names), fc.nat({ max: 5 }), fc.integer({ min: 1, max: 400 })),
  { minLength: 20, maxLength: 40 },
);

describe.each([20_261_123, Math.trunc(Math.random() * 2 ** 31)])('with seed %i', (seed) => {
  test('whatever is done, what is counted is what is stored', async () => {
    await using models = await startModelServer();
    models.embed = (response, input) =>
      sendEmbeddings(
        response,
        input.map(() => [3, 4]),
      );
    await using site = await startWebsite();
    const property = fc.asyncProperty(anyActs, async (steps) => {
      await using service = await startTestService({
        maxOwnerBytes: 60_000,
        allowPrivateAddresses: true,
        embeddings: { baseUrl: models.baseUrl, model: 'tiny' },
      });
      const acts = actsOn(service, site);
      await service.createSession(await service.createChatbot());
      for (const [name, place, size] of steps) {
        await acts[name]?.((uuids) => uuids[place % uuids.length], size);
        await service.service.settled();
        expectCounted(service);
      }
    });
    await fc.assert(property, { seed, numRuns: 3, endOnFailure: true });
  });
});
