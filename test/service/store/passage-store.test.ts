import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Passage } from '../../../src/service/ingestion/passages.ts';
import { tokenize } from '../../../src/service/retrieval/tokenize.ts';
import type { PassageScope } from '../../../src/service/store/passage-store.ts';
import { openStore, type Store } from '../../../src/service/store/store.ts';
import { addSource } from '../../fixtures/add-source.ts';

let store: Store;
beforeEach(async () => {
  store = await openStore(':memory:');
});
afterEach(() => store[Symbol.asyncDispose]());

const { signal } = new AbortController();

function passage(text: string, headings: string[] = []): Passage {
  return { text, headings, start: 0, end: text.length, tokens: text.split(' ').length };
}

function toSource(uuid: string, title = uuid) {
  return { uuid, title, file_name: `${uuid}.txt`, type: 'file' };
}

const put = (chatbot: string, uuid: string, ...passages: Passage[]) =>
  addSource(store, chatbot, toSource(uuid), passages);

const remove = (uuid: string) => store.transaction((tx) => tx.passages.remove(uuid));

async function search(tokens: string[], scope: PassageScope, limit: number) {
  const corpus = await store.index.corpus(scope.chatbot);
  const weights = new Map(tokens.map((token) => [token, 1]));
  return store.passages.get(await store.index.best(corpus, weights, scope, limit));
}

async function frequencies(tokens: string[], chatbot = 'bot') {
  const { passages, of } = await store.index.frequencies(await store.index.corpus(chatbot), tokens);
  return { passages, ...Object.fromEntries(of) };
}

const findTexts = async (word: string, limit = 10) =>
  (await search([word], { chatbot: 'bot' }, limit)).map(({ text }) => text);

test('the store finds the passages of one chatbot, best first, with their source', async () => {
  await put('bot', 'a', passage('a cat and a dog and a bird'), passage('cat cat', ['Cats']));
  await put('bot', 'b', { ...passage('dog'), page: 3 });
  await put('other', 'c', passage('cat'));
  const found = await search(['cat', 'dog'], { chatbot: 'bot' }, 10);
  expect(found.map(({ text }) => text).toSorted()).toEqual([
    'a cat and a dog and a bird',
    'cat cat',
    'dog',
  ]);
  expect(await search(['cat'], { chatbot: 'bot' }, 1)).toMatchObject([
    {
      text: 'cat cat',
      headings: ['Cats'],
      start: 0,
      end: 7,
      tokens: 2,
      source: { uuid: 'a', title: 'a', file_name: 'a.txt', type: 'file' },
    },
  ]);
  expect(await search(['dog'], { chatbot: 'bot', sources: ['b'] }, 10)).toMatchObject([
    { page: 3 },
  ]);
});

test('the store finds a passage by its headings and its source’s title', async () => {
  await put('bot', 'Handbook', passage('text', ['Opening hours']));
  expect(await findTexts('open')).toHaveLength(1);
  expect(await findTexts('handbo')).toHaveLength(1);
});

test('the store keeps to the sources it is given, to none of an empty list', async () => {
  await put('bot', 'a', passage('cat'));
  await put('bot', 'b', passage('cat'));
  const find = async (sources: string[]) =>
    (await search(['cat'], { chatbot: 'bot', sources }, 10)).map(({ source }) => source.uuid);
  expect(await find(['a'])).toEqual(['a']);
  expect(await find(['a', 'b'])).toEqual(['a', 'b']);
  expect(await find([])).toEqual([]);
  expect(await find(['nowhere'])).toEqual([]);
});

test('the store counts in how many of the chatbot’s passages a token is', async () => {
  await put('bot', 'a', passage('cat cat'), passage('cat dog'), passage('bird'));
  await put('other', 'b', passage('cat'));
  expect(await frequencies(['cat', 'dog', 'fish'])).toEqual({
    passages: 3,
    cat: 2,
    dog: 1,
    fish: 0,
  });
  await remove('a');
  await store.passages.deleteHidden(signal);
  expect(await frequencies(['cat'])).toEqual({ passages: 0, cat: 0 });
});

test('of equal passages, the earlier ones come first, however the caches were filled', async () => {
  await put('bot', 'a', ...Array.from({ length: 700 }, (_, place) => passage(`cat ${place % 2}`)));
  await put('bot', 'b', passage('dog cat 0'));
  const find = async (...tokens: string[]) =>
    (await search(tokens, { chatbot: 'bot' }, 5)).map(({ id }) => id);
  const ids = await find('cat', '0', 'dog');
  await find('0');
  expect(await find('cat', '0', 'dog')).toEqual(ids);
  expect(await find('cat')).toEqual((await find('cat')).toSorted((one, other) => one - other));
});

test('the store forgets a source with its passages, and deletes all of them', async () => {
  await put('bot', 'a', ...Array.from({ length: 120 }, () => passage('cat')));
  await put('bot', 'b', passage('cat'));
  await remove('a');
  await remove('a');
  const left = await search(['cat'], { chatbot: 'bot' }, 10);
  expect(left.map(({ source }) => source.uuid)).toEqual(['b']);
  await store.passages.deleteHidden(signal);
  expect(await frequencies(['cat'])).toEqual({ passages: 1, cat: 1 });
});

