import { describe, expect, it, vi } from 'vitest';
import { ChatbotError } from '../../../src/bridge/conversation/errors.ts';
import { usualOptions } from '../../fixtures/conversation-tools.ts';
import { createFakeThread, createFakeMessage } from '../../fixtures/fake-thread.ts';
import { setUpConversation, settle } from './set-up-conversation.ts';
import type { StoredReply } from '../../../src/bridge/conversation/chatbot.ts';
import type { TurnReport } from '../../../src/bridge/conversation/reports.ts';
import { english } from '../../../src/bridge/texts/texts.ts';
import { createThreadControl } from '../../../src/bridge/commands/thread-control.ts';

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

  it.each(['[9.9]', ' [9.9]\n[9.9] ', '\u200B'])(
    'says that there is no answer where nothing of “%s” can be shown',
    async (response) => {
      const { ask, chatbot } = create();
      const thread = createFakeThread();
      chatbot.stored.set('s1', { id: 'r1', query: 'q', response, sources: [], state: 'whole' });
      chatbot.answer = async function* () {
        yield response;
      };
      await ask(thread, 'q');
      expect(thread.visible()).toEqual([english.thread.emptyAnswer]);
    },
  );

  it('closes the code that a response was cut off in', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    const response = 'So:\n\n```js\nrun(';
    chatbot.stored.set('s1', { id: 'r1', query: 'q', response, sources: [], state: 'cut' });
    await ask(thread, 'q');
    expect(thread.visible()).toEqual([expect.stringMatching(/^So:\n\n```js\nrun\(\n``` \(/)]);
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

  it('does not take what arrived for an answer where its session was deleted meanwhile', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* () {
      yield 'The first';
    };
    chatbot.lastReply = async () => {
      throw new ChatbotError('not_found', 'no session');
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual([`The first\n\n⚠️ ${english.failures.not_found()}`]);
    expect(thread.buttons()).toEqual([['Try again']]);
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

const busy = 'The model is overloaded right now, so please ask again in a minute.';

describe('an answer that failed at the service', () => {
  const { create } = setUpConversation();

  async function askFor(streamed: string, stored: Partial<StoredReply>, locale?: string) {
    const reports: TurnReport[] = [];
    const { ask, chatbot } = create({
      reports: { ...usualOptions.reports, turnEnded: (turn) => void reports.push(turn) },
    });
    const thread = createFakeThread();
    chatbot.stored.set('s1', {
      id: 'r1',
      query: 'q',
      response: streamed,
      sources: [],
      state: 'partial',
      ...stored,
    });
    chatbot.answer = async function* () {
      yield streamed;
    };
    await ask(thread, 'q', { author: { id: 'ada', name: 'Ada', isManager: false, locale } });
    return {
      visible: thread.visible(),
      buttons: thread.buttons().flat(),
      outcomes: reports.map(({ outcome }) => outcome),
    };
  }

  it('says so in the reader’s words, below what arrived', async () => {
    const stored = { reason: busy, failure: { code: 'model_busy' } as const };
    expect(await askFor(`At ni\n\n${busy}`, stored, 'de')).toEqual({
      visible: [expect.stringMatching(/^At ni\n\n⚠️ Das Modell hat gerade zu viel zu tun/)],
      buttons: ['Erneut versuchen'],
      outcomes: ['failed'],
    });
  });

  it('says so where nothing else arrived', async () => {
    const stored = { reason: busy, failure: { code: 'model_busy' } as const };
    expect((await askFor(busy, stored)).visible).toEqual([`⚠️ ${busy}`]);
  });

  it('says so in the service’s words, where we don’t know them', async () => {
    expect(await askFor('At ni', { reason: 'out of luck' })).toEqual({
      visible: ['At ni\n\n⚠️ out of luck'],
      buttons: ['Try again'],
      outcomes: ['failed'],
    });
  });

  it('says so where the service was interrupted', async () => {
    expect(await askFor('At ni', {})).toMatchObject({
      visible: ['At ni\n\n⚠️ The answer was cut off. Please ask again.'],
      outcomes: ['failed'],
    });
  });
});

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
    // The first one has its note by now.
    expect(thread.workingShown).toBe(3);
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
