import { assert, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  closeMarkdown,
  closingRoom,
} from '../../../../src/bridge/conversation/markdown/close-markdown.ts';
import { corpus, disorder } from './corpus.ts';
import { findOpenFence } from './pieces.ts';

function testEach(cases: [half: string, shown: string][]): void {
  test.each(cases)('%j is shown as %j', (half, shown) => {
    expect(closeMarkdown(half)).toBe(shown);
  });
}

describe('emphasis is closed', () => {
  testEach([
    ['so **bold', 'so **bold**'],
    ['so **bold ', 'so **bold** '],
    ['so **bold*', 'so **bold**'],
    ['so **', 'so'],
    ['one\n\n**', 'one\n\n'],
    ['> one\n>\n> **', '> one\n'],
    ['*it **both*', '*it **both***'],
    ['~~gone~', '~~gone~~'],
    ['- [ ] _to do', '- [ ] _to do_'],
    ['> **quo', '> **quo**'],
    ['## **Ti', '## **Ti**'],
    ['这是**重点', '这是**重点**'],
    ['*two\nlines', '*two\nlines*'],
    ['**see https://a.example/b_c', '**see https://a.example/b_c**'],
    ['**a\\', '**a**'],
  ]);
});

describe('what is no emphasis stays', () => {
  testEach([
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['5*6 and 2**3', '5*6 and 2**3'],
    ['snake_case and _', 'snake_case and'],
    ['a \\* b', 'a \\* b'],
    ['$a_b$ and $x_{1} + _', '$a_b$ and $x_{1} + _'],
    ['$$\nx_1 *', '$$\nx_1 *'],
    ['\\(a_1 + *b', '\\(a_1 + *b'],
    ['from $5 to **ten', 'from $5 to **ten**'],
    ['**over\n\nand done', '**over\n\nand done'],
    ['**over\r\n\r\n', '**over\r\n\r\n'],
    ['https://a.example/_b', 'https://a.example/_b'],
  ]);
});

describe('code is closed', () => {
  testEach([
    ['run `npm', 'run `npm`'],
    ['run `', 'run'],
    ['``a ` b`', '``a ` b``'],
    ['`**a', '`**a`'],
    ['```js\nlet a', '```js\nlet a\n```'],
    ['```js\nlet a\n``', '```js\nlet a\n```'],
    ['text\n~~~~\n```\n', 'text\n~~~~\n```\n~~~~'],
    ['> ```\n> a', '> ```\n> a\n> ```'],
    ['text\n```js', 'text\n'],
    ['text\n```js\n', 'text\n'],
  ]);
});

describe('a half link is shown as its text', () => {
  testEach([
    ['see [the **guide', 'see the **guide**'],
    ['see [the guide](https://a.exam', 'see the guide'],
    ['see [the guide](https://a.example "Ti', 'see the guide'],
    ['see [the guide](https://a.example)', 'see [the guide](https://a.example)'],
    ['![a photo](https://a', 'a photo'],
    ['![a photo]', 'a photo'],
    ['see <https://a.exam', 'see https://a.exam'],
    ['a fact [3.', 'a fact'],
    ['a fact [3.4]', 'a fact [3.4]'],
    ['values in [0, 1) are **fine', 'values in [0, 1) are **fine**'],
  ]);
});

describe('a table grows by cells', () => {
  const head = '| a | b |\n|---|---|\n';
  testEach([
    ['text\n| a | b', 'text\n'],
    ['text\n| a | b |\n|--', 'text\n'],
    [`${head}| 1`, `${head}| 1 |`],
    [`${head}| 1 | **2`, `${head}| 1 | **2** |`],
    [`${head}| 1 | \``, `${head}| 1 |`],
    [`${head}|`, head],
    ['a | b\n--|--\n1 | *2', 'a | b\n--|--\n1 | *2*'],
    [`${head}> a | *quo`, `${head}> a | *quo*`],
  ]);
});

describe('marks without text are left out', () => {
  testEach([
    ['- one\n- ', '- one\n'],
    ['- one\n- [', '- one\n'],
    ['- one\n- [ ]', '- one\n'],
    ['1. one\n2.', '1. one\n'],
    ['text\n\n##', 'text\n\n'],
    ['text\n--', 'text\n'],
    ['> text\n>', '> text\n'],
    ['It began in\n1999.', 'It began in\n1999.'],
    ['42', '42'],
    ['text\n\n---', 'text\n\n---'],
  ]);
});

test.each(corpus)('a finished text is returned as it is: %s', (_, text) => {
  expect(closeMarkdown(text)).toBe(text);
  expect(closeMarkdown(text.trimEnd())).toBe(text.trimEnd());
});

test.each(corpus)('every prefix shows no mark raw, nor leaves a fence open: %s', (_, text) => {
  const prefixes = Array.from({ length: text.length }, (_, end) => text.slice(0, end));
  const wrong = prefixes.filter((prefix) => {
    const closed = closeMarkdown(prefix);
    const raw = findOpenFence(prefix) === undefined && rawMarks(closed).length > 0;
    return raw || findOpenFence(closed) !== undefined || closeMarkdown(closed) !== closed;
  });
  expect(wrong).toEqual([]);
});

test('closing again changes nothing, and closing adds little', () => {
  assert(
    property(disorder, (text) => {
      const closed = closeMarkdown(text);
      expect(closeMarkdown(closed)).toBe(closed);
      const fence = findOpenFence(text);
      const room = closingRoom + (fence === undefined ? 0 : 20);
      expect(closed.length).toBeLessThanOrEqual(text.length + room);
    }),
    { numRuns: 500 },
  );
});

/** Marks in the last paragraph that a reader would see as they are. */
function rawMarks(markdown: string): string[] {
  const paragraph = markdown.split('\n\n').at(-1) ?? '';
  if (/^[ >]*(?:```|~~~)/m.test(paragraph)) return [];
  const plain = paragraph
    .replaceAll(/`+[^`]+`+|\$\$?[^$]+\$\$?/g, '')
    .replaceAll(/\[[^\]]*\]\([^)\s]*(?:\([^)]*\))?[^)]*\)|<[^>\s]*>|https?:\S+/g, '')
    .replaceAll(/\*\*[^*]+\*\*|~~[^~]+~~/g, '');
  return plain.match(/\*\*|~~|`|\]\(|!\[|^\s*(?:[-*+]|#+)\s*$/gm) ?? [];
}
