import { sleep } from '../../../../src/shared/primitives/time.ts';
import { describe, expect, it, vi } from 'vitest';
import { ChatbotError, PlatformError } from '../../../../src/bridge/conversation/errors.ts';
import type { SentMessage } from '../../../../src/bridge/conversation/thread.ts';
import {
  createFakeMessage,
  createFakeThread,
  type FakeThread,
} from '../../../fixtures/fake-thread.ts';
import { settle, setUpConversation } from '../set-up-conversation.ts';

describe('a reply', () => {
  const { create } = setUpConversation();

  it('goes on in further messages where one is full', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread({ max: 60 });
    const text = Array.from({ length: 12 }, (_, n) => `Sentence number ${n} of the reply.`).join(
      ' ',
    );
    chatbot.answer = async function* () {
      for (const word of text.split(/(?<= )/)) yield word;
    };
    await ask(thread, 'q');
    expect(thread.visible().length).toBeGreaterThan(5);
    expect(thread.visible().every((each) => each.length <= 60)).toBe(true);
    expect(thread.visible().join(' ')).toBe(text);
  });

  it('has small print in further messages where it does not fit below the text', async () => {
    const { ask, chatbot } = create();
    const usual = createFakeThread();
    const fitsBelow = (markdown: string, footer: string) => `${markdown}${footer}`.length <= 40;
    const thread = { ...usual, limits: { ...usual.limits, fitsBelow } };
    const sources = ['1.1', '1.2', '1.3', '1.4'].map((marker) => ({
      marker,
      title: `handbook-${marker.slice(2)}.md`,
      quote: 'so',
    }));
    const response = `So [1.1][1.2][1.3][1.4].`;
    chatbot.stored.set('s1', { id: 'r1', query: 'q', response, sources, state: 'whole' });
    chatbot.answer = async function* () {
      yield response;
    };
    await ask(thread, 'q');
    const [text, ...prints] = thread.visible();
    expect(text).toBe('So [1][2][3][4].');
    const small = prints.map((print) => print.slice(2, -1));
    expect(small).toEqual([
      'Sources: [1] handbook-1.md',
      '[2] handbook-2.md · [3] handbook-3.md',
      '[4] handbook-4.md',
    ]);
    const labels = thread.buttons();
    expect(labels.slice(0, -1).flat()).toEqual([]);
    expect(labels.at(-1)).toContain('Helpful');
  });

  it('has its unfinished Markdown closed as long as it grows', async () => {
    const { conversation, chatbot } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* () {
      yield 'Some **bold';
      await sleep(2_000);
      yield ' words** and *one star';
    };
    const answered = conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(thread.visible()).toEqual(['Some **bold**']);
    await settle(answered);
    expect(thread.visible()).toEqual(['Some **bold words** and *one star']);
  });

  it('has no footnote number in place of a link whose text is a version', async () => {
    const { conversation, chatbot } = create();
    const thread = createFakeThread();
    const response =
      'New in [3.12](https://docs.example/3.12) and [3.11](<https://docs.example/3>)';
    chatbot.answer = async function* () {
      yield response.slice(0, response.indexOf('tps:'));
      await sleep(2_000);
      yield response.slice(response.indexOf('tps:'));
    };
    const sources = [{ marker: '3.4', title: 'Handbook', quote: 'new' }];
    const query = 'q';
    chatbot.lastReply = async () =>
      chatbot.queries.length > 0
        ? { id: 'r1', query, response: `${response} [3.4].`, sources, state: 'whole' }
        : undefined;
    const answered = conversation.message(createFakeMessage(thread, query));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(thread.visible()).toEqual(['New in']);
    await settle(answered);
    expect(thread.visible()).toEqual([`${response} [1]. (Sources: [1] Handbook)`]);
  });

  it('lets other work go on while it splits a long text', async () => {
    const { ask, chatbot } = create();
    let tries = 0;
    let maxTries = 0;
    const fits = (markdown: string) => {
      // Each try takes long.
      vi.advanceTimersByTime(20);
      tries += 1;
      maxTries = Math.max(maxTries, tries);
      return markdown.length <= 2000;
    };
    const thread = { ...createFakeThread(), limits: { fits } };
    chatbot.answer = async function* () {
      yield 'Some words. '.repeat(1_000);
    };
    const turns = onEveryTurn(() => (tries = 0));
    await ask(thread, 'q');
    turns.stop();
    expect(thread.visible().length).toBeGreaterThan(5);
    expect(maxTries).toBeLessThan(10);
  });

  it('is split once for each write as it grows, however many pieces come in between', async () => {
    const { ask, chatbot } = create();
    let splits = 0;
    let writes = 0;
    const thread = createFakeThread();
    thread.limits.fits = () => (splits += 1) > 0;
    thread.beforeWrite = () => {
      writes += 1;
    };
    chatbot.answer = async function* () {
      for (let piece = 0; piece < 100; piece += 1) {
        yield `${piece} `;
        await sleep(100);
      }
    };
    await ask(thread, 'q');
    expect(writes).toBeGreaterThan(10);
    expect(splits).toBeLessThanOrEqual(writes + 2);
  });

  it('waits as long as a refusal says, and loses nothing', async () => {
    const { ask } = create();
    const thread = createFakeThread();
    let refusals = 2;
    thread.beforeWrite = () => {
      if (refusals-- > 0)
        throw new PlatformError(
          'rate_limited',
          { code: 'platform_busy', params: { platform: 'Test' } },
          { retryAfterMs: 1000 },
        );
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual(['You said: q']);
  });

  const hourMs = 60 * 60 * 1000;
  const monthMs = 30 * 24 * hourMs;

  /** Refuses writes of a kind for as long as it says, from now on. */
  function refuse(thread: FakeThread, refused: 'post' | 'edit', retryAfterMs: number): void {
    const until = Date.now() + retryAfterMs;
    const problem = { code: 'platform_busy', params: { platform: 'Test' } } as const;
    thread.beforeWrite = (kind) => {
      if (kind !== refused || Date.now() >= until) return;
      throw new PlatformError('rate_limited', problem, { retryAfterMs: until - Date.now() });
    };
  }

  it.each([hourMs, monthMs])(
    'stands whole in a new message where edits are refused for %i ms, and the next one follows',
    async (retryAfterMs) => {
      const { ask, chatbot } = create();
      const thread = createFakeThread();
      chatbot.answer = async function* () {
        yield 'One ';
        await sleep(500);
        refuse(thread, 'edit', retryAfterMs);
        yield 'two ';
        await sleep(5_000);
        yield 'three';
      };
      const start = Date.now();
      await ask(thread, 'q');
      expect(thread.visible()).toEqual(['One two three']);
      chatbot.answer = async function* () {
        yield 'Next';
      };
      await ask(thread, 'next');
      expect(thread.visible()).toEqual(['One two three', 'Next']);
      expect(Date.now() - start).toBeLessThan(20_000);
    },
  );

  it.each([hourMs, monthMs])(
    'says why its rest does not follow where posts are refused for %i ms, and goes on then',
    async (retryAfterMs) => {
      const { chatbot, conversation, finish } = create();
      const thread = createFakeThread({ max: 400 });
      const text = Array.from({ length: 20 }, (_, n) => `Sentence number ${n} is here.`).join(' ');
      chatbot.answer = async function* () {
        yield text.slice(0, 100);
        await sleep(2_000);
        refuse(thread, 'post', retryAfterMs);
        yield text.slice(100);
      };
      void conversation.message(createFakeMessage(thread, 'q'));
      await vi.advanceTimersByTimeAsync(60_000);
      expect(thread.visible()).toEqual([
        expect.stringMatching(/^Sentence number 0 .*\n\n\*I’ve sent too many messages here.*\*$/s),
      ]);
      await vi.advanceTimersByTimeAsync(retryAfterMs);
      await finish();
      expect(thread.visible()).toHaveLength(2);
      expect(thread.visible().join(' ')).toBe(text);
    },
  );

  it('that waits for a month holds up no shutdown', async () => {
    const { conversation } = create();
    const thread = createFakeThread();
    refuse(thread, 'post', monthMs);
    const asked = conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(60_000);
    const start = Date.now();
    await settle(conversation.close(1_000));
    await settle(asked);
    expect(Date.now() - start).toBeLessThan(5_000);
    expect(thread.visible()).toEqual([]);
  });

  it('moves where edits are refused for long only after its end began to wait for one', async () => {
    const { conversation, chatbot, pacer } = create();
    const thread = createFakeThread();
    const { edit, post } = thread.budgets;
    chatbot.answer = async function* () {
      yield 'One ';
      await sleep(500);
      yield 'two';
      pacer.refused(edit, 20_000);
      pacer.refused(post, 20_000);
    };
    const answered = conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(5_000);
    pacer.refused(edit, hourMs);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(thread.visible()).toEqual(['One two']);
    await settle(answered);
  });

  it('is not shown twice where its old message can’t be removed at once', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    const { message, post } = thread;
    let refusals = 2;
    const removing = (sent: SentMessage): SentMessage => ({
      ...sent,
      async remove() {
        const problem = { code: 'platform_busy', params: { platform: 'Test' } } as const;
        const retry = { retryAfterMs: 1_000 };
        if (refusals-- > 0) throw new PlatformError('rate_limited', problem, retry);
        await sent.remove();
      },
    });
    thread.post = async (content) => removing(await post(content));
    thread.message = (id) => removing(message(id));
    chatbot.answer = async function* () {
      yield 'One ';
      await sleep(500);
      refuse(thread, 'edit', hourMs);
      yield 'two ';
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual(['One two']);
  });

  it('goes on in a fresh message where the old one can’t be edited', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* () {
      yield 'One ';
      await sleep(500);
      yield 'two';
    };
    thread.beforeWrite = (kind) => {
      if (kind === 'edit') throw new PlatformError('uneditable', 'channel_archived');
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual(['One two']);
  });

  it('moves once and then waits for its end where no message can ever be edited', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    const writes: string[] = [];
    chatbot.answer = async function* () {
      for (const word of ['One', ' two', ' three', ' four', ' five', ' six', ' seven', ' eight']) {
        yield word;
        await sleep(2_000);
      }
    };
    thread.beforeWrite = (kind) => {
      writes.push(kind);
      if (kind === 'edit') throw new PlatformError('uneditable', 'channel_archived');
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual(['One two three four five six seven eight']);
    expect(writes).toEqual(['post', 'edit', 'post', 'edit', 'edit', 'post']);
  });

  it('grows on while its old message can’t be removed', async () => {
    const { conversation, chatbot } = create();
    const thread = createFakeThread();
    const { message, post } = thread;
    const start = Date.now();
    const removing = (sent: SentMessage): SentMessage => ({
      ...sent,
      async remove() {
        const problem = { code: 'platform_busy', params: { platform: 'Test' } } as const;
        const retryAfterMs = start + 10_000 - Date.now();
        if (retryAfterMs > 0) throw new PlatformError('rate_limited', problem, { retryAfterMs });
        await sent.remove();
      },
    });
    thread.post = async (content) => removing(await post(content));
    thread.message = (id) => removing(message(id));
    chatbot.answer = async function* () {
      yield 'One ';
      await sleep(2_000);
      yield 'two ';
      await sleep(2_000);
      yield 'three';
      await sleep(2_000);
    };
    let refusals = 1;
    thread.beforeWrite = (kind) => {
      const isRefused = kind === 'edit' && refusals-- > 0;
      if (isRefused) throw new PlatformError('uneditable', 'channel_archived');
    };
    const answered = conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(5_500);
    expect(thread.visible()).toEqual(['One', 'One two three']);
    await settle(answered);
    expect(thread.visible()).toEqual(['One two three']);
  });

  it('keeps a message above others that can’t be edited, and says below them what changed', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread({ max: 80 });
    const first = 'The lamp is lit at dusk in winter.';
    const changed = 'The lamp is lit at dawn in winter.';
    const second = 'Ships see it if there is no fog.';
    const response = `${changed}\n\n${second}`;
    chatbot.stored.set('s1', { id: 'r1', query: 'q', response, sources: [], state: 'whole' });
    chatbot.answer = async function* () {
      yield `${first}\n\n${second}`;
      await sleep(2_000);
    };
    thread.beforeWrite = (kind, { markdown }) => {
      const isRefused = kind === 'edit' && markdown === changed;
      if (isRefused) throw new PlatformError('uneditable', 'channel_archived');
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual([first, second, changed]);
  });

  it('grows on while the clock is set back and forth', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    const hourMs = 60 * 60 * 1000;
    const seen: string[][] = [];
    chatbot.answer = async function* () {
      for (const [word, jumpMs] of [
        ['One', 0],
        [' two', -hourMs],
        [' three', 2 * hourMs],
        [' four', -2 * hourMs],
      ] as const) {
        vi.setSystemTime(Date.now() + jumpMs);
        yield word;
        await sleep(3000);
        seen.push(thread.visible());
      }
    };
    await ask(thread, 'q');
    expect(seen).toEqual([['One'], ['One two'], ['One two three'], ['One two three four']]);
    expect(thread.visible()).toEqual(['One two three four']);
  });

  it('outlasts a platform that fails for a while at its end', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* () {
      yield 'One ';
      await sleep(500);
      yield 'two';
    };
    const start = Date.now();
    thread.beforeWrite = (kind) => {
      const down = kind === 'edit' && Date.now() < start + 3000;
      if (down)
        throw new PlatformError('failed', {
          code: 'platform_unreachable',
          params: { platform: 'Test' },
        });
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual(['One two']);
  });

  it('is written once the platform is back, however long that takes', async () => {
    const { conversation, finish, openRows } = create();
    const thread = createFakeThread();
    thread.beforeWrite = () => {
      throw new PlatformError('failed', {
        code: 'platform_unreachable',
        params: { platform: 'Test' },
      });
    };
    const done = conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(300_000);
    expect(await openRows()).toMatchObject([{ state: 'ending' }]);
    thread.beforeWrite = () => {};
    await settle(done);
    await finish();
    expect(thread.visible()).toEqual(['You said: q']);
    expect(await openRows()).toEqual([]);
  });

  it('is not taken for the answer to an earlier question of the same words', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.stored.set('s1', {
      id: 'r1',
      query: 'q',
      response: 'Earlier.',
      sources: [],
      state: 'whole',
    });
    await ask(thread, 'q');
    chatbot.answer = () => {
      throw new ChatbotError('unavailable', 'refused');
    };
    await ask(thread, 'q', { id: 'again' });
    expect(thread.visible()).toEqual(['Earlier.', expect.stringContaining('can’t reach')]);
  });

  it('tries an edit again that failed for no lasting reason', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* () {
      yield 'One ';
      await sleep(500);
      yield 'two';
    };
    let failures = 2;
    thread.beforeWrite = (kind) => {
      if (kind === 'edit' && failures-- > 0)
        throw new PlatformError('failed', {
          code: 'platform_unreachable',
          params: { platform: 'Test' },
        });
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual(['One two']);
  });

  it('is cut where it is longer than allowed, and attached whole', async () => {
    const { ask, chatbot } = create({ maxReplyCharacters: 40 });
    const thread = createFakeThread();
    const text = 'word '.repeat(20).trim();
    chatbot.answer = async function* () {
      yield text;
    };
    await ask(thread, 'q');
    expect(thread.visible()[0]).toMatch(/^(?:word ?)+\n\n\*This answer is too long/);
    expect(thread.files).toEqual([{ name: 'answer.md', text }]);
  });

  it('is attached with the same footnote numbers as it is shown with', async () => {
    const { ask, chatbot } = create({ maxReplyCharacters: 12 });
    const thread = createFakeThread();
    chatbot.stored.set('s1', {
      id: 'r1',
      query: 'q',
      response: 'At nine [3.4], not ten [73.1].',
      sources: [{ marker: '3.4', title: 'Handbook', quote: 'nine' }],
      state: 'whole',
    });
    await ask(thread, 'q');
    expect(thread.visible()).toEqual([
      expect.stringMatching(/^At nine \[1\],\n.*Sources: \[1\] H/s),
    ]);
    expect(thread.files).toEqual([{ name: 'answer.md', text: 'At nine [1], not ten.' }]);
  });

  it('attaches it in the end where the platform refuses the file for a while', async () => {
    const { ask, chatbot } = create({ maxReplyCharacters: 4 });
    const thread = createFakeThread();
    const refusals = [
      new PlatformError(
        'rate_limited',
        { code: 'platform_busy', params: { platform: 'Test' } },
        { retryAfterMs: 3000 },
      ),
      new PlatformError('failed', { code: 'platform_unreachable', params: { platform: 'Test' } }),
    ];
    const { postFile } = thread;
    thread.postFile = async (file) => {
      const refusal = refusals.shift();
      if (refusal) throw refusal;
      await postFile(file);
    };
    chatbot.answer = async function* () {
      yield 'too long';
    };
    await ask(thread, 'q');
    expect(thread.files).toEqual([{ name: 'answer.md', text: 'too long' }]);
  });

  it('takes back messages that the last text no longer needs', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread({ max: 80 });
    const response = 'A long way of putting things.';
    chatbot.stored.set('s1', { id: 'r1', query: 'q', response, sources: [], state: 'whole' });
    chatbot.answer = async function* () {
      yield 'A long way of putting things. '.repeat(5);
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual([response]);
  });

  it.each([
    ['may not write', 'forbidden', 'slack_write_forbidden'],
    ['can’t post in a thread that is archived', 'uneditable', 'thread_archived'],
  ] as const)('gives up where the bot %s', async (_, kind, problem) => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    let writes = 0;
    chatbot.answer = async function* () {
      for (let n = 0; n < 50; n += 1) yield `${n} `;
    };
    thread.beforeWrite = () => {
      writes += 1;
      throw new PlatformError(kind, problem);
    };
    await ask(thread, 'q');
    expect(writes).toBeLessThan(6);
  });
});

/** Calls back in every turn of the event loop, until it is stopped. */
function onEveryTurn(onTurn: () => void): { stop(): void } {
  let immediate = setImmediate(function next() {
    onTurn();
    immediate = setImmediate(next);
  });
  return { stop: () => clearImmediate(immediate) };
}
