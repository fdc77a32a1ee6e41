import { describe, expect, it, vi } from 'vitest';
import type { StoredReply, Thread } from '../../src/conversation/ports.ts';
import { recoverTurns } from '../../src/conversation/recover.ts';
import { createFakeMessage, createFakeThread } from '../fixtures/fake-thread.ts';
import { settle, setUpConversation } from './set-up-conversation.ts';

describe('after a crash', () => {
  const { create } = setUpConversation();

  async function crash(stored?: StoredReply) {
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
    if (stored) after.chatbot.stored.set('s1', stored);
    const { signal } = new AbortController();
    await settle(recoverTurns({ ...after, openThread: () => thread, signal }));
    return { thread, turns: after.turns };
  }

  it('completes a reply that the service has whole', async () => {
    const { thread, turns } = await crash({
      id: 'r1',
      query: 'q',
      response: 'Half and half',
      sources: [],
      state: 'whole',
    });
    expect(thread.visible()).toEqual(['Half and half']);
    expect(await turns.unfinished()).toEqual([]);
  });

  it('ends a stream that was left open before it writes', async () => {
    const { thread } = await crash();
    const { turns, ...tools } = create();
    await turns.open({
      id: 'turn',
      address: thread.address,
      messageId: 'q',
      author: { id: 'U1', name: 'Ada' },
      query: 'q',
      posted: ['m1', 'm2'],
    });
    const calls: string[] = [];
    thread.beforeWrite = (kind) => void calls.push(kind);
    const withStreams: Thread = {
      ...thread,
      message: (id) => ({
        ...thread.message(id),
        endStream: async () => void calls.push(`end ${id}`),
      }),
    };
    const { signal } = new AbortController();
    await settle(recoverTurns({ ...tools, turns, openThread: () => withStreams, signal }));
    expect(calls).toEqual(['end m2', 'post']);
  });

  it('leaves what people have read and tells the thread to ask again otherwise', async () => {
    const { thread } = await crash();
    expect(thread.visible()).toEqual(['Half', expect.stringContaining('Please ask again')]);
  });
});
