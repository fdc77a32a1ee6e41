import { describe, expect, it, vi } from 'vitest';
import { PlatformError } from '../../../src/bridge/conversation/errors.ts';
import type { MessageContent } from '../../../src/bridge/conversation/thread.ts';
import { usualOptions } from '../../fixtures/conversation-tools.ts';
import {
  createFakeMessage,
  createFakeThread,
  deliver,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { setUpConversation } from './set-up-conversation.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

describe('an ending that something refuses each time', () => {
  const { create } = setUpConversation();

  /** A thread in which every write of these words is refused. */
  function createRefusing(status: number | undefined, words: string) {
    const thread = createFakeThread();
    const tries: number[] = [];
    thread.beforeWrite = (_, { markdown }: MessageContent) => {
      if (!markdown.includes(words)) return;
      tries.push(Date.now());
      throw new PlatformError('failed', 'discord_abuse', { status });
    };
    return { thread, tries };
  }

  function start(thread = createFakeThread()) {
    const log = createMemoryLog();
    const setAside = vi.fn<(platform: string) => void>();
    const reports = { ...usualOptions.reports, setAside };
    const created = create({ log, reports });
    created.threads.set('T', thread);
    return { ...created, log, setAside };
  }

  const brief = expect.stringMatching(/^⚠️ (?!.*bad)/);

  it.each([403, 413])(
    'with %i is replaced by a short plain one after ten minutes',
    async (status) => {
      const { thread, tries } = createRefusing(status, 'bad');
      const { conversation, inbox, finish, setAside } = start(thread);
      const message = createFakeMessage(thread, 'bad');
      const began = Date.now();
      await conversation.received(deliver(message));
      await vi.advanceTimersByTimeAsync(3 * minuteMs);
      await conversation.received(deliver(createFakeMessage(thread, 'good')));
      await vi.advanceTimersByTimeAsync(2 * minuteMs);
      expect(thread.visible()).toEqual(['You said: good']);
      await finish();
      expect(Date.now() - began).toBeGreaterThan(10 * minuteMs);
      expect(Date.now() - began).toBeLessThan(25 * minuteMs);
      expect(thread.visible()).toEqual(['You said: good', brief]);
      expect(thread.buttons().at(-1)).toEqual([]);
      expect(await inbox.get(turnOf(message))).toMatchObject({ state: 'ended' });
      expect(setAside).not.toHaveBeenCalled();
      const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
      expect(Math.max(...pauses)).toBeGreaterThan(32_000);
    },
  );

  it('is tried with growing waits, whatever restarts in between; the next question is answered', async () => {
    const { thread } = createRefusing(403, 'bad');
    const first = start(thread);
    const message = createFakeMessage(thread, 'bad');
    await first.conversation.received(deliver(message));
    const attempts: (number | undefined)[] = [];
    let current = first;
    for (let starts = 0; starts < 3; starts += 1) {
      await vi.advanceTimersByTimeAsync(2 * minuteMs);
      attempts.push((await first.inbox.get(turnOf(message)))?.attempts);
      void current.conversation.close(0);
      await vi.advanceTimersByTimeAsync(3_000);
      current = start(thread);
      await current.conversation.recover();
      current.conversation.connected('fake');
      await current.conversation.received(deliver(createFakeMessage(thread, `${starts}`)));
    }
    await vi.advanceTimersByTimeAsync(2 * minuteMs);
    expect(thread.visible()).toEqual(['You said: 0', 'You said: 1', 'You said: 2']);
    expect(attempts).toEqual(attempts.toSorted((a = 0, b = 0) => a - b));
    await current.finish();
    expect(thread.visible().at(-1)).toEqual(brief);
  });

  it('is set aside, logged and counted where the short one is refused too', async () => {
    const { thread } = createRefusing(403, '');
    const { conversation, inbox, finish, log, setAside } = start(thread);
    const message = createFakeMessage(thread, 'bad');
    await conversation.received(deliver(message));
    await finish();
    expect(thread.visible()).toEqual([]);
    expect(await inbox.get(turnOf(message))).toMatchObject({ state: 'ended' });
    expect(setAside.mock.calls).toEqual([['fake']]);
    expect(log.lines.map((line) => line.message)).toContain('an answer is set aside');
  });

  it.each([
    ['a server error', 503],
    ['no response', undefined],
  ])('with %s is replaced after a day', async (_, status) => {
    const { thread } = createRefusing(status, 'bad');
    const { conversation } = start(thread);
    const began = Date.now();
    await conversation.received(deliver(createFakeMessage(thread, 'bad')));
    await vi.advanceTimersByTimeAsync(30 * minuteMs);
    vi.setSystemTime(began + dayMs - 10 * minuteMs);
    await vi.advanceTimersByTimeAsync(9 * minuteMs);
    expect(thread.visible()).toEqual([]);
    await vi.advanceTimersByTimeAsync(11 * minuteMs);
    expect(thread.visible()).toEqual([brief]);
  });

  it('is written whole once it is accepted, however long that took', async () => {
    const { thread } = createRefusing(503, 'bad');
    const { conversation, finish } = start(thread);
    await conversation.received(deliver(createFakeMessage(thread, 'bad')));
    await vi.advanceTimersByTimeAsync(2 * 60 * minuteMs);
    thread.beforeWrite = () => {};
    await finish();
    expect(thread.visible()).toEqual(['You said: bad']);
  });
});
