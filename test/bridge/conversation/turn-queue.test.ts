import { describe, expect, it, vi } from 'vitest';
import { createFakeMessage, createFakeThread } from '../../fixtures/fake-thread.ts';
import { createThreadControl } from '../../../src/bridge/commands/thread-control.ts';
import { settle, setUpConversation } from './set-up-conversation.ts';

describe('the turns of a thread', () => {
  const { create } = setUpConversation();

  it('takes the turns of a thread one at a time, in order', async () => {
    const { conversation, chatbot } = create();
    const thread = createFakeThread();
    const gate = Promise.withResolvers<void>();
    chatbot.answer = async function* (query) {
      if (query === 'first') await gate.promise;
      yield `answer to ${query}`;
    };
    const first = conversation.message(createFakeMessage(thread, 'first'));
    const second = conversation.message(createFakeMessage(thread, 'second'));
    gate.resolve();
    await settle(Promise.all([first, second]));
    expect(thread.visible()).toEqual(['answer to first', 'answer to second']);
  });

  it('refuses more questions than it can line up, and says so', async () => {
    const { conversation, chatbot } = create();
    const thread = createFakeThread();
    const gate = Promise.withResolvers<void>();
    chatbot.answer = async function* () {
      await gate.promise;
      yield 'done';
    };
    const all = Array.from({ length: 12 }, (_, index) =>
      conversation.message(createFakeMessage(thread, `q${index}`)),
    );
    await vi.advanceTimersByTimeAsync(100);
    expect(thread.visible()).toEqual([
      expect.stringContaining('still answering'),
      expect.stringContaining('still answering'),
    ]);
    gate.resolve();
    await settle(Promise.all(all));
    expect(chatbot.queries).toHaveLength(10);
  });

  it('shows that it works on an answer while the question waits in line', async () => {
    const { conversation, chatbot } = create();
    const thread = createFakeThread();
    const gate = Promise.withResolvers<void>();
    chatbot.answer = async function* () {
      await gate.promise;
      yield 'done';
    };
    const first = conversation.message(createFakeMessage(thread, 'first'));
    const second = conversation.message(createFakeMessage(thread, 'second'));
    await vi.advanceTimersByTimeAsync(9000);
    expect(thread.workingShown).toBe(4);
    gate.resolve();
    await settle(Promise.all([first, second]));
    const shown = thread.workingShown;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(thread.workingShown).toBe(shown);
  });

  it('does not retry the question before while one is running', async () => {
    const { conversation, sessions, chatbot } = create();
    const thread = createFakeThread();
    await settle(conversation.message(createFakeMessage(thread, 'first')));
    const gate = Promise.withResolvers<void>();
    chatbot.answer = async function* () {
      await gate.promise;
      yield 'done';
    };
    const second = conversation.message(createFakeMessage(thread, 'second'));
    await vi.advanceTimersByTimeAsync(100);
    const threads = createThreadControl(sessions, conversation, () => undefined);
    const refused = threads.retry(thread.address, {
      id: 'U1',
      name: 'Ada',
      isManager: false,
    });
    expect(await refused).toContain('still answering');
    gate.resolve();
    await settle(second);
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['first', 'second']);
  });
});
