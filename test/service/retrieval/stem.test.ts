import { expect, test } from 'vitest';
import { areKin, toStem } from '../../../src/service/retrieval/stem.ts';

test.each([
  ['cities', 'city'],
  ['running', 'run'],
  ['died', 'die'],
  ['stopped', 'stop'],
  ['ruler', 'rule'],
  ['ruled', 'ruling'],
  ['boxes', 'box'],
  ['languages', 'language'],
])('%s and %s have one stem', (one, other) => {
  expect(toStem(one)).toBe(toStem(other));
});

test.each([
  ['king', 'kin'],
  ['this', 'thi'],
  ['bus', 'bu'],
  ['red', 'r'],
])('%s does not become %s', (word, wrong) => {
  expect(toStem(word)).not.toBe(wrong);
});

test.each([
  ['religion', 'religiou', true],
  ['conquer', 'conquest', true],
  ['norman', 'normandy', true],
  ['normandy', 'norman', true],
  ['hund', 'hundert', false],
  ['port', 'port', false],
  ['port', 'portugal', false],
  ['cat', 'cats', false],
  ['1066', '10667', false],
  ['', 'word', false],
])('whether %s and %s are of one family: %s', (one, other, kin) => {
  expect(areKin(one, other)).toBe(kin);
});
