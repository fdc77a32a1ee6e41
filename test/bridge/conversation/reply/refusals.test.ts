import { webApi } from '@slack/bolt';
import { describe, expect, it, vi } from 'vitest';
import { PlatformError } from '../../../../src/bridge/conversation/errors.ts';
import { createPacer } from '../../../../src/bridge/conversation/reply/pacer.ts';
import { toPlatformError } from '../../../../src/bridge/slack/errors.ts';
import { createFakeMessage, createFakeThread } from '../../../fixtures/fake-thread.ts';
import { createMemoryLog } from '../../../fixtures/memory-log.ts';
import { settle, setUpConversation } from '../set-up-conversation.ts';

const hourMs = 60 * 60_000;

const tooFast = () =>
  new PlatformError(
    'rate_limited',
    { code: 'platform_busy', params: { platform: 'Test' } },
    { retryAfterMs: 1_000 },
  );

const quota = () =>
  toPlatformError(new webApi.WebAPIPlatformError({ ok: false, error: 'message_limit_exceeded' }));

describe('a rate limit without end', () => {
  const { create } = setUpConversation();

  /** Questions in so many threads of so many channels, whose writes are all refused. */
  async function refuseAll(threads: number, refusal: () => PlatformError, { channels = 1 } = {}) {
    const log = createMemoryLog();
    const { conversation, chatbot } = create({ pacer: createPacer({ log }) });
    const writes: number[] = [];
    const start = Date.now();
    let isOver = false;
    chatbot.answer = async function* (query) {
      yield `You said: ${query}`;
    };
    const places = Array.from({ length: threads }, (_, index) => {
      const address = { platform: 'fake', workspace: 'W', channel: 'C', thread: `T${index}` };
      const thread = createFakeThread({ address });
      const channel = index % channels;
      const within = { key: 'workspace', writes: 300, windowMs: 60_000 };
      const post = { ...thread.budgets.post, key: `post:${channel}`, within };
      Object.assign(thread, { budgets: { ...thread.budgets, post } });
      thread.beforeWrite = () => {
        if (isOver) return;
        writes.push((Date.now() - start) / 1_000);
        throw refusal();
      };
      return thread;
    });
    const asked = places.map((thread, index) =>
      conversation.message(createFakeMessage(thread, `q${index}`)),
    );
    await vi.advanceTimersByTimeAsync(hourMs);
    return {
      writes,
      places,
      log,
      async end() {
        isOver = true;
        await settle(Promise.all(asked));
      },
    };
  }

  it('is asked about ever less often: twenty times in an hour, not 3,601', async () => {
    const { writes, places, end } = await refuseAll(1, tooFast);
    expect(writes.slice(0, 6)).toEqual([0, 1, 3, 7, 15, 31]);
    expect(writes).toHaveLength(20);
    const start = Date.now();
    await end();
    expect(places[0]?.visible()).toEqual(['You said: q0']);
    expect(Date.now() - start).toBeLessThanOrEqual(5 * 60_000);
  });

  it('is asked about by one reply at a time, however many wait', async () => {
    const { writes, places, end } = await refuseAll(20, tooFast);
    expect(writes.length).toBeLessThan(30);
    await end();
    expect(places.flatMap((thread) => thread.visible())).toHaveLength(20);
  });

  it('that is a quota of the workspace is asked about minutes later, and the log says why', async () => {
    const { writes, log } = await refuseAll(2, quota, { channels: 2 });
    expect(writes.slice(0, 5)).toEqual([0, 0, 120, 360, 660]);
    expect(writes).toHaveLength(14);
    expect(log.lines[0]).toMatchObject({
      level: 'warn',
      fields: {
        err: { message: expect.stringMatching(/^Slack accepts no more messages/) as string },
      },
      message: 'a platform accepts no writes for now: replies wait',
    });
  });

  it('begins anew after a success', async () => {
    const pacer = createPacer();
    const { edit } = createFakeThread().budgets;
    using _ = pacer.join(edit);
    const waits = () => {
      pacer.refused(edit, 1_000);
      return pacer.waitMs(edit);
    };
    const waited: number[] = [];
    for (let refusal = 0; refusal < 3; refusal += 1) {
      waited.push(waits());
      await vi.advanceTimersByTimeAsync(waited.at(-1) ?? 0);
    }
    pacer.accepted(edit);
    expect([...waited, waits()]).toEqual([1_000, 2_000, 4_000, 1_000]);
  });

  it('counts a burst of refusals once', async () => {
    const pacer = createPacer();
    const { edit } = createFakeThread().budgets;
    for (let refusal = 0; refusal < 5; refusal += 1) pacer.refused(edit, 1_000);
    expect(pacer.waitMs(edit)).toBe(1_000);
  });

  it('never waits for less than the platform says', async () => {
    const pacer = createPacer();
    const { edit } = createFakeThread().budgets;
    pacer.refused(edit, hourMs);
    expect(pacer.waitMs(edit)).toBe(hourMs);
  });
});
