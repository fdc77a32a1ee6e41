import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toRefusal } from '../../../src/service/answer/answer-texts.ts';
import {
  type Draft,
  maxTitleLength,
  toDocument,
  toPlainText,
} from '../../../src/service/ingestion/document.ts';
import { fromArchived } from '../../../src/service/ingestion/kinds/archived.ts';
import { fromHtml } from '../../../src/service/ingestion/kinds/html.ts';
import { fromMarkdown } from '../../../src/service/ingestion/kinds/markdown.ts';
import { countTokens, toPassages } from '../../../src/service/ingestion/passages.ts';
import { toUnits } from '../../../src/service/ingestion/units.ts';
import type { Hit } from '../../../src/service/retrieval/retrieve.ts';
import { p, toDocx } from '../../fixtures/documents/office.ts';

const sentence = 'The duke crossed the channel with a fleet of seven hundred ships. ';

test.each([
  ['lighthouse keeper', 3],
  ['1847', 2],
  ['No. 1,024', 5],
  ['東京都', 3],
  ['二〇二四年', 5],
])('%j has %i tokens', (text, tokens) => {
  expect(countTokens(text)).toBe(tokens);
});

describe('units', () => {
  const texts = (text: string): string[] =>
    toUnits(text).map((unit) => `${unit.kind}: ${unit.text}`);

  test('are sentences, items and code', () => {
    expect(
      texts('One. Two!\n\n- a\n  more of a\n- b\n```sh\nnpm ci\n\nnpm start\n```\nEnd'),
    ).toEqual([
      'sentence: One.',
      'sentence: Two!',
      'item: - a\n  more of a',
      'item: - b',
      'code: ```sh\nnpm ci\n\nnpm start\n```',
      'sentence: End',
    ]);
  });

  test('do not end at abbreviations, initials or numbers', () => {
    expect(texts('Dr. A. Smith of the U.S. Army knows e.g. version 2.1 well. He left.')).toEqual([
      'sentence: Dr. A. Smith of the U.S. Army knows e.g. version 2.1 well.',
      'sentence: He left.',
    ]);
  });

  test('are no code between rulers', () => {
    expect(texts('~~~~~~\nOne. Two.')).toEqual([
      'sentence: ~~~~~~',
      'sentence: One.',
      'sentence: Two.',
    ]);
  });

  test('end where Chinese sentences do', () => {
    expect(texts('你好。世界！')).toEqual(['sentence: 你好。', 'sentence: 世界！']);
  });
});

describe('passages', () => {
  const document = (...blocks: { text: string; headings: string[]; page?: number }[]) =>
    toDocument({ title: 'T', blocks });

  test('of a long text have 200 to 300 tokens and overlap by a sentence or two', () => {
    const numbered = Array.from({ length: 100 }, (_, index) => `${index}: ${sentence}`).join('');
    const passages = toPassages(document({ text: numbered, headings: [] }));
    expect(passages.length).toBeGreaterThan(3);
    for (const { tokens } of passages) {
      expect(tokens).toBeLessThanOrEqual(350);
      expect(tokens).toBeGreaterThanOrEqual(200);
    }
    const overlaps = passages
      .slice(1)
      .map(({ start }, index) => (passages[index]?.end ?? 0) - start);
    expect(Math.min(...overlaps)).toBeGreaterThanOrEqual(sentence.length);
    expect(Math.max(...overlaps)).toBeLessThan(3 * sentence.length);
  });

  test('never cross a heading, and know headings and page', () => {
    const passages = toPassages(
      document(
        { text: 'One.', headings: ['A'], page: 1 },
        { text: 'Two.', headings: ['A'], page: 2 },
        { text: 'Three.', headings: ['A', 'B'], page: 2 },
        { text: 'Four.', headings: ['C'] },
      ),
    );
    expect(passages).toEqual([
      { text: 'One.\n\nTwo.', headings: ['A'], page: 1, start: 0, end: 10, tokens: 4 },
      { text: 'Three.', headings: ['A', 'B'], page: 2, start: 12, end: 18, tokens: 2 },
      { text: 'Four.', headings: ['C'], start: 20, end: 25, tokens: 2 },
    ]);
  });

  test('without sentences are cut between words', () => {
    const passages = toPassages(document({ text: 'word '.repeat(2000), headings: [] }));
    expect(passages.every(({ tokens }) => tokens <= 350)).toBe(true);
    expect(passages.every(({ text }) => /^word(?: word)* ?$/u.test(text))).toBe(true);
  });

  test('have correct offsets and lose nothing, whatever the document', () => {
    const text = fc.oneof(
      fc.lorem({ mode: 'sentences', maxCount: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constantFrom(
        '- a\n- b',
        '```\ncode\n```',
        '漢字'.repeat(900),
        'x'.repeat(5000),
        '😀'.repeat(999),
      ),
    );
    const block = fc.record({ text, headings: fc.subarray(['A', 'B']) });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
        const made = document(...blocks);
        const plain = toPlainText(made);
        const passages = toPassages(made);
        const lost = plain.split('');
        for (const passage of passages) {
          expect(plain.slice(passage.start, passage.end)).toBe(passage.text);
          expect(passage.text.isWellFormed()).toBe(true);
          expect(passage.tokens).toBeLessThanOrEqual(400);
          lost.fill(' ', passage.start, passage.end);
        }
        expect(lost.join('').trim()).toBe('');
      }),
    );
  });
});

const long = 'word '.repeat(20_000).trim();
const text = '<p>Lamps are lit at dusk.</p>'.repeat(5_000);
const style = '<w:pStyle w:val="h"/>';

test.each<[string, () => Draft | Promise<Draft>]>([
  ['a page', () => fromHtml(`<title>${long}</title><h1>${long}</h1>${text}`)],
  ['Markdown', () => fromMarkdown(`---\ntitle: ${long}\n---\n# ${long}\n\nLamps are lit.`)],
  [
    'a Word document',
    () =>
      fromArchived(
        toDocx(p(long, style) + p('Lamps.'), { title: long, styles: { h: 'heading 1' } }),
      ),
  ],
])('%s has short titles and headings, and keeps their words', async (_, read) => {
  const document = toDocument(await read());
  expect(document.title).toMatch(/^word word .*…$/u);
  expect(document.title.length).toBeLessThanOrEqual(maxTitleLength);

  const passages = toPassages(document);
  const headings = passages.flatMap((passage) => passage.headings);
  expect(headings.length).toBeGreaterThan(0);
  expect(Math.max(...headings.map(({ length }) => length))).toBeLessThanOrEqual(maxTitleLength);
  const words = passages.map((passage) => passage.text).join(' ');
  expect(words.match(/word/gu)?.length).toBeGreaterThanOrEqual(20_000);
});

test('a heading of usual length stays whole, and is no text', () => {
  const heading = 'a'.repeat(maxTitleLength);
  const { blocks } = toDocument(fromHtml(`<h1>${heading}</h1><p>Lamps.</p>`));
  expect(blocks).toMatchObject([{ text: 'Lamps.', headings: [heading] }]);
});

test('a refusal quotes the beginning of a long title', () => {
  const source = { uuid: 'a', title: long, file_name: 'a.html', type: 'file' };
  const hit = {
    coverage: 0.3,
    passage: { source, headings: [long, `x${long}`] },
  } as unknown as Hit;
  expect(toRefusal('lamps', [hit])).toMatch(/“word .*…” \(xword .*…\)/u);
  expect(toRefusal('lamps', [hit]).length).toBeLessThan(500);
});
