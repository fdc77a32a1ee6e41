import { expect, test } from 'vitest';
import { atOnce } from '../../../src/shared/primitives/steps.ts';
import type { Passage } from '../../../src/service/ingestion/passages.ts';
import { tokenize } from '../../../src/service/retrieval/tokenize.ts';
import { openDatabase } from '../../../src/service/store/database.ts';
import { createPassageStore } from '../../../src/service/store/passage-store.ts';
import type { PassageScope } from '../../../src/service/store/seen-passages.ts';

function passage(text: string, headings: string[] = []): Passage {
  return { text, headings, start: 0, end: text.length, tokens: text.split(' ').length };
}

function createStore() {
  const database = openDatabase(':memory:');
  const passages = createPassageStore(database);
  const store = {
    ...passages,
    search: (tokens: string[], scope: PassageScope, limit: number) =>
      passages.get(passages.search(tokens, scope, limit), scope),
  };
  const put = (chatbot: string, uuid: string, ...passages: Passage[]): void => {
    store.putSource(chatbot, { uuid, title: uuid, file_name: `${uuid}.txt`, type: 'file' });
    store.add(uuid, passages);
  };
  return { database, store, put };
}

test('finds the passages of one chatbot, best first, with their source', () => {
  const { store, put } = createStore();
  put('bot', 'a', passage('a cat and a dog and a bird'), passage('cat cat', ['Cats']));
  put('bot', 'b', { ...passage('dog'), page: 3 });
  put('other', 'c', passage('cat'));
  const found = store.search(['cat', 'dog'], { chatbot: 'bot' }, 10);
  expect(found.map(({ text }) => text).toSorted()).toEqual([
    'a cat and a dog and a bird',
    'cat cat',
    'dog',
  ]);
  expect(store.search(['cat'], { chatbot: 'bot' }, 1)).toMatchObject([
    {
      text: 'cat cat',
      headings: ['Cats'],
      start: 0,
      end: 7,
      tokens: 2,
      source: { uuid: 'a', title: 'a', file_name: 'a.txt', type: 'file' },
    },
  ]);
  expect(store.search(['dog'], { chatbot: 'bot', sources: ['b'] }, 10)).toMatchObject([
    { page: 3 },
  ]);
});

test('finds a passage by its headings and its source’s title', () => {
  const { store, put } = createStore();
  put('bot', 'Handbook', passage('text', ['Opening hours']));
  expect(store.search(['open'], { chatbot: 'bot' }, 10)).toHaveLength(1);
  expect(store.search(['handbook'], { chatbot: 'bot' }, 10)).toHaveLength(1);
});

test('keeps to the sources it is given, to none of an empty list', () => {
  const { store, put } = createStore();
  put('bot', 'a', passage('cat'));
  put('bot', 'b', passage('cat'));
  const search = (sources: string[]) =>
    store.search(['cat'], { chatbot: 'bot', sources }, 10).map(({ source }) => source.uuid);
  expect(search(['a'])).toEqual(['a']);
  expect(search(['a', 'b']).toSorted()).toEqual(['a', 'b']);
  expect(search([])).toEqual([]);
  expect(search(['nowhere'])).toEqual([]);
});

test('counts in how many of the chatbot’s passages a token is', () => {
  const { store, put } = createStore();
  put('bot', 'a', passage('cat cat'), passage('cat dog'), passage('bird'));
  put('other', 'b', passage('cat'));
  expect(store.frequencies(['cat', 'dog', 'fish'], 'bot')).toEqual({
    passages: 3,
    of: new Map([
      ['cat', 2],
      ['dog', 1],
      ['fish', 0],
    ]),
  });
  store.remove('a');
  atOnce(store.deleteHidden());
  expect(store.frequencies(['cat'], 'bot')).toEqual({ passages: 0, of: new Map([['cat', 0]]) });
});

test('forgets a source with its passages', () => {
  const { store, put } = createStore();
  put('bot', 'a', passage('cat'));
  put('bot', 'b', passage('cat'));
  store.remove('a');
  store.remove('a');
  expect(store.search(['cat'], { chatbot: 'bot' }, 10).map(({ source }) => source.uuid)).toEqual([
    'b',
  ]);
});

test('a draft is not found until it replaces what was there, in one step', () => {
  const { database, store, put } = createStore();
  const source = { uuid: 'a', title: 'A', file_name: 'a.txt', type: 'file' };
  const find = (word: string) =>
    store.search([word], { chatbot: 'bot', sources: ['a'] }, 10).map(({ text }) => text);
  const count = () => Number(database.prepare('SELECT count(*) AS n FROM passage').get()?.['n']);
  put('bot', 'a', ...Array.from({ length: 25 }, () => passage('old cat')));
  expect(store.publishedMs('a')).toBe(0);
  const draft = store.draft('bot', source);
  store.add(draft, [passage('new cat')]);
  const ids = store.search(['old'], { chatbot: 'bot' }, 1).map(({ id }) => id);
  expect([find('new'), find('old').length, find('cat')[0]]).toEqual([[], 10, 'old cat']);

  store.publish(draft, 7);
  expect([find('new'), find('old'), find('cat')]).toEqual([['new cat'], [], ['new cat']]);
  expect(store.get(ids, { chatbot: 'bot' })).toEqual([]);
  expect(store.publishedMs('a')).toBe(7);
  expect(() => store.publish(draft, 8)).toThrow('No draft');

  // A merge of the index would block the process, the longer the larger the index is.
  const config = database.prepare(`SELECT v FROM passage_index_config WHERE k = 'deletemerge'`);
  expect(config.get()).toEqual({ v: 0 });
  const left = [count()];
  for (const _ of store.deleteHidden()) left.push(count());
  expect(left).toEqual([26, 16, 6, 1]);
  expect(store.frequencies(['cat'], 'bot')).toEqual({ passages: 1, of: new Map([['cat', 1]]) });
});

