import { describe, expect, it } from 'vitest';
import { type ReplyWatch, watchReply } from './measure.ts';
import { createScript, readTokens, renderReply } from './script.ts';

/** A reply whose deltas left a second apart, from 1000 on, and that ended with the last of them. */
function sendAll(count: number): ReplyWatch {
  const watch = watchReply();
  watch.sent.push(...Array.from({ length: count }, (_, index) => 1000 * (index + 1)));
  watch.ended = 1000 * count;
  return watch;
}

describe('watchReply', () => {
  it('averages the age of the oldest delta not seen over the time until all is seen', () => {
    const watch = sendAll(3);
    watch.see({ at: 1500, tokens: [1] });
    watch.see({ at: 3200, tokens: [1, 2] });
    watch.see({ at: 3500, tokens: [1, 2, 3] });
    const ages = 500 ** 2 / 2 + 1200 ** 2 / 2 + (500 ** 2 - 200 ** 2) / 2;
    expect(watch.measure()).toEqual({
      firstTextMs: 500,
      stalenessMs: ages / 2500,
      tailMs: 500,
      lost: 0,
      reordered: 0,
    });
  });

  it('is whole once nothing is missing and the upstream has ended', () => {
    const watch = sendAll(2);
    watch.see({ at: 2100, tokens: [2] });
    expect(watch.isWhole).toBe(false);
    watch.see({ at: 2200, tokens: [1, 2] });
    expect(watch.isWhole).toBe(true);
  });

  it('tells what was lost, and has no tail for it', () => {
    const watch = sendAll(3);
    watch.see({ at: 3100, tokens: [1, 3] });
    expect(watch.measure()).toMatchObject({ lost: 1, reordered: 0, tailMs: Number.NaN });
  });

  it.each([
    [[2, 1, 3], 2],
    [[1, 2, 2, 3], 2],
    [[1, 2, 3], 0],
  ])('tells what is out of order in %j', (tokens, reordered) => {
    const watch = sendAll(3);
    watch.see({ at: 3100, tokens });
    expect(watch.measure().reordered).toBe(reordered);
  });
});

describe('readTokens', () => {
  it('finds every token of a reply, and no other number', () => {
    const script = createScript('q', { atMs: 0, characters: 500, overMs: 1000 });
    const text = `${renderReply(script)}\n\nSources: [1] page-20261121.html · 12345`;
    expect(readTokens(text)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });
});
