import { expect, test } from 'vitest';
import { fuse } from '../../../src/service/retrieval/retrieve.ts';

test('puts first what stands high in both lists', () => {
  const fused = fuse([1, 2, 3], [4, 2]);
  expect([...fused.keys()]).toEqual([2, 1, 4, 3]);
  expect(fused.get(2)).toBeCloseTo(2 / 62);
  expect(fused.get(3)).toBeCloseTo(1 / 63);
});

test('gives nothing for nothing', () => {
  expect(fuse([], []).size).toBe(0);
});
