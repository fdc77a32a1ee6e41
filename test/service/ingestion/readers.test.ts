import { expect, test } from 'vitest';
import { countReaders } from '../../../src/service/ingestion/reading-process.ts';

test.each([
  [1, 64, 2],
  [2, 64, 3],
  [4, 64, 5],
  [64, 64, 8],
  [8, 3, 3],
  [8, 0.5, 2],
])('%i cores and %f GiB read %i files at once', (cores, gibibytes, readers) => {
  expect(countReaders({ cores, memoryBytes: gibibytes * 1024 ** 3 })).toBe(readers);
});
