import { expect, test } from 'vitest';
import { areKin } from '../../../src/service/retrieval/stem.ts';

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
])('%s and %s: %s', (one, other, kin) => {
  expect(areKin(one, other)).toBe(kin);
});
