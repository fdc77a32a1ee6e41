import { array, asyncProperty, boolean, constantFrom, assert, integer, record } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Ending } from '../../../../src/bridge/conversation/inbox/row.ts';
import { closeMarkdown } from '../../../../src/bridge/conversation/markdown/close-markdown.ts';
import { createPacer } from '../../../../src/bridge/conversation/reply/pacer.ts';
import { Reply } from '../../../../src/bridge/conversation/reply/reply.ts';
import { textsFor } from '../../../../src/bridge/texts/texts.ts';
import { createFakeThread, type FakeThread } from '../../../fixtures/fake-thread.ts';
import { corpus } from '../markdown/corpus.ts';
import { assertWhole, findOpenFence } from '../markdown/pieces.ts';
import { settle, writeTimes } from '../set-up-conversation.ts';

const done: Omit<Ending, 'text'> = {
  footer: '',
  buttons: [{ action: 'retry', turn: 't', label: 'Done' }],
};

describe('a reply that grows by messages', () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    });
  });
  afterEach(() => void vi.useRealTimers());

  /** A reply where edits, and so many posts, are used up. */
  function open(thread: FakeThread, usedPosts = 0): Reply {
    const pacer = createPacer();
    while (pacer.hasRoom(thread.budgets.edit, 2)) pacer.join(thread.budgets.edit);
    void writeTimes(usedPosts, pacer, thread.budgets.post);
    return new Reply({
      thread,
      pacer,
      turn: 't',
      question: 'q',
      key: 't.1',
      texts: textsFor('en'),
      signal: new AbortController().signal,
    });
  }

  async function write(reply: Reply, deltas: readonly { text: string; thenMs: number }[]) {
    for (const { text, thenMs } of deltas) {
      reply.append(text);
      await vi.advanceTimersByTimeAsync(thenMs);
    }
  }

  function assertMessages(thread: FakeThread, text: string): void {
    assertWhole(text, thread.visible());
    for (const message of thread.visible()) {
      expect(findOpenFence(message)).toBeUndefined();
    }
    const labels = thread.buttons();
    expect(labels.at(-1)).toEqual(['Done']);
    expect(labels.slice(0, -1).flat()).toEqual([]);
  }

  it('shows all of it in order, however it is cut and whatever is left of the budgets', async () => {
    const crowded = record({
      text: constantFrom(...corpus.map(([, each]) => each)),
      max: integer({ min: 60, max: 2_000 }),
      usedPosts: integer({ min: 0, max: 12 }),
      sizes: array(integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 12 }),
      pauses: array(constantFrom(0, 10, 700, 2_000), { minLength: 1, maxLength: 5 }),
      isStopped: boolean(),
    });
    await assert(
      asyncProperty(crowded, async ({ text, max, usedPosts, sizes, pauses, isStopped }) => {
        const thread = createFakeThread({ max });
        using reply = open(thread, usedPosts);
        const deltas: { text: string; thenMs: number }[] = [];
        for (let at = 0; at < text.length;) {
          const size = sizes[deltas.length % sizes.length] ?? 1;
          const thenMs = pauses[deltas.length % pauses.length] ?? 0;
          deltas.push({ text: text.slice(at, at + size), thenMs });
          at += size;
        }
        await write(reply, deltas);
        const ending = isStopped ? `${closeMarkdown(text).trimEnd()}\n\n⏹ Stopped.` : text.trim();
        await settle(reply.finish({ ...done, text: ending }));
        assertMessages(thread, ending);
      }),
      { numRuns: 30, seed: 1 },
    );
  });

  it.each([
    [
      '**It is here. It is not. Or',
      ' is it?** Yes. So',
      '**It is here. It is not. Or is it?** Yes.',
    ],
    [
      '**It is here. It is not. Or\n',
      'is it?** Yes. So',
      '**It is here. It is not. Or\nis it?** Yes.',
    ],
    [
      'See [this page. And that',
      '](https://a.example/). So',
      'See [this page. And that](https://a.example/).',
    ],
    ['One is here. [1.', '1] Two', 'One is here. [1]'],
    ['One is here. [', '1.1] Two', 'One is here. [1]'],
  ])('is not cut in the middle of %j', async (before, after, expected) => {
    const thread = createFakeThread();
    using reply = open(thread);
    await write(reply, [{ text: before, thenMs: 2_000 }]);
    expect(thread.visible()).toEqual([]);
    await write(reply, [{ text: after, thenMs: 2_000 }]);
    expect(thread.visible()).toEqual([expected]);
  });

  it('does not read again what it has shown while it grows', async () => {
    const thread = createFakeThread();
    const measured: number[] = [];
    thread.limits.fits = (markdown) => measured.push(markdown.length) > 0;
    using reply = open(thread);
    await write(reply, [{ text: 'One.\n\nTwo', thenMs: 2_000 }]);
    const before = measured.length;
    await write(
      reply,
      Array.from({ length: 50 }, () => ({ text: ' and more', thenMs: 10 })),
    );
    expect(measured).toHaveLength(before);
  });

  it('posts nothing after it was dropped, at whatever moment', async () => {
    for (let moments = 0; moments < 30; moments += 1) {
      const thread = createFakeThread();
      const reply = open(thread);
      reply.append('One.\n\nTwo');
      for (let moment = 0; moment < moments; moment += 1) await Promise.resolve();
      const { hasBegun } = reply;
      reply[Symbol.dispose]();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(hasBegun || thread.visible().length === 0).toBe(true);
    }
  });
});
