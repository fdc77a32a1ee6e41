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

test('small print is below the text, or alone', () => {
  expect(renderMessage({ markdown: 'Text', footer: 'Note' }).text).toBe('Text\n-# Note');
  expect(renderMessage({ markdown: '', footer: 'Note' }).text).toBe('-# Note');
});

test('a text of max size has room for small print', () => {
  const fits = (characters: number) =>
    messageLimits.fitsBelow?.('x'.repeat(1_800), 'n'.repeat(characters));
  expect(fits(196)).toBe(true);
  expect(fits(197)).toBe(false);
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
  const lengths = pieces.map((markdown) => renderMessage({ markdown }).text.length);
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
