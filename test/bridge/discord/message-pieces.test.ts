import { assert, property } from 'fast-check';
import { expect, test } from 'vitest';
import { splitMarkdown } from '../conversation/markdown/pieces.ts';
import {
  messageLimits,
  newMessageBody,
  renderMessage,
} from '../../../src/bridge/discord/message.ts';
import { fitsRendered, renderMarkdown } from '../../../src/bridge/discord/render.ts';
import { corpus, disorder } from '../conversation/markdown/corpus.ts';

test('small print is below the text', () => {
  expect(renderMessage({ markdown: 'Text', footer: 'Note' })).toEqual([{ text: 'Text\n-# Note' }]);
});

test('a text of max size has room for small print', () => {
  const markdown = 'x'.repeat(1_800);
  expect(renderMessage({ markdown, footer: 'n'.repeat(150) })).toHaveLength(1);
});

test('small print that does not fit follows, and nothing is lost', () => {
  const sources = Array.from({ length: 120 }, (_, index) => `[${index}] a-file-of-the-handbook.md`);
  const markdown = 'x'.repeat(1_800);
  const [head, ...further] = renderMessage({ markdown, footer: sources.join(' · ') });
  expect(head.text).toBe(markdown);
  const below = further.map(({ text }) => text);
  expect(below.every((print) => print.length <= 2_000)).toBe(true);
  const words = below.join('\n').replaceAll(/(?:^|\n)-# /g, ' · ');
  expect(words).toBe(` · ${sources.join(' · ')}`);
});

test('what fits is measured as it is rendered, and leaves room for small print', () => {
  expect(messageLimits.fits('x'.repeat(1_800))).toBe(true);
  expect(messageLimits.fits('x'.repeat(1_801))).toBe(false);
  const breaking = '@everyone '.repeat(163);
  expect(messageLimits.fits(breaking + 'x'.repeat(7))).toBe(true);
  expect(messageLimits.fits(breaking + 'x'.repeat(8))).toBe(false);
});

test('no text is taken to fit that is too long once it is rendered', () => {
  const one = property(disorder, (text) => {
    const { length } = renderMarkdown(text);
    expect(fitsRendered(text, length)).toBe(true);
    expect(fitsRendered(text, length - 1)).toBe(false);
  });
  assert(one, {
    examples: [...corpus.map(([, text]) => text), '---\n'.repeat(40)].map((text) => [text]),
  });
});

test.each(corpus)('every piece of %s fits as it is rendered', (_, text) => {
  const pieces = splitMarkdown(text.repeat(3), messageLimits);
  const lengths = pieces.flatMap((markdown) =>
    renderMessage({ markdown }).map((part) => part.text.length),
  );
  expect(Math.max(...lengths)).toBeLessThanOrEqual(2_000);
});

test('every piece fits, whatever disorder it is in', () => {
  const fits = (markdown: string) => renderMarkdown(markdown).length <= 120;
  assert(property(disorder, (text) => splitMarkdown(text, { fits }).every(fits)));
});

test('each post has its own nonce, of a length that Discord accepts', () => {
  const [one, other] = [newMessageBody({ text: 'a' }), newMessageBody({ text: 'a' })];
  expect(one.nonce).not.toBe(other.nonce);
  expect(one.nonce.length).toBeLessThanOrEqual(25);
});
