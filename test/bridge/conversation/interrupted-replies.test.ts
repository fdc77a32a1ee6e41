import { describe, expect, it, vi } from 'vitest';
import { sleep } from '../../../src/shared/primitives/time.ts';
import type { StoredReply } from '../../../src/bridge/conversation/chatbot.ts';
import { ChatbotError, PlatformError } from '../../../src/bridge/conversation/errors.ts';
import {
  createFakeMessage,
  createFakeThread,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { answerTo, setUpConversation } from './set-up-conversation.ts';

const hourMs = 60 * 60_000;

const running: StoredReply = {
  id: 'r1',
  query: 'q',
  response: 'Half a',
  sources: [],
  state: 'running',
};
const whole: StoredReply = { ...running, response: 'Half and half', state: 'whole' };
const kept = [expect.stringMatching(/^Half\n\n⚠️ I was restarted/)];

describe('after a crash in the middle of a reply', () => {
  const { create } = setUpConversation();

  /** The next process, after one that showed half a reply. */
  async function crash(lastReply: () => Promise<StoredReply | undefined>, maxReplyMs = 0) {
    const before = create();
    const thread = createFakeThread();
    before.chatbot.answer = async function* () {
      yield 'Half';
      await new Promise(() => {});
    };
    const message = createFakeMessage(thread, 'q');
    void before.conversation.message(message);
    await vi.advanceTimersByTimeAsync(100);
    expect(thread.visible()).toEqual(['Half']);
    const after = create({ maxReplyMs });
    after.threads.set('T', thread);
    const look = vi.fn<typeof lastReply>(lastReply);
    after.chatbot.lastReply = look;
    await after.conversation.recover();
    after.conversation.connected('fake');
    return { ...after, thread, look, id: turnOf(message) };
  }

  it.each([
    ['has nothing yet', undefined],
    ['is still writing it', running],
  ])('what was shown stays where the service %s, until it is whole', async (_, first) => {
    let stored: StoredReply | undefined = first;
    const { thread } = await crash(async () => stored);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(thread.visible()).toEqual(kept);
    expect(thread.buttons()).toEqual([['Try again']]);
    await vi.advanceTimersByTimeAsync(10_000);
    stored = whole;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(thread.visible()).toEqual(['Half and half']);
    expect(thread.buttons()).toEqual([['Helpful', 'Not helpful']]);
  });

  it.each([
    ['an hour', undefined, 1],
    ['the longest time for a reply', 3 * hourMs, 3],
  ])('the rest is looked for during %s', async (_, maxReplyMs, hours) => {
    const { look, inbox, id, thread } = await crash(async () => undefined, maxReplyMs);
    await vi.advanceTimersByTimeAsync(hours * hourMs - 60_000);
    look.mockClear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(look).toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(60_000);
    look.mockClear();
    await vi.advanceTimersByTimeAsync(hourMs);
    expect(look).not.toHaveBeenCalled();
    expect(await inbox.get(id)).not.toHaveProperty('unsettled');
    expect(thread.visible()).toEqual(kept);
  });

  it('the next question waits while the platform does not let the thread be read', async () => {
    const before = create();
    before.chatbot.answer = async function* () {
      await new Promise(() => {});
      yield '';
    };
    void before.conversation.message(createFakeMessage(createFakeThread(), 'q'));
    await vi.advanceTimersByTimeAsync(100);
    const after = create();
    const thread = createFakeThread();
    after.threads.set('T', thread);
    after.chatbot.lastReply = async () => whole;
    let isReadable = false;
    thread.findPosted = async () => {
      if (isReadable) return undefined;
      throw new PlatformError('rate_limited', 'discord_abuse');
    };
    await after.conversation.recover();
    after.conversation.connected('fake');
    void after.conversation.message(createFakeMessage(thread, 'next'));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(thread.visible()).toEqual([]);
    isReadable = true;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(thread.visible()).toEqual(['Half and half', 'You said: next']);
  });

  it('the rest is looked for once more where the process was away for longer', async () => {
    const first = await crash(async () => undefined);
    await vi.advanceTimersByTimeAsync(10_000);
    void first.conversation.close(0);
    await vi.advanceTimersByTimeAsync(5 * hourMs);
    const next = create();
    next.threads.set('T', first.thread);
    next.chatbot.lastReply = async () => whole;
    await next.recover();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(first.thread.visible()).toEqual(['Half and half']);
  });

  it('the reply to the same words, asked again in the thread, is not taken for it', async () => {
    let stored: StoredReply | undefined;
    const { conversation, chatbot, thread } = await crash(async () => stored);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(thread.visible()).toEqual(kept);
    chatbot.answer = async function* () {
      yield 'Whole ';
      stored = { ...whole, id: 'r2', response: 'Whole at once.' };
      // The service has it whole before people see it so.
      await sleep(40_000);
      yield 'at once.';
    };
    void conversation.message(createFakeMessage(thread, 'q', { id: 'm2' }));
    await vi.advanceTimersByTimeAsync(35_000);
    expect(thread.visible()).toEqual([...kept, 'Whole']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(thread.visible()).toEqual([...kept, 'Whole at once.']);
  });

  it('somebody who stops the reply sees what was shown', async () => {
    const { thread, conversation, id } = await crash(async () => {
      throw new ChatbotError('unavailable', 'away');
    });
    await vi.advanceTimersByTimeAsync(5_000);
    const by = { id: 'U1', name: 'Ada', isManager: false };
    const press = { action: 'stop', turn: id, by, place: fakeAddress } as const;
    await answerTo(conversation.pressed(press));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(thread.visible()).toEqual(['Half\n\n⏹ Stopped by Ada.']);
  });
});
