import { assert, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  displayWidth,
  fenceTables,
} from '../../../../src/bridge/conversation/markdown/fence-tables.ts';
import { corpus, disorder } from './corpus.ts';

test('a table becomes fenced text with aligned columns', () => {
  const table =
    '| Fruit | Price | In stock |\n|:--|--:|:-:|\n| Apple | 1.20 | yes |\n| Fig | 12 | no |';
  expect(fenceTables(`Our fruit:\n${table}\n\nEnjoy!`)).toBe(
    [
      'Our fruit:',
      '```',
      'Fruit  Price  In stock',
      '-----  -----  --------',
      'Apple   1.20    yes',
      'Fig       12     no',
      '```',
      '',
      'Enjoy!',
    ].join('\n'),
  );
});

test('wide characters and emoji take two cells', () => {
  expect(
    fenceTables('| 名前 | n |\n|---|---|\n| りんご 🍎 | 1 |\n| ﾊﾝｶｸ | 2 |\n| 👩🏽‍💻 é हिं | 3 |'),
  ).toBe(
    [
      '```',
      '名前       n',
      '---------  -',
      'りんご 🍎  1',
      'ﾊﾝｶｸ       2',
      '👩🏽‍💻 é हिं     3',
      '```',
    ].join('\n'),
  );
  expect(['a', '字', '🇩🇪', '❤️', '1️⃣', 'e\u0301', 'ｱ', '。'].map(displayWidth)).toEqual([
    1, 2, 2, 2, 2, 1, 1, 2,
  ]);
});

test('marks are left out of cells, links follow below', () => {
  const row = '| **bold** *it* ~~no~~ `a_b` $x_1$ | [docs](https://a.example/d) \\| 1<br>2 |';
  expect(fenceTables(`| a | b |\n|---|---|\n${row}`)).toBe(
    [
      '```',
      'a                     b',
      '--------------------  --------',
      'bold it no a_b $x_1$  docs | 1',
      '                      2',
      '```',
      '[docs](https://a.example/d)',
    ].join('\n'),
  );
});

test('long cells wrap, long words break', () => {
  const fenced = fenceTables(
    `| key | value |\n|---|---|\n| a | ${'word '.repeat(40)}|\n| b | ${'字'.repeat(60)} |`,
  );
  const widths = fenced.split('\n').map(displayWidth);
  expect(Math.max(...widths)).toBeLessThanOrEqual(76);
  expect(fenced.match(/word/g)).toHaveLength(40);
  expect(fenced.match(/字/g)).toHaveLength(60);
});

test('a table with backticks gets a longer fence', () => {
  expect(fenceTables('| a |\n|---|\n| x ``` y |').split('\n')[0]).toBe('````');
});

describe('what stays as it is', () => {
  test.each([
    ['a table in fenced code', '```\n| a | b |\n|---|---|\n```'],
    ['pipes without a delimiter row', '| a | b |\n| c | d |'],
    ['a delimiter row of another width', '| a | b |\n|---|'],
    ['a table in a quote', '> | a | b |\n> |---|---|'],
    ['plain text', 'a | b\n\n---'],
  ])('%s', (_, markdown) => {
    expect(fenceTables(markdown)).toBe(markdown);
  });
});

test('rows may have too few cells or too many', () => {
  expect(fenceTables('| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |')).toBe(
    '```\na  b\n-  -\n1\n1  2\n```',
  );
});

test.each(['> A quote | of two', '## A heading | of two', '```\na | b\n```'])(
  'ends before what is no row: %j',
  (after) => {
    const fenced = fenceTables(`| a | b |\n|---|---|\n| 1 | 2 |\n${after}`);
    expect(fenced).toBe(`\`\`\`\na  b\n-  -\n1  2\n\`\`\`\n${after}`);
  },
);

test.each(corpus)('every letter stays: %s', (_, text) => {
  const letters = (markdown: string) => (markdown.match(/[\p{L}\p{M}\p{N}]/gu) ?? []).toSorted();
  const fenced = letters(fenceTables(text)).join('');
  expect(fenced.length).toBeGreaterThanOrEqual(letters(text).length);
  expect(new Set(letters(text)).difference(new Set(fenced))).toEqual(new Set());
});

test('fencing again changes nothing', () => {
  assert(
    property(disorder, (text) => {
      const fenced = fenceTables(text);
      expect(fenceTables(fenced)).toBe(fenced);
    }),
    { numRuns: 500 },
  );
});

test('a table of very many columns stays as it is', () => {
  const wide = ['| a ', '| - ', '| b '].map((cell) => `${cell.repeat(30)}|`).join('\n');
  expect(fenceTables(wide)).toBe(wide);
});