test('a draft that is removed leaves the source as it was', () => {
  const { store, put } = createStore();
  put('bot', 'a', passage('old cat'));
  const ends = [(draft: string) => store.remove(draft), () => store.removeDrafts()];
  for (const end of ends) {
    const draft = store.draft('bot', { uuid: 'a', title: 'A', file_name: '', type: 'file' });
    store.add(draft, [passage('new cat')]);
    end(draft);
  }
  atOnce(store.deleteHidden());
  expect(store.search(['cat'], { chatbot: 'bot' }, 10)).toMatchObject([{ text: 'old cat' }]);
  expect(store.frequencies(['cat'], 'bot').of.get('cat')).toBe(1);
});

test('a new title reaches a draft too', () => {
  const { store, put } = createStore();
  const source = { uuid: 'a', title: 'A', file_name: '', type: 'file' };
  put('bot', 'a', passage('old'));
  const draft = store.draft('bot', source);
  store.add(draft, [passage('new')]);
  atOnce(store.retitle({ ...source, title: 'manual' }));
  atOnce(store.retitle({ ...source, uuid: 'unknown' }));
  store.publish(draft, 0);
  expect(store.search(['manual'], { chatbot: 'bot', sources: ['a'] }, 10)).toMatchObject([
    { text: 'new', source: { title: 'manual' } },
  ]);
});

test('finds a source by its new title, and no more by the old one', () => {
  const { store, put } = createStore();
  const many = Array.from({ length: 150 }, (_, index) => passage(`leaf ${index}`));
  put('bot', 'handbook', ...many.slice(0, 70));
  store.add('handbook', many.slice(70));
  const count = (word: string) => store.search([word], { chatbot: 'bot' }, 1000).length;
  expect([count('handbook'), count('manual')]).toEqual([100, 0]);
  store.putSource('bot', { uuid: 'handbook', title: 'manual', file_name: 'x', type: 'file' });
  expect([count('handbook'), count('manual')]).toEqual([0, 100]);
  expect([count('leaf'), store.frequencies(['leaf'], 'bot').passages]).toEqual([150, 150]);
});

test('searches among thousands of sources, for thousands of words', () => {
  const { store, put } = createStore();
  put('bot', 'a', passage('cat'));
  const sources = ['a', ...Array.from({ length: 10_000 }, (_, index) => `source${index}`)];
  const words = ['cat', ...Array.from({ length: 2000 }, (_, index) => `word${index}`)];
  expect(store.search(words, { chatbot: 'bot', sources }, 10)).toHaveLength(1);
});

test('gives a source its new title in what it finds', () => {
  const { store, put } = createStore();
  put('bot', 'a', passage('cat'));
  store.putSource('bot', { uuid: 'a', title: 'New', file_name: 'n.txt', type: 'file' });
  expect(store.search(['cat'], { chatbot: 'bot' }, 1)[0]?.source.title).toBe('New');
  expect(store.frequencies([], 'bot').passages).toBe(1);
});

test('adds all passages of a call or none, within a transaction or without', () => {
  const { database, store, put } = createStore();
  put('bot', 'a', passage('cat'));
  const broken = { ...passage('dog'), tokens: 0.5 };
  expect(() => store.add('a', [passage('dog'), broken])).toThrow('cannot store REAL value');
  expect(store.frequencies(['dog'], 'bot')).toMatchObject({
    passages: 1,
    of: new Map([['dog', 0]]),
  });
  database.exec('BEGIN');
  store.add('a', [passage('dog')]);
  database.exec('ROLLBACK');
  expect(store.frequencies(['dog'], 'bot').passages).toBe(1);
  expect(() => store.add('unknown', [passage('dog')])).toThrow(
    'No source unknown: put it before its passages',
  );
});

test('keeps tokens whole, in any script', () => {
  const { store, put } = createStore();
  put('bot', 'a', passage('C++ 東京 überall'), passage('C'));
  for (const token of tokenize('C++ 東京 überall')) {
    expect(store.frequencies([token], 'bot').of.get(token)).toBe(1);
    expect(store.search([token], { chatbot: 'bot' }, 10)).toHaveLength(1);
  }
});

test('is not misled by words of its query language', () => {
  const { store, put } = createStore();
  put('bot', 'a', passage('cat'));
  for (const token of ['"', 'NOT', 'cat*', 'a:b', '^', '(', '·']) {
    expect(() => store.search([token], { chatbot: 'bot', sources: ['"', 'a'] }, 10)).not.toThrow();
  }
});
