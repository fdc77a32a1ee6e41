import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toDocument, toPlainText } from '../../../src/service/ingestion/document.ts';
import { toPassages } from '../../../src/service/ingestion/passages.ts';
import { toUnits } from '../../../src/service/ingestion/units.ts';

const sentence = 'The duke crossed the channel with a fleet of seven hundred ships. ';

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

  test('cut what has no sentences between words', () => {
    const passages = toPassages(document({ text: 'word '.repeat(2000), headings: [] }));
    expect(passages.every(({ tokens }) => tokens <= 350)).toBe(true);
    expect(passages.every(({ text }) => /^word(?: word)* ?$/u.test(text))).toBe(true);
  });

  test('have true offsets and lose nothing, whatever the document', () => {
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
