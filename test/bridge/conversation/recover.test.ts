import { describe, expect, it, vi } from 'vitest';
import type { StoredReply } from '../../../src/bridge/conversation/chatbot.ts';
import type { Thread } from '../../../src/bridge/conversation/thread.ts';
import { createFakeMessage, createFakeThread } from '../../fixtures/fake-thread.ts';
import { setUpConversation } from './set-up-conversation.ts';

describe('after a crash', () => {
  const { create } = setUpConversation();

  async function crash(stored?: StoredReply, toThread = (thread: Thread) => thread) {
    const before = create();
    const thread = createFakeThread();
    before.chatbot.answer = async function* () {
      yield 'Half';
      await new Promise(() => {});
    };
    void before.conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(100);
    expect(thread.visible()).toEqual(['Half']);
    const after = create();
    after.threads.set('T', toThread(thread));
    if (stored) after.chatbot.stored.set('s1', stored);
    await after.recover();
    return { thread, ...after };
  }

  const whole: StoredReply = {
    id: 'r1',
    query: 'q',
    response: 'Half and half',
    sources: [],
    state: 'whole',
  };

  it('completes a reply that the service has whole, and goes on from there', async () => {
    const { thread, ask, chatbot } = await crash(whole);
    expect(thread.visible()).toEqual(['Half and half']);
    expect(thread.buttons()).toEqual([['Helpful', 'Not helpful']]);
    await ask(thread, 'more', { addressed: 'overheard' });
    expect(chatbot.queries).toEqual([{ session: 's1', query: 'more' }]);
  });

  it('ends a stream that was left open before it writes', async () => {
    const calls: string[] = [];
    const { thread } = await crash(whole, (fake) => ({
      ...fake,
      message: (id) => ({
        ...fake.message(id),
        edit: async (content) => {
          calls.push(`edit ${id}`);
          await fake.message(id).edit(content);
        },
        endStream: async () => void calls.push(`end ${id}`),
      }),
    }));
    expect(calls).toEqual(['end m1', 'edit m1']);
    expect(thread.visible()).toEqual(['Half and half']);
  });

  it('tells the thread to ask again where the service has nothing', async () => {
    const { thread } = await crash();
    expect(thread.visible()).toEqual([expect.stringContaining('Please ask again')]);
    expect(thread.buttons()).toEqual([['Try again']]);
  });
});
