import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { postGrowingMessage } from '../../../../src/bridge/conversation/reply/growing-message.ts';
import { PlatformError } from '../../../../src/bridge/conversation/errors.ts';
import type {
  MessageContent,
  MessageStream,
  Thread,
} from '../../../../src/bridge/conversation/thread.ts';
import { createFakeThread } from '../../../fixtures/fake-thread.ts';

/** A thread with messages that grow, and what was called on them, in order. */
function createStreamingThread(refuse: Partial<Record<'open' | 'append' | 'finish', Error>> = {}) {
  const calls: string[] = [];
  const thread = createFakeThread();
  const note = (call: 'open' | 'append' | 'finish', text: string) => {
    calls.push(`${call} ${text}`);
    const error = refuse[call];
    if (error) throw error;
  };
  const openStream = async (markdown: string): Promise<MessageStream> => {
    note('open', markdown);
    const budget = (key: string) => ({ key, writes: 100, windowMs: 60_000 });
    return {
      message: {
        id: 's1',
        edit: async (content) => void calls.push(`edit ${content.markdown}`),
        remove: async () => {},
      },
      budgets: { append: budget('append'), finish: budget('finish') },
      lastsMs: 1000,
      append: async (markdown) => note('append', markdown),
      finish: async ({ markdown, footer }) => note('finish', `${markdown}|${footer ?? ''}`),
    };
  };
  return { thread: { ...thread, openStream } satisfies Thread, calls, posts: thread.history };
}

const content = (markdown: string, footer?: string): MessageContent =>
  footer ? { markdown, footer } : { markdown };

describe('a message that grows', () => {
  it('appends what is new, half-finished marks and all, and ends with what stands below', async () => {
    const { thread, calls } = createStreamingThread();
    const message = await postGrowingMessage(thread, content('Some **bo'), false);
    expect(message.appends).toBe(true);
    await message.write(content('Some **bold** te'), false);
    expect(message.budget(true).key).toBe('finish');
    await message.write(content('Some **bold** text.', 'Sources'), true);
    expect(calls).toEqual(['open Some **bo', 'append ld** te', 'finish xt.|Sources']);
    expect(message.appends).toBe(false);
  });

  it('ends before the platform would end it, and is edited from then on', async () => {
    const { thread, calls } = createStreamingThread();
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const message = await postGrowingMessage(thread, content('a'), false);
    vi.advanceTimersByTime(1000);
    await message.write(content('ab'), false);
    await message.write(content('abc'), false);
    expect(calls).toEqual(['open a', 'finish b|', 'edit abc']);
  });

  it('is edited where the last text does not begin with what stands there', async () => {
    const { thread, calls } = createStreamingThread();
    const message = await postGrowingMessage(thread, content('Hello wrld'), false);
    await message.write(content('Hello world'), true);
    expect(calls).toEqual(['open Hello wrld', 'finish |', 'edit Hello world']);
  });

  it('is edited where the platform ended it', async () => {
    const dead = new PlatformError('uneditable', 'slack_stream_ended');
    const { thread, calls } = createStreamingThread({ append: dead, finish: dead });
    const message = await postGrowingMessage(thread, content('a'), false);
    await message.write(content('ab'), false);
    expect(calls).toEqual(['open a', 'append b', 'finish b|', 'edit ab']);
  });

  it('waits, rather than being edited, where the platform says too fast', async () => {
    const fast = new PlatformError(
      'rate_limited',
      { code: 'platform_busy', params: { platform: 'Test' } },
      { retryAfterMs: 10 },
    );
    const { thread, calls } = createStreamingThread({ append: fast, finish: fast });
    const message = await postGrowingMessage(thread, content('a'), false);
    await expect(message.write(content('ab'), false)).rejects.toBe(fast);
    await expect(message.write(content('ab'), true)).rejects.toBe(fast);
    expect(message.shown).toEqual(content('a'));
    expect(calls).toEqual(['open a', 'append b', 'finish b|']);
  });

  it('is an ordinary message where the platform refuses to open one', async () => {
    const { thread, posts } = createStreamingThread({
      open: new PlatformError('failed', 'discord_forbidden'),
    });
    const message = await postGrowingMessage(thread, content('Some **bo'), false);
    expect(message.appends).toBe(false);
    expect(posts).toEqual(['Some **bo**']);
  });

  it('is an ordinary message where its text is whole at once', async () => {
    const { thread, calls, posts } = createStreamingThread();
    await postGrowingMessage(thread, content('Done.'), true);
    expect(calls).toEqual([]);
    expect(posts).toEqual(['Done.']);
  });
});
