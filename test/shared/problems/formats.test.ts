import { expect, test } from 'vitest';
import { formatSize } from '../../../src/shared/problems/formats.ts';

const mb = 1024 * 1024;

test.each([
  [0, '0 B'],
  [640, '640 B'],
  [1023, '1,023 B'],
  [1024, '1 kB'],
  [12_300, '12 kB'],
  [mb - 1, '1 MB'],
  [3.42 * mb, '3.4 MB'],
  [25 * mb, '25 MB'],
  [1.25 * 1024 * mb, '1.3 GB'],
  [4_000_000 * mb, '3,906.3 GB'],
])('%d bytes are %s', (bytes, shown) => {
  expect(formatSize(bytes, 'en')).toBe(shown);
});

test('sizes are written in the reader’s language', () => {
  expect(formatSize(3.42 * mb, 'de')).toBe('3,4 MB');
});
