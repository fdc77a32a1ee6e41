import { expect, test } from 'vitest';
import { atOnce } from '../../../src/shared/primitives/steps.ts';
import { toPassages } from '../../../src/service/ingestion/passages.ts';
import { toDocument } from '../../../src/service/ingestion/document.ts';
import { fromText } from '../../../src/service/ingestion/kinds/text.ts';
import { openDatabase } from '../../../src/service/store/database.ts';
import { createPassageStore } from '../../../src/service/store/passage-store.ts';
import { createVectorStore } from '../../../src/service/store/vector-store.ts';

function createStores(maxCacheBytes?: number) {
  const database = openDatabase(':memory:');
  const passages = createPassageStore(database);
  const vectors = createVectorStore(database, { maxCacheBytes });
  const add = (uuid: string, text: string, values: number[], model = 'tiny') => {
    passages.putSource('bot', { uuid, title: uuid, file_name: '', type: 'upload' });
    passages.add(uuid, toPassages(toDocument(fromText(text))));
    const [missing] = vectors.listMissing(uuid, model, 1);
    if (missing === undefined) throw new Error('There is no passage');
    vectors.put(model, [{ ...missing, vector: Float32Array.from(values) }]);
    return missing.id;
  };
  return { passages, vectors, add };
}

const query = { model: 'tiny', vector: Float32Array.from([1, 0]) };

test('finds the nearest first, as many as are wanted', () => {
  const { vectors, add } = createStores();
  const far = add('far', 'far', [-1, 0]);
  const near = add('near', 'near', [1, 0]);
  const middle = add('middle', 'middle', [0.6, 0.8]);
  expect(vectors.search(query, { chatbot: 'bot' }, 9)).toEqual([near, middle, far]);
  expect(vectors.search(query, { chatbot: 'bot' }, 2)).toEqual([near, middle]);
  expect(vectors.search(query, { chatbot: 'bot', sources: ['far', 'middle'] }, 9)).toEqual([
    middle,
    far,
  ]);
  expect(vectors.search(query, { chatbot: 'bot', sources: [] }, 9)).toEqual([]);
  expect(vectors.search(query, { chatbot: 'other' }, 9)).toEqual([]);
  expect(vectors.rank(query, [far, near])).toEqual([near, far]);
});

test('sees at once what came and what went', () => {
  const { passages, vectors, add } = createStores();
  const one = add('one', 'one', [1, 0]);
  expect(vectors.search(query, { chatbot: 'bot' }, 9)).toEqual([one]);
  const two = add('two', 'two', [0, 1]);
  expect(vectors.search(query, { chatbot: 'bot' }, 9)).toEqual([one, two]);
  passages.remove('one');
  expect(vectors.search(query, { chatbot: 'bot' }, 9)).toEqual([two]);
  expect(vectors.rank(query, [one, two])).toEqual([two]);
});

test('leaves vectors of another model or length alone', () => {
  const { vectors, add } = createStores();
  const mine = add('mine', 'mine', [1, 0]);
  add('other', 'other', [1, 0], 'large');
  add('longer', 'longer', [1, 0, 0]);
  expect(vectors.search(query, { chatbot: 'bot' }, 9)).toEqual([mine]);
  expect(vectors.listSourcesMissing('tiny')).toEqual(['other']);
  expect(vectors.listSourcesMissing('large')).toEqual(['mine', 'longer']);
});

test('does not give a passage the vector of a text that it held before', () => {
  const { passages, vectors, add } = createStores();
  const id = add('one', 'before', [1, 0]);
  passages.remove('one');
  atOnce(passages.deleteHidden());
  expect(add('one', 'after', [0, 1])).toBe(id);
  vectors.put('tiny', [{ id, text: 'before', vector: query.vector }]);
  add('two', 'near', [0.6, 0.8]);
  expect(vectors.search(query, { chatbot: 'bot' }, 1)).not.toEqual([id]);
});

test('keeps no more in memory than it may, and ranks where it keeps nothing', () => {
  const { vectors, add } = createStores(16);
  const one = add('one', 'one', [1, 0]);
  const two = add('two', 'two', [0, 1]);
  expect(vectors.search(query, { chatbot: 'bot' }, 9)).toEqual([one, two]);
  const three = add('three', 'three', [0.6, 0.8]);
  expect(vectors.search(query, { chatbot: 'bot' }, 9)).toBeUndefined();
  expect(vectors.rank(query, [two, three, one])).toEqual([one, three, two]);
});
