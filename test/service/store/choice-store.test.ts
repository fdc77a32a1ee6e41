import { expect, test } from 'vitest';
import { atOnce } from '../../../src/shared/primitives/steps.ts';
import { openDatabase } from '../../../src/service/store/database.ts';
import { createStore } from '../../../src/service/store/store.ts';

const times = { createdMs: 0, modifiedMs: 0 };
const holder = { noun: 'tag', uuid: 'tag' } as const;

/** A tag, and sources to choose from. */
function open() {
  const database = openDatabase(':memory:');
  const store = createStore(database);
  const rate = { rateMessages: 1, rateSeconds: 1, rateLimitMessage: '' };
  const shown = { showCitations: true, visibility: 'private' };
  store.chatbots.insert({ uuid: 'bot', owner: 'anna', name: '', ...rate, ...shown, ...times });
  const inBot = { chatbot: 'bot', ...times };
  store.tags.insert({ uuid: 'tag', name: 'Tag', color: '#123456', sources: [], ...inBot });
  const sources = Array.from({ length: 2500 }, (_, index) => `source-${index}`);
  const empty = { identity: null, titleIsGiven: true, fileName: '', fileSize: 0, contentType: '' };
  const insert = (uuid: string) => {
    const source = { uuid, type: 'qa', title: '', tokens: 0, status: 'success' } as const;
    store.sources.insert({ ...source, ...empty, meta: {}, ...inBot });
  };
  store.transaction(() => sources.forEach(insert));
  const chosen = () => store.tags.get('tag', 'anna')?.sources;
  const count = (table = 'choices') =>
    Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);
  return { database, store, sources, insert, chosen, count };
}

test('a choice is seen whole or not at all, and the one before is deleted', () => {
  const { database, store, sources, chosen, count } = open();
  using _ = database;
  const old = atOnce(store.choices.write(sources.slice(0, 2)));
  store.choices.give(old, holder);
  store.choices.release(old);

  const steps = store.choices.write(sources);
  for (let count = 0; count < 2; count += 1) steps.next();
  atOnce(store.choices.deleteUnused());
  expect(chosen()).toEqual(sources.slice(0, 2));
  const written = atOnce(steps);
  expect(chosen()).toEqual(sources.slice(0, 2));
  store.choices.give(written, holder);
  expect(chosen()).toEqual(sources);

  store.choices.release(written);
  atOnce(store.choices.deleteUnused());
  expect(count()).toBe(1);
  store.tags.delete('tag');
  atOnce(store.choices.deleteUnused());
  expect(count()).toBe(0);
});

test('a choice that a process has not finished is deleted by the next', () => {
  const { database, store, sources, count } = open();
  using _ = database;
  store.choices.write(sources).next();
  expect(count()).toBe(1);
  atOnce(createStore(database).choices.deleteUnused());
  expect(count()).toBe(0);
});

test('a source that is gone is not chosen any more, and neither is the next new one', () => {
  const { database, store, sources, insert, chosen, count } = open();
  using _ = database;
  const [kept = '', gone = ''] = sources.slice(-2);
  store.choices.give(atOnce(store.choices.write([kept, gone])), holder);
  const numbers = store.sources.listNumbers([gone]);
  store.sources.delete(gone);
  insert('new');
  expect(chosen()).toEqual([kept]);
  atOnce(store.choices.forget('bot', numbers));
  expect(chosen()).toEqual([kept]);
  expect(count('chosen_sources')).toBe(1);
});
