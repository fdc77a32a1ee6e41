import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KyselyPlugin } from 'kysely';
import { openDatabase } from '../../../src/shared/stores/open-database.ts';
import { serviceMigrations, type ServiceTables } from '../../../src/service/store/schema.ts';
import { openStore, type Store } from '../../../src/service/store/store.ts';
import { createVectorSearch } from '../../../src/service/store/vector-store.ts';
import { addSource } from '../../fixtures/add-source.ts';

let store: Store;
beforeEach(async () => {
  store = await openStore(':memory:', { maxVectorBytes: 16 });
});
afterEach(() => store[Symbol.asyncDispose]());

/** Adds a source of one passage, and resolves with its id. */
async function add(uuid: string, values: number[], model = 'tiny'): Promise<number> {
  const passage = { text: uuid, headings: [], start: 0, end: 1, tokens: 1 };
  const source = { uuid, title: uuid, file_name: '', type: 'upload' };
  await addSource(store, 'bot', source, [passage]);
  const version = (await store.passages.liveVersion(uuid)) ?? 0;
  const [missing] = await store.vectors.listMissing(version, model, 1);
  if (missing === undefined) throw new Error('There is no passage');
  const vector = Float32Array.from(values);
  await store.transaction((tx) => tx.vectors.put(model, [{ id: missing.id, vector }]));
  return missing.id;
}

const query = { model: 'tiny', vector: Float32Array.from([1, 0]) };
const search = (limit: number, sources?: string[]) =>
  store.similar.search(query, { chatbot: 'bot', sources }, limit);

test('finds the nearest first, as many as are wanted', async () => {
  const far = await add('far', [-1, 0]);
  const near = await add('near', [1, 0]);
  expect(await search(9)).toEqual([near, far]);
  expect(await search(1)).toEqual([near]);
  expect(await search(9, ['far'])).toEqual([far]);
  expect(await search(9, [])).toEqual([]);
  expect(await store.similar.search(query, { chatbot: 'other' }, 9)).toEqual([]);
  expect(await store.similar.rank(query, [far, near])).toEqual([near, far]);
});

test('questions that come at once load the vectors once', async () => {
  const id = await add('one', [1, 0]);
  let loads = 0;
  await using database = await openDatabase<ServiceTables>(':memory:', serviceMigrations);
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (JSON.stringify(node).includes('passage_vectors')) loads += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const counted = createVectorSearch(database.queries.withPlugin(counting), store.index);
  const searches = [1, 2, 3, 4].map(() => counted.search(query, { chatbot: 'bot' }, 9));
  await Promise.all(searches);
  expect([id > 0, loads]).toEqual([true, 1]);
});

test('sees at once what came and what went', async () => {
  const one = await add('one', [1, 0]);
  expect(await search(9)).toEqual([one]);
  const two = await add('two', [0, 1]);
  expect(await search(9)).toEqual([one, two]);
  await store.transaction((tx) => tx.passages.remove('one'));
  expect(await search(9)).toEqual([two]);
  expect(await store.similar.rank(query, [one, two])).toEqual([two]);
});

test('leaves vectors of another model or length alone', async () => {
  const mine = await add('mine', [1, 0]);
  await add('other', [1, 0], 'large');
  expect(await search(9)).toEqual([mine]);
  const missing = async (source: string, model: string) => {
    const version = (await store.passages.liveVersion(source)) ?? 0;
    return store.vectors.listMissing(version, model, 9);
  };
  expect(await missing('mine', 'tiny')).toEqual([]);
  expect(await missing('other', 'tiny')).toMatchObject([{ text: 'other' }]);
  expect(await missing('mine', 'large')).toMatchObject([{ text: 'mine' }]);
});

test('does not give a new passage the vector of one that was deleted', async () => {
  const id = await add('one', [1, 0]);
  await store.transaction((tx) => tx.passages.remove('one'));
  await store.passages.deleteHidden(new AbortController().signal);
  const next = await add('one', [0, 1]);
  expect(next).not.toBe(id);
  await store.transaction((tx) => tx.vectors.put('tiny', [{ id, vector: query.vector }]));
  expect(await search(9)).toEqual([next]);
});

test('a version shares the vectors of the one with the same passages', async () => {
  const id = await add('one', [1, 0]);
  const before = (await store.passages.liveVersion('one')) ?? 0;
  const draft = await store.drafts.begin('bot', {
    uuid: 'one',
    title: 'one',
    file_name: '',
    type: 'upload',
  });
  await draft.add([{ text: 'one', headings: [], start: 0, end: 1, tokens: 1 }]);
  await draft.finish();
  await store.vectors.copy(before, draft.version);
  await store.transaction((tx) => tx.passages.publish(draft, 0));
  const [found] = (await search(9)) ?? [];
  expect(found).toBeDefined();
  expect(found).not.toBe(id);
});

test('keeps no more in memory than it may, and ranks where it keeps nothing', async () => {
  const one = await add('one', [1, 0]);
  const two = await add('two', [0, 1]);
  expect(await search(9)).toEqual([one, two]);
  const three = await add('three', [0.6, 0.8]);
  expect(await search(9)).toBeUndefined();
  expect(await store.similar.rank(query, [two, three, one])).toEqual([one, three, two]);
});
