import { expect, test } from 'vitest';
import { atOnce } from '../../../src/shared/primitives/steps.ts';
import type { Passage } from '../../../src/service/ingestion/passages.ts';
import { createRetriever } from '../../../src/service/retrieval/retrieve.ts';
import { openDatabase } from '../../../src/service/store/database.ts';
import { createPassageStore } from '../../../src/service/store/passage-store.ts';
import { createRandom } from '../retrieval/sample.ts';

const words = 'cat dog bird fish cow hen fox owl bee ant'.split(' ');

function toSource(uuid: string, title = uuid) {
  return { uuid, title, file_name: '', type: 'upload' };
}

function toPassage(text: string, headings: string[] = []): Passage {
  return { text, headings, start: 0, end: 0, tokens: 1 };
}

test('ranks as SQLite’s own BM25 does', () => {
  const database = openDatabase(':memory:');
  const store = createPassageStore(database);
  const draw = createRandom(3);
  const random = (below: number) => Math.floor(draw() * below);
  const text = () => Array.from({ length: 1 + random(200) }, () => words[random(random(10) + 1)]);
  for (const chatbot of ['one', 'two']) {
    for (const name of ['a', 'b', 'c']) {
      store.putSource(chatbot, toSource(chatbot + name));
      const passages = Array.from({ length: 60 }, () =>
        toPassage(text().join(' '), random(3) === 0 ? [text().slice(0, 3).join(' ')] : []),
      );
      store.add(chatbot + name, passages);
    }
  }
  const ranked = database.prepare(
    `SELECT rowid AS id FROM passage_index
     WHERE passage_index MATCH ? AND rank MATCH 'bm25(0.0, 2.0, 1.0)' ORDER BY rank LIMIT 20`,
  );
  for (let count = 0; count < 40; count += 1) {
    const tokens = [
      ...new Set(Array.from({ length: 1 + random(4) }, () => words[random(10)] ?? '')),
    ];
    const sources = count % 2 === 0 ? ['onea', 'onec', 'twob'] : undefined;
    const match = `{headings body} : (${tokens.map((token) => `"one·${token}"`).join(' OR ')})`;
    const among = sources ? `source : ("onea" OR "onec") AND ${match}` : match;
    expect(store.search(tokens, { chatbot: 'one', sources }, 20)).toEqual(
      ranked.all(among).map(({ id }) => id),
    );
  }
});

test('what is cached is as what is read anew, after every change', () => {
  const database = openDatabase(':memory:');
  const store = createPassageStore(database);
  const scope = { chatbot: 'bot' };
  const toHits = (passages: typeof store) =>
    ['cat', 'dog cat', 'fox?', 'owl'].map((query) =>
      createRetriever(passages).retrieve(query, scope, { limit: 5 }),
    );
  let draft = '';
  const changes: Record<string, () => void> = {
    'a source': () => store.putSource('bot', toSource('a')),
    passages: () => store.add('a', [toPassage('The cat sleeps.'), toPassage('A dog. A cat.')]),
    'more passages': () => store.add('a', [toPassage('A cat and a fox.')]),
    'a title': () => atOnce(store.retitle(toSource('a', 'Owl'))),
    'another chatbot': () => {
      store.putSource('other', toSource('x'));
      store.add('x', [toPassage('The cat.'), toPassage('An owl.')]);
    },
    'a draft': () => {
      draft = store.draft('bot', toSource('a', 'Fox'));
      store.add(draft, [toPassage('A cat, a dog.'), toPassage('A dog.')]);
    },
    'its publication': () => store.publish(draft, 1),
    'the deletion of what it replaces': () => atOnce(store.deleteHidden()),
    'its words’': () => atOnce(store.purge()),
    'a transaction that fails': () => {
      database.exec('BEGIN');
      store.add('a', [toPassage('An owl, an owl.')]);
      toHits(store);
      database.exec('ROLLBACK');
    },
    'indexing anew': () => {
      for (const _ of store.indexAnew('a'));
    },
    removal: () => store.remove('a'),
  };
  for (const [name, change] of Object.entries(changes)) {
    toHits(store);
    change();
    expect({ [name]: toHits(store) }).toEqual({ [name]: toHits(createPassageStore(database)) });
  }
});

test('what another version has indexed is ranked as ever, before and after it is indexed anew', () => {
  const database = openDatabase(':memory:');
  let store = createPassageStore(database);
  store.putSource('bot', toSource('a'));
  store.add('a', [toPassage('In 1066 the Fox sang.', ['Songs']), toPassage('A fox sings.')]);
  const rank = () =>
    createRetriever(store).retrieve('When did the fox sing?', { chatbot: 'bot' }, { limit: 5 });
  const hits = rank();
  expect(hits).toHaveLength(2);
  const count = database.prepare('SELECT count(*) AS count FROM passage_terms');

  database.exec(`UPDATE passage_terms SET terms = CAST('fox sing' AS BLOB);
      UPDATE passage_source SET tokens_version = 1`);
  store = createPassageStore(database);
  expect(rank()).toEqual(hits);
  expect(store.listOutdated()).toEqual(['a']);
  for (const _ of store.indexAnew('a'));
  expect(store.listOutdated()).toEqual([]);
  expect(count.get()).toEqual({ count: 2 });
  expect(rank()).toEqual(hits);

  store.remove('a');
  atOnce(store.deleteHidden());
  expect(count.get()).toEqual({ count: 0 });
});
