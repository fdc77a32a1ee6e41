import { describe, expect, test, vi } from 'vitest';
import type { Button, Thread } from '../../src/bridge/conversation/thread.ts';
import { createPacer } from '../../src/bridge/conversation/reply/pacer.ts';
import { Reply, type ReplyOptions } from '../../src/bridge/conversation/reply/reply.ts';
import { english } from '../../src/bridge/texts/texts.ts';
import type { Fault, Faults } from '../../src/sandbox/faults.ts';

/** A platform of the sandbox with the adapter connected to it. */
export interface PostingPlatform extends AsyncDisposable {
  faults: Faults;
  /** How the platform's responses get lost. */
  loss: Partial<Fault>;
  /** The call that posts a message, as faults name it. */
  post: string;
  /** The call that edits a message. */
  edit: string;
  /** The call that reads a thread's messages. */
  look: string;
  /** Someone asks in a channel. */
  ask(): Promise<Asked>;
  /** Restarts the adapter: the thread as the new process knows it. */
  restart(asked: Asked): Promise<Thread>;
  /** Time passes. */
  advance(milliseconds: number): void;
  /** What stands below the question, in order. */
  shown(asked: Asked): ShownReply[];
  /** Resolves with the next change on the platform. */
  changed(): Promise<unknown>;
}

export interface Asked {
  thread: Thread;
  question: string;
}

export interface ShownReply {
  id: string;
  text: string;
  /** The labels of its buttons. */
  buttons: string[];
}

const turn = 'turn-1';
const key = `${turn}.0`;
const { stop, retry } = english.thread.buttons;
const stopping: Button[] = [{ action: 'stop', label: stop, turn }];
const again: Button[] = [{ action: 'retry', label: retry, turn }];

/** A reply, and the ids that it stored. */
export function replyTo({ thread, question }: Asked, options: Partial<ReplyOptions> = {}) {
  const stored: string[][] = [];
  const reply = new Reply({
    thread,
    question,
    turn,
    key,
    texts: english,
    pacer: createPacer(),
    signal: new AbortController().signal,
    onPosted: async (ids) => void stored.push(ids),
    ...options,
  });
  const finish = (text: string) => reply.finish({ text, footer: '', buttons: again });
  return { reply, stored, finish };
}

const texts = (shown: ShownReply[]) => shown.map(({ text }) => text);

/** A text that fills so many messages, and begins one more. */
function fill({ limits }: Thread, messages: number): string {
  let sentence = 0;
  const next = () => `Sentence ${(sentence += 1)}.`;
  const whole: string[] = [];
  for (let count = 0; count < messages; count += 1) {
    let text = next();
    for (let more = next(); limits.fits(`${text} ${more}`); more = next()) text += ` ${more}`;
    whole.push(text);
  }
  return [...whole, next()].join(' ');
}

