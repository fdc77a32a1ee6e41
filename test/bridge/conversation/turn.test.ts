import { describe, expect, it } from 'vitest';
import { ChatbotError } from '../../../src/bridge/conversation/errors.ts';
import { createFakeThread } from '../../fixtures/fake-thread.ts';
import { setUpConversation } from './set-up-conversation.ts';

describe('a turn', () => {
  const { create } = setUpConversation();

  it('says so where the usual chatbot answers in place of one that was deleted', async () => {
    const { sessions } = create();
    const findOrCreate = async (...given: Parameters<typeof sessions.findOrCreate>) => ({
      ...(await sessions.findOrCreate(...given)),
      usesFallback: true as const,
    });
    const { ask } = create({ sessions: { ...sessions, findOrCreate } });
    const thread = createFakeThread();
    await ask(thread, 'A question');
    expect(thread.visible()).toEqual([
      expect.stringMatching(/You said: A question.*default one answers now/s),
    ]);
  });

  it('shows the stored response, its sources below', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.stored.set('s1', {
      id: 'r1',
      query: 'q',
      response: 'It is **so** [1.1].',
      sources: [{ marker: '1.1', title: 'Guide', quote: 'so' }],
      state: 'whole',
    });
    chatbot.answer = async function* () {
      yield 'It is';
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual(['It is **so** [1]. (Sources: [1] Guide)']);
  });

  it('keeps what arrived when the stream breaks, with the reason below', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* () {
      yield 'Half an **ans';
      throw new ChatbotError('interrupted', 'socket hang up');
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual([
      'Half an **ans**\n\n⚠️ The answer was cut off. Please ask again.',
    ]);
  });

  it('completes a broken stream from what the service stored', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.stored.set('s1', {
      id: 'r1',
      query: 'q',
      response: 'All of it.',
      sources: [],
      state: 'whole',
    });
    chatbot.answer = async function* () {
      yield 'All';
      throw new ChatbotError('interrupted', 'socket hang up');
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual(['All of it.']);
  });

  it.each([
    ['unauthorized', 'not set up yet'],
    ['unavailable', 'can’t reach'],
    ['timeout', 'took too long'],
  ] as const)('says in plain words that the service is %s', async (kind, words) => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.failCreating = new ChatbotError(kind, 'inner details');
    await ask(thread, 'q');
    expect(thread.visible()).toEqual([expect.stringContaining(words)]);
    expect(thread.visible()[0]).not.toContain('inner details');
  });

  it('opens a new session once where the service has lost the old one, and tells the thread', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    await ask(thread, 'first');
    const answer = chatbot.answer;
    chatbot.reply = (session, { query }, signal) => {
      chatbot.queries.push({ session, query });
      if (session === 's1') throw new ChatbotError('not_found', 'no such session');
      return answer(query, signal);
    };
    await ask(thread, 'second');
    expect(chatbot.queries.at(-1)).toEqual({ session: 's2', query: 'second' });
    expect(thread.visible().at(-1)).toContain('You said: second');
    expect(thread.visible().at(-1)).toContain('this is a new one');
  });
});