test('a draft is not found until it replaces what was there, in one step', async () => {
  await put('bot', 'a', ...Array.from({ length: 25 }, () => passage('old cat')));
  expect(await store.passages.publishedMs('a')).toBe(0);
  const [old] = await search(['old'], { chatbot: 'bot' }, 1);
  const draft = await store.drafts.begin('bot', toSource('a'));
  await draft.add([passage('new cat')]);
  await draft.finish();
  expect(await findTexts('new')).toEqual([]);
  expect(await findTexts('cat', 30)).toHaveLength(25);

  await store.transaction((tx) => tx.passages.publish(draft, 7));
  expect(await findTexts('new')).toEqual(['new cat']);
  expect(await findTexts('old')).toEqual([]);
  expect(await store.passages.get([old?.id ?? 0])).toEqual([]);
  expect(await store.passages.publishedMs('a')).toBe(7);
  await expect(store.transaction((tx) => tx.passages.publish(draft, 8))).rejects.toThrow(
    'is no draft',
  );
  await store.passages.deleteHidden(signal);
  expect(await frequencies(['cat'])).toEqual({ passages: 1, cat: 1 });
});

test('a publication that is rolled back changes nothing', async () => {
  await put('bot', 'a', passage('old cat'));
  const draft = await store.drafts.begin('bot', toSource('a'));
  await draft.add([passage('new cat')]);
  await draft.finish();
  const failing = store.transaction(async (tx) => {
    await tx.passages.publish(draft, 7);
    throw new Error('The rest failed.');
  });
  await expect(failing).rejects.toThrow('The rest failed.');
  expect(await findTexts('cat')).toEqual(['old cat']);
});

test('a draft that is discarded leaves the source as it was', async () => {
  await put('bot', 'a', passage('old cat'));
  const ends = [
    (version: number) => store.passages.discard(version),
    () => store.passages.discardDrafts('a'),
    () => store.passages.discardAbandoned(),
  ];
  for (const end of ends) {
    const draft = await store.drafts.begin('bot', toSource('a'));
    await draft.add([passage('new cat')]);
    await end(draft.version);
  }
  await store.passages.deleteHidden(signal);
  expect(await findTexts('cat')).toEqual(['old cat']);
  expect(await frequencies(['cat'])).toEqual({ passages: 1, cat: 1 });
});

test('a new title reaches a draft too', async () => {
  await put('bot', 'a', passage('old'));
  const draft = await store.drafts.begin('bot', toSource('a'));
  await draft.add([passage('new')]);
  await draft.finish();
  await store.passages.retitle(toSource('a', 'manual'));
  await store.passages.retitle(toSource('unknown', 'manual'));
  await store.transaction((tx) => tx.passages.publish(draft, 0));
  expect(await search(['manual'], { chatbot: 'bot', sources: ['a'] }, 10)).toMatchObject([
    { text: 'new', source: { title: 'manual' } },
  ]);
});

test('the store finds the first passages of a source by its new title, and no more by the old one', async () => {
  await put('bot', 'handbook', ...Array.from({ length: 150 }, (_, n) => passage(`leaf ${n}`)));
  const count = async (word: string) => (await findTexts(word, 1000)).length;
  expect([await count('handbo'), await count('manual')]).toEqual([100, 0]);
  await store.passages.retitle(toSource('handbook', 'manual'));
  expect([await count('handbo'), await count('manual')]).toEqual([0, 100]);
  expect(await frequencies(['leaf', 'manual'])).toEqual({ passages: 150, leaf: 150, manual: 100 });
});

test('the store searches among thousands of sources, for thousands of words', async () => {
  await put('bot', 'a', passage('cat'));
  const sources = ['a', ...Array.from({ length: 10_000 }, (_, index) => `source${index}`)];
  const words = ['cat', ...Array.from({ length: 2000 }, (_, index) => `word${index}`)];
  expect(await search(words, { chatbot: 'bot', sources }, 10)).toHaveLength(1);
});

test('passages of one source are in their order, a page at a time', async () => {
  await put('bot', 'a', ...Array.from({ length: 5 }, (_, index) => passage(`leaf ${index}`)));
  await put('bot', 'b', passage('other'));
  const version = (await store.passages.liveVersion('a')) ?? 0;
  const texts = (await store.passages.listFrom(version, 3, 9)).map(({ text }) => text);
  expect(texts).toEqual(['leaf 3', 'leaf 4']);
});

test('the store keeps tokens whole, in any script', async () => {
  await put('bot', 'a', passage('C++ 東京 überall'), passage('C'));
  for (const token of tokenize('C++ 東京 überall')) {
    expect(await frequencies([token])).toEqual({ passages: 2, [token]: 1 });
    expect(await findTexts(token)).toHaveLength(1);
  }
});

test('the store is not misled by words of a query language', async () => {
  await put('bot', 'a', passage('cat'));
  for (const token of ['"', 'NOT', 'cat*', 'a:b', '^', '(', '·', "'", '%']) {
    expect(await search([token], { chatbot: 'bot', sources: ['"', 'a'] }, 10)).toEqual([]);
  }
});
