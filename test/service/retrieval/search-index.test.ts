import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createRetriever } from '../../../src/service/retrieval/retrieve.ts';
import { openStore, type Store } from '../../../src/service/store/store.ts';
import { addSource } from '../../fixtures/add-source.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

const scope = { chatbot: 'bot' };

function toSource(uuid: string, title = uuid) {
  return { uuid, title, file_name: '', type: 'file' };
}

function toPassage(text: string, headings: string[] = []) {
  return { text, headings, start: 0, end: text.length, tokens: 1 };
}

test('what is cached is as what is read anew, after every change', async () => {
  const path = join(createTemporaryFolder(), 'service.sqlite');
  await using store = await openStore(path);
  const toHits = async (from: Store) =>
    Promise.all(
      ['cat', 'dog cat', 'fox?', 'owl'].map((query) =>
        createRetriever(from).retrieve(query, scope, { limit: 5 }),
      ),
    );
  const { signal } = new AbortController();
  const changes: Record<string, () => Promise<unknown>> = {
    'a source': () => addSource(store, 'bot', toSource('a'), [toPassage('The cat sleeps.')]),
    'another source': () =>
      addSource(store, 'bot', toSource('b'), [toPassage('A dog. A cat.'), toPassage('A fox.')]),
    'a title': () => store.passages.retitle(toSource('a', 'Owl')),
    'another chatbot': () =>
      addSource(store, 'other', toSource('x'), [toPassage('The cat.'), toPassage('An owl.')]),
    'new passages': () => addSource(store, 'bot', toSource('a', 'Fox'), [toPassage('A dog.')]),
    'the deletion of what they replace': () => store.passages.deleteHidden(signal),
    removal: () => store.transaction((tx) => tx.passages.remove('a')),
  };
  for (const [name, change] of Object.entries(changes)) {
    await toHits(store);
    await change();
    await using anew = await openStore(path);
    expect({ [name]: await toHits(store) }).toEqual({ [name]: await toHits(anew) });
  }
});

test('a known word stays known while many others are counted', async () => {
  await using store = await openStore(':memory:');
  await addSource(store, 'bot', toSource('a'), [toPassage('The cat sleeps.')]);
  const corpus = await store.index.corpus('bot');
  const count = async (words: string[]) =>
    (await store.index.frequencies(corpus, words)).of.get('cat');
  expect(await count(['cat'])).toBe(1);
  const others = Array.from({ length: 12_000 }, (_, number) => `other${number}`);
  expect(await count(['cat', ...others])).toBe(1);
});

test('what another version has indexed is ranked as ever', async () => {
  const path = join(createTemporaryFolder(), 'service.sqlite');
  const open = () => openStore(path);
  const rank = (store: Store) =>
    createRetriever(store).retrieve('When did the fox sing?', scope, { limit: 5 });
  await using store = await open();
  const passages = [toPassage('In 1066 the Fox sang.', ['Songs']), toPassage('A fox sings.')];
  await addSource(store, 'bot', toSource('a'), passages);
  const hits = await rank(store);
  expect(hits).toHaveLength(2);
  {
    using database = new DatabaseSync(path);
    database.exec(
      "UPDATE passages SET sentences = '[]'; UPDATE source_versions SET index_version = 1",
    );
  }
  await using later = await open();
  expect(await rank(later)).toEqual(hits);
  expect(await later.passages.listOutdated(0, 9)).toMatchObject([{ source: 'a' }]);
});

test('terms of most passages are counted, and do not hide rarer ones', async () => {
  await using store = await openStore(':memory:');
  const many = Array.from({ length: 10_500 }, (_, index) => toPassage(`The cat ${index}.`));
  await addSource(store, 'bot', toSource('a'), many);
  const corpus = await store.index.corpus('bot');
  const { of } = await store.index.frequencies(corpus, ['cat', '777']);
  expect([of.get('cat'), of.get('777')]).toEqual([10_500, 1]);
  const [hit] = await createRetriever(store).retrieve('Which cat is 777?', scope, { limit: 1 });
  expect(hit?.passage.text).toBe('The cat 777.');
});
