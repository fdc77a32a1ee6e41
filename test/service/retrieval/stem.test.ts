import { expect, test } from 'vitest';
import { toStem } from '../../../src/service/retrieval/stem.ts';

test.each([
  ['cities', 'city'],
  ['running', 'run'],
  ['died', 'die'],
  ['stopped', 'stop'],
  ['ruler', 'rule'],
  ['ruled', 'ruling'],
  ['boxes', 'box'],
  ['languages', 'language'],
  ['дорога', 'дорогу'],
  ['волки', 'волкам'],
  ['длина', 'длинои'],
  ['зал', 'зале'],
])('%s and %s have one stem', (one, other) => {
  expect(toStem(one)).toBe(toStem(other));
});

test.each([
  ['king', 'kin'],
  ['this', 'thi'],
  ['bus', 'bu'],
  ['red', 'r'],
  ['мир', 'м'],
])('%s does not become %s', (word, wrong) => {
  expect(toStem(word)).not.toBe(wrong);
});