/** The response to a post gets lost: the message is there, and nobody knows its id. */
export function describeLostPosts(open: () => Promise<PostingPlatform>): void {
  const lose = ({ faults, post, loss }: PostingPlatform, times: number) =>
    faults.inject({ method: post, times, afterEffect: true, ...loss });

  describe('a post whose response was lost', () => {
    test.each([1, 4])('is one message, after %i losses', async (times) => {
      await using platform = await open();
      const asked = await platform.ask();
      lose(platform, times);
      const { reply, stored, finish } = replyTo(asked);
      const posted = platform.changed();
      reply.append('One ');
      await posted;
      await finish('One two');
      const shown = platform.shown(asked);
      expect(shown).toMatchObject([{ text: 'One two', buttons: [retry] }]);
      expect(stored.at(-1)).toEqual(shown.map(({ id }) => id));
    });

    test('is one message, each of several at the end', async () => {
      await using platform = await open();
      const asked = await platform.ask();
      const text = fill(asked.thread, 2);
      for (let n = 0; n < 3; n += 1) {
        lose(platform, 4);
        platform.faults.inject({ method: platform.post, times: 1, status: 503 });
      }
      const { stored, finish } = replyTo(asked);
      await finish(text);
      const shown = platform.shown(asked);
      expect(texts(shown).join(' ')).toBe(text);
      expect(shown.map((each) => each.buttons)).toEqual([[], [], [retry]]);
      expect(stored.at(-1)).toEqual(shown.map(({ id }) => id));
    });

    test('is found where the platform is in trouble for a while', async () => {
      await using platform = await open();
      const asked = await platform.ask();
      lose(platform, 4);
      platform.faults.inject({ method: platform.look, times: 4, status: 503 });
      const { finish } = replyTo(asked);
      await finish('Whole.');
      expect(platform.shown(asked)).toMatchObject([{ text: 'Whole.', buttons: [retry] }]);
    });

    test('is not looked for where no response was lost', async () => {
      await using platform = await open();
      const asked = await platform.ask();
      platform.faults.inject({ method: platform.look, times: 1, status: 503 });
      const { reply, finish } = replyTo(asked);
      reply.append('One ');
      await finish('One two');
      expect(platform.faults.take(platform.look)).toBeDefined();
    });
  });

  describe('after a restart, a message that was posted and not stored', () => {
    test.each([
      ['at once', 0],
      ['a quarter of an hour later', 15 * 60_000],
    ])('goes on, %s', async (_when, later) => {
      await using platform = await open();
      const asked = await platform.ask();
      await asked.thread.post({ markdown: 'One', buttons: stopping }, `${key}.0`);
      platform.advance(later);
      const thread = await platform.restart(asked);
      const { stored, finish } = replyTo({ ...asked, thread }, { resumed: true });
      await finish('One two');
      const shown = platform.shown(asked);
      expect(shown).toMatchObject([{ text: 'One two', buttons: [retry] }]);
      expect(stored).toEqual([shown.map(({ id }) => id)]);
    });

    test('goes on in the middle of a long reply', async () => {
      await using platform = await open();
      const asked = await platform.ask();
      const text = fill(asked.thread, 2);
      const posted = Promise.withResolvers<void>();
      const forever = Promise.withResolvers<void>();
      const dying = replyTo(asked, {
        onPosted() {
          posted.resolve();
          return forever.promise;
        },
      });
      void dying.finish(text);
      await posted.promise;
      platform.advance(15 * 60_000);
      const thread = await platform.restart(asked);
      const { finish } = replyTo({ ...asked, thread }, { resumed: true });
      await finish(text);
      const shown = platform.shown(asked);
      expect(texts(shown).join(' ')).toBe(text);
      expect(shown.map((each) => each.buttons)).toEqual([[], [], [retry]]);
    });

    test('is the last of a reply whose ending was stored', async () => {
      await using platform = await open();
      const asked = await platform.ask();
      const text = fill(asked.thread, 1);
      const posted: string[][] = [];
      const whole = Promise.withResolvers<void>();
      const forever = Promise.withResolvers<void>();
      const dying = replyTo(asked, {
        async onPosted(ids) {
          if (ids.length === 1) return void posted.push(ids);
          whole.resolve();
          await forever.promise;
        },
      });
      void dying.finish(text);
      await whole.promise;
      platform.advance(15 * 60_000);
      const thread = await platform.restart(asked);
      const options = { posted: posted[0], resumed: true };
      const { reply, finish } = replyTo({ ...asked, thread }, options);
      await reply.adoptLost({ text, footer: '', buttons: again });
      await finish(text);
      const shown = platform.shown(asked);
      expect(texts(shown).join(' ')).toBe(text);
      expect(shown.map((each) => each.buttons)).toEqual([[], [retry]]);
    });

    test('goes on below those that were stored', async () => {
      await using platform = await open();
      const asked = await platform.ask();
      const { id } = await asked.thread.post({ markdown: 'One' }, `${key}.0`);
      await asked.thread.post({ markdown: 'Two', buttons: stopping }, `${key}.1`);
      const thread = await platform.restart(asked);
      const { finish } = replyTo({ ...asked, thread }, { posted: [id], resumed: true });
      await finish('Only one.');
      expect(platform.shown(asked)).toMatchObject([{ id, text: 'Only one.', buttons: [retry] }]);
    });

    test('is not taken for that of another try', async () => {
      await using platform = await open();
      const asked = await platform.ask();
      await asked.thread.post({ markdown: 'Failed.', buttons: again }, `${key}.0`);
      const thread = await platform.restart(asked);
      const { finish } = replyTo({ ...asked, thread }, { key: `${turn}.1`, resumed: true });
      await finish('Answered.');
      expect(texts(platform.shown(asked))).toEqual(['Failed.', 'Answered.']);
    });
  });
}

/** The platform refuses edits for an hour or a month. */
export function describeLongLimits(open: () => Promise<PostingPlatform>): void {
  test.each([3_600, 30 * 24 * 3_600])(
    'where edits are refused for %i seconds, the answer stands in a new message at once',
    async (retryAfter) => {
      await using platform = await open();
      const asked = await platform.ask();
      const { reply, stored, finish } = replyTo(asked);
      const posted = platform.changed();
      reply.append('One ');
      await posted;
      platform.faults.inject({ method: platform.edit, times: 100, retryAfter });
      await finish('One two');
      const shown = platform.shown(asked);
      expect(shown).toMatchObject([{ text: 'One two', buttons: [retry] }]);
      expect(stored.at(-1)).toEqual(shown.map(({ id }) => id));
    },
  );
}

/** The platform carries an edit out long after its response was given up. */
export function describeLateEdits(open: () => Promise<PostingPlatform>): void {
  test('an edit that is carried out after the last one is undone a minute later', async () => {
    await using platform = await open();
    const asked = await platform.ask();
    const { reply, finish } = replyTo(asked);
    const grow = async (delta: string, whole: string) => {
      const isShown = () => texts(platform.shown(asked)).includes(whole);
      reply.append(delta);
      while (!isShown()) await platform.changed();
    };
    await grow('One ', 'One');
    const { edit, loss, faults } = platform;
    // Discord's library makes four tries.
    faults.inject({ method: edit, times: 4, afterEffect: true, ...loss });
    await grow('two ', 'One two');
    await finish('One two three');
    const [shown] = platform.shown(asked);
    expect(shown).toMatchObject({ text: 'One two three', buttons: [retry] });
    const id = shown?.id ?? '';
    await asked.thread.message(id).edit({ markdown: 'One two', buttons: stopping });
    expect(platform.shown(asked)).toMatchObject([{ text: 'One two', buttons: [stop] }]);
    const repeated = afterAMinute(() =>
      reply.repeatLater({ isCurrent: async () => true, signal: new AbortController().signal }),
    );
    reply[Symbol.dispose]();
    await repeated;
    expect(platform.shown(asked)).toMatchObject([{ text: 'One two three', buttons: [retry] }]);
  });
}

/** Begins a task that waits for a minute first, and lets that pass at once. */
function afterAMinute(begin: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const begun = begin();
    vi.advanceTimersByTime(60_000);
    return begun;
  } finally {
    vi.useRealTimers();
  }
}
