import { expect, test } from 'vitest';
import { cut, shorten } from '../../../src/shared/primitives/text.ts';

const family = '👩‍👩‍👧‍👦';

test.each([
  ['short', 5, 'short'],
  ['shorter', 5, 'shor…'],
  // A letter with its accent, a flag and a family are each one character to people.
  ['cafe\u0301s', 5, 'caf…'],
  ['🇨🇭🇨🇭', 6, '🇨🇭…'],
  [`${family}${family}`, family.length + 5, `${family}…`],
  [family, 4, '…'],
])('%j within %i units is %j', (text, max, short) => {
  expect(shorten(text, max)).toBe(short);
  expect(short.length).toBeLessThanOrEqual(max);
});

test('a text is cut between characters', () => {
  expect(cut(`ab${family}c`, 2)).toBe('ab');
  expect(cut(`ab${family}c`, 2 + family.length - 1)).toBe('ab');
  expect(cut(`ab${family}c`, 2 + family.length)).toBe(`ab${family}`);
});

test.each([family, '🇨🇭🇨🇭🇨🇭', 'e\u0301e\u0301', '\r\n\r\n', 'नमस्ते'])(
  'text after the cut in %j makes no difference',
  (text) => {
    for (let max = 0; max < text.length; max += 1) {
      expect(cut(text + family, max)).toBe(cut(text, max));
    }
  },
);
