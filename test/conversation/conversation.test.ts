import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChatbotError } from '../../src/conversation/chatbot-error.ts';
import {
  type ConversationOptions,
  createConversation,
} from '../../src/conversation/conversation.ts';
import { createPacer } from '../../src/conversation/reply/pacer.ts';
import { PlatformError } from '../../src/conversation/platform-error.ts';
import type { Thread, ThreadAddress } from '../../src/conversation/ports.ts';
import { recoverTurns } from '../../src/conversation/recover.ts';
import { createSessions, type SessionRecord } from '../../src/conversation/sessions.ts';
import { createTurns, turnId, type TurnRecord } from '../../src/conversation/turns.ts';
import { openStore, type Store } from '../../src/stores/open-store.ts';
import { createFakeChatbot } from '../fixtures/fake-chatbot.ts';
import { createFakeMessage, createFakeThread, fakeAddress } from '../fixtures/fake-thread.ts';
import { silentLog } from '../fixtures/log.ts';

describe('conversation', () => {
  let store: Store;
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    });
    store = openStore('memory:');
  });
  afterEach(async () => {
    vi.useRealTimers();
    await store[Symbol.asyncDispose]();
  });

  function create(options: Partial<ConversationOptions> = {}) {
    const chatbot = createFakeChatbot();
    const bindings = { chatbotFor: async () => 'bot', release: async () => 0 };
    const sessions = createSessions({
      store: store.keyv<SessionRecord>('session'),
      chatbot,
      bindings,
    });
    const turns = createTurns({
      journal: store.keyv<TurnRecord>('journal'),
      ended: store.keyv<TurnRecord>('turn'),
    });
    const threads = new Map<string, Thread>();
    const openThread = (address: ThreadAddress) => threads.get(address.thread);
    const pacer = createPacer();
    const tools = { chatbot, sessions, turns, pacer, openThread, log: silentLog };
    const conversation = createConversation({
      ...tools,
      coordinator: store.coordinator,
      ...options,
    });
    const ask = async (thread: Thread, text: string, change = {}) => {
      threads.set(thread.address.thread, thread);
      const done = conversation.message(createFakeMessage(thread, text, change));
      await settle(done);
    };
    return { ...tools, conversation, ask, threads };
  }

  /** Lets time pass until the promise has settled. */
  async function settle(promise: Promise<unknown>): Promise<void> {
    const state = { settled: false };
    void promise.finally(() => (state.settled = true));
    while (!state.settled) await vi.advanceTimersByTimeAsync(100);
  }

  it('speaks the language of whoever asks', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    const author = { id: 'U1', name: 'Greta', isManager: false, locale: 'de-AT' };
    await ask(thread, 'Wann?', { author });
    expect(thread.buttons()).toEqual([['Hilfreich', 'Nicht hilfreich']]);
    // oxlint-disable-next-line require-yield -- it fails before it says anything
    chatbot.answer = async function* () {
      throw new ChatbotError('timeout', 'slow');
    };
    await ask(thread, 'Und wo?', { author, id: '2' });
    expect(thread.visible().at(-1)).toMatch(/^⚠️ Der Chatbot-Dienst hat zu lange/);
    expect(thread.buttons().at(-1)).toEqual(['Erneut versuchen']);
  });

  it('answers a mention in its thread, growing in place', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* (query) {
      yield 'Once ';
      await vi.advanceTimersByTimeAsync(400);
      yield 'upon ';
      await vi.advanceTimersByTimeAsync(400);
      yield `a time: ${query}`;
    };
    await ask(thread, 'Tell me');
    expect(thread.history.slice(0, 3)).toEqual(['Once', 'Once upon', 'Once upon a time: Tell me']);
    expect(thread.visible()).toEqual(['Once upon a time: Tell me']);
  });

  it('keeps one session a thread, and another for another thread', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    await ask(thread, 'one');
    await ask(thread, 'two', { addressed: 'overheard' });
    await ask(createFakeThread({ address: { ...fakeAddress, thread: 'T2' } }), 'three');
    expect(chatbot.queries).toEqual([
      { session: 's1', query: 'one' },
      { session: 's1', query: 'two' },
      { session: 's2', query: 'three' },
    ]);
  });

  it('says so where the usual chatbot answers in place of one that was deleted', async () => {
    const { sessions } = create();
    const findOrCreate = async (...given: Parameters<typeof sessions.findOrCreate>) => ({
      ...(await sessions.findOrCreate(...given)),
      usesFallback: true as const,
    });
    const { ask } = create({ sessions: { ...sessions, findOrCreate } });
    const thread = createFakeThread();
    await ask(thread, 'Hello');
    expect(thread.visible()).toEqual([
      expect.stringMatching(/You said: Hello.*default one answers now/s),
    ]);
  });

  it('ignores what is overheard where it has no session', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    await ask(thread, 'just chatting', { addressed: 'overheard' });
    expect(thread.visible()).toEqual([]);
    expect(chatbot.queries).toEqual([]);
  });

  it('answers a message once, however often and under whatever name it is delivered', async () => {
    const { conversation, chatbot } = create();
    const thread = createFakeThread();
    const deliveries = ['overheard', 'mention', 'mention'] as const;
    await settle(
      Promise.all(
        deliveries.map((addressed) =>
          conversation.message(createFakeMessage(thread, 'hello', { addressed })),
        ),
      ),
    );
    expect(chatbot.queries).toHaveLength(1);
  });

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

  it('greets who says nothing', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    await ask(thread, '  ');
    expect(thread.visible()).toEqual([expect.stringContaining('Ask me a question')]);
    expect(chatbot.sessions).toEqual([]);
  });

  it('shows the stored response, its sources below', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.stored.set('s1', {
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
      'Half an **ans**\n\n⚠️ The answer broke off. Please ask again.',
    ]);
  });

  it('completes a broken stream from what the service stored', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.stored.set('s1', { query: 'q', response: 'All of it.', sources: [], state: 'whole' });
    chatbot.answer = async function* () {
      yield 'All';
      throw new ChatbotError('interrupted', 'socket hang up');
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual(['All of it.']);
  });

  it.each([
    ['unauthorized', 'CHATBOT_API_KEY'],
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

  it('says nothing where the store is down and nobody spoke to it', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    await store[Symbol.asyncDispose]();
    await ask(thread, 'just chatting', { addressed: 'overheard' });
    expect(thread.visible()).toEqual([]);
    await ask(thread, 'hello', { addressed: 'mention' });
    expect(thread.visible()).toEqual([expect.stringContaining('Something went wrong')]);
    expect(chatbot.sessions).toEqual([]);
  });

  it('ends turns in flight with a note when it closes, and says so to whoever asks then', async () => {
    const { conversation, chatbot, ask } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* (_, signal) {
      yield 'Let me think';
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new ChatbotError('aborted', 'aborted')));
      });
    };
    const turn = conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(100);
    await settle(conversation.close(6000));
    await turn;
    expect(thread.visible()).toEqual([
      expect.stringMatching(/^Let me think\n\n⚠️ I was restarted/),
    ]);
    await ask(thread, 'too late');
    expect(thread.visible()[1]).toMatch(/^⚠️ I was restarted/);
    expect(chatbot.queries).toHaveLength(1);
  });

  it.each<[string, () => void | Promise<void>]>([
    [
      'a platform that is too busy',
      () => {
        throw new PlatformError(
          'rate_limited',
          { code: 'platform_busy', params: { platform: 'Test' } },
          { retryAfterMs: 60_000 },
        );
      },
    ],
    [
      'a platform that fails',
      () => {
        throw new PlatformError('failed', 'discord_forbidden');
      },
    ],
    ['a platform that does not answer', () => new Promise(() => {})],
  ])('closes in time whatever its last texts wait for: %s', async (_, refuse) => {
    const { conversation, chatbot, turns, ...tools } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* (_query, signal) {
      yield 'Let me think';
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new ChatbotError('aborted', 'aborted')));
      });
    };
    void conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(100);
    thread.beforeWrite = refuse;
    const began = Date.now();
    await settle(conversation.close(6000));
    expect(Date.now() - began).toBeLessThanOrEqual(8100);
    thread.beforeWrite = () => {};
    await vi.advanceTimersByTimeAsync(120_000);
    expect(thread.visible()).toEqual(['Let me think']);
    const { signal } = new AbortController();
    await settle(recoverTurns({ ...tools, chatbot, turns, openThread: () => thread, signal }));
    expect(thread.visible().at(-1)).toMatch(/⚠️ I was restarted/);
    expect(await turns.unfinished()).toEqual([]);
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

  describe('buttons', () => {
    const ada = { id: 'U1', name: 'Ada', isManager: false };
    const linus = { id: 'U2', name: 'Linus', isManager: false };
    const grace = { id: 'U3', name: 'Grace', isManager: true };

    /** A turn that streams until it is stopped. */
    async function streaming(question = 'q') {
      const created = create();
      const thread = createFakeThread();
      created.threads.set('T', thread);
      created.chatbot.answer = async function* (_, signal) {
        yield 'Let me think';
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new ChatbotError('aborted', 'aborted')));
        });
      };
      const message = createFakeMessage(thread, question);
      const done = created.conversation.message(message);
      await vi.advanceTimersByTimeAsync(100);
      return { ...created, thread, message, done, turn: turnId(message) };
    }

    it('offers to stop while the reply streams, to who asked and to managers only', async () => {
      const { conversation, thread, turn, done } = await streaming();
      expect(thread.buttons()).toEqual([['Stop']]);
      const refusal = await conversation.pressed({
        action: 'stop',
        turn,
        by: linus,
        place: fakeAddress,
      });
      expect(refusal).toBe('Only Ada, who asked, or a manager can stop this answer.');
      expect(thread.visible()).toEqual(['Let me think']);
      expect(
        await conversation.pressed({ action: 'stop', turn, by: grace, place: fakeAddress }),
      ).toBeUndefined();
      await settle(done);
      expect(thread.visible()).toEqual(['Let me think\n\n⏹ Stopped by Grace.']);
      expect(thread.buttons()).toEqual([['Try again']]);
    });

    it('stops at the word, and says so where there is nothing to stop', async () => {
      const { ask, thread, done } = await streaming();
      await ask(thread, 'Stop!', { author: ada });
      await settle(done);
      expect(thread.visible()).toEqual(['Let me think\n\n⏹ Stopped by Ada.']);
      await ask(thread, 'stop', { author: ada });
      expect(thread.visible()[1]).toContain('nothing to stop');
    });

    it('stops at the platform’s own control', async () => {
      const { conversation, thread, done } = await streaming();
      await conversation.stopped(thread.address, ada);
      await settle(done);
      expect(thread.visible()).toEqual(['Let me think\n\n⏹ Stopped by Ada.']);
    });

    it('asks the same question again, in the same session', async () => {
      const { conversation, chatbot, thread, turn, done } = await streaming();
      expect(
        await conversation.pressed({ action: 'retry', turn, by: ada, place: fakeAddress }),
      ).toContain('still');
      await conversation.pressed({ action: 'stop', turn, by: ada, place: fakeAddress });
      await settle(done);
      chatbot.answer = async function* () {
        yield 'A whole answer';
      };
      await settle(conversation.pressed({ action: 'retry', turn, by: linus, place: fakeAddress }));
      expect(thread.visible()[1]).toBe('A whole answer');
      expect(chatbot.queries).toEqual([
        { session: 's1', query: 'q' },
        { session: 's1', query: 'q' },
      ]);
    });

    it('keeps what each reader thinks of a reply, and lets them change it', async () => {
      const { ask, conversation, turns } = create();
      const thread = createFakeThread();
      await ask(thread, 'q');
      expect(thread.buttons()).toEqual([['Helpful', 'Not helpful']]);
      const turn = turnId(createFakeMessage(thread, 'q'));
      await conversation.pressed({ action: 'helpful', turn, by: ada, place: fakeAddress });
      await conversation.pressed({ action: 'unhelpful', turn, by: linus, place: fakeAddress });
      const said = await conversation.pressed({
        action: 'unhelpful',
        turn,
        by: ada,
        place: fakeAddress,
      });
      expect(said).toContain('not helpful');
      expect((await turns.find(turn))?.feedback).toEqual({ U1: 'unhelpful', U2: 'unhelpful' });
    });

    it('shows the quoted passages', async () => {
      const { ask, conversation, chatbot } = create();
      const thread = createFakeThread();
      chatbot.answer = async function* () {
        yield 'So [2.1], and';
      };
      chatbot.stored.set('s1', {
        query: 'q',
        response: 'So [2.1], and so [1.1].',
        sources: [
          { marker: '1.1', title: 'Guide', quote: 'first\nlines' },
          { marker: '2.1', title: 'Page', quote: 'second', url: 'https://example.com/a_(b)' },
        ],
        state: 'whole',
      });
      await ask(thread, 'q');
      expect(thread.visible()).toEqual([
        'So [1], and so [2]. (Sources: [1] [Page](https://example.com/a_%28b%29) · [2] Guide)',
      ]);
      const turn = turnId(createFakeMessage(thread, 'q'));
      expect(
        await conversation.pressed({ action: 'passages', turn, by: ada, place: fakeAddress }),
      ).toBe(
        '**[1]** [Page](https://example.com/a_%28b%29)\n> second\n\n**[2]** Guide\n> first\n> lines',
      );
    });

    it('tells that an answer is too old for its buttons', async () => {
      const { conversation } = create();
      const said = await conversation.pressed({
        action: 'passages',
        turn: 'unknown',
        by: ada,
        place: fakeAddress,
      });
      expect(said).toContain('too old');
    });

    it('offers to answer an edited question again', async () => {
      const { ask, conversation, chatbot } = create();
      const thread = createFakeThread();
      await ask(thread, 'q');
      const message = createFakeMessage(thread, 'q');
      await conversation.edited(message);
      expect(thread.visible()).toHaveLength(1);
      await conversation.edited({ ...message, text: 'a better q' });
      expect(thread.visible()[1]).toBe('You changed your question.');
      expect(thread.buttons()[1]).toEqual(['Answer again']);
      await settle(
        conversation.pressed({
          action: 'retry',
          turn: turnId(message),
          by: ada,
          place: fakeAddress,
        }),
      );
      expect(chatbot.queries.at(-1)).toEqual({ session: 's1', query: 'a better q' });
    });

    it('leaves an edited question alone that is not the last of its thread', async () => {
      const { ask, conversation } = create();
      const thread = createFakeThread();
      await ask(thread, 'first');
      await ask(thread, 'second');
      await conversation.edited({ ...createFakeMessage(thread, 'first'), text: 'changed' });
      expect(thread.visible()).toHaveLength(2);
    });

    it('ends the turn of a deleted question', async () => {
      const { conversation, thread, message, done } = await streaming();
      await conversation.removed({ ...thread.address, id: message.id });
      await settle(done);
      expect(thread.visible()[0]).toContain('the question was deleted');
    });
  });

  describe('after a crash', () => {
    async function crash(stored?: Parameters<Map<string, unknown>['set']>[1]) {
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
      if (stored) after.chatbot.stored.set('s1', stored as never);
      const { signal } = new AbortController();
      await settle(recoverTurns({ ...after, openThread: () => thread, signal }));
      return { thread, turns: after.turns };
    }

    it('completes a reply that the service has whole', async () => {
      const { thread, turns } = await crash({
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

  describe('a reply', () => {
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

    it('goes on in a fresh message where the old one can’t be edited', async () => {
      const { ask, chatbot } = create();
      const thread = createFakeThread();
      chatbot.answer = async function* () {
        yield 'One ';
        await vi.advanceTimersByTimeAsync(500);
        yield 'two';
      };
      thread.beforeWrite = (kind) => {
        if (kind === 'edit') throw new PlatformError('uneditable', 'channel_archived');
      };
      await ask(thread, 'q');
      expect(thread.visible()).toEqual(['One', 'One two']);
    });

    it('outlasts a platform that fails for a while at its end', async () => {
      const { ask, chatbot } = create();
      const thread = createFakeThread();
      chatbot.answer = async function* () {
        yield 'One ';
        await vi.advanceTimersByTimeAsync(500);
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

    it('is written at the next start where the platform stays away', async () => {
      const { ask, turns } = create();
      const thread = createFakeThread();
      thread.beforeWrite = () => {
        throw new PlatformError('failed', {
          code: 'platform_unreachable',
          params: { platform: 'Test' },
        });
      };
      await ask(thread, 'q');
      expect(await turns.unfinished()).toHaveLength(1);
    });

    it('is not taken for the answer to an earlier question of the same words', async () => {
      const { ask, chatbot } = create();
      const thread = createFakeThread();
      chatbot.stored.set('s1', { query: 'q', response: 'Earlier.', sources: [], state: 'whole' });
      chatbot.answer = () => {
        throw new ChatbotError('unavailable', 'refused');
      };
      await ask(thread, 'q');
      expect(thread.visible()).toEqual([expect.stringContaining('can’t reach')]);
    });

    it('tries an edit again that failed for no lasting reason', async () => {
      const { ask, chatbot } = create();
      const thread = createFakeThread();
      chatbot.answer = async function* () {
        yield 'One ';
        await vi.advanceTimersByTimeAsync(500);
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
      chatbot.stored.set('s1', { query: 'q', response, sources: [], state: 'whole' });
      chatbot.answer = async function* () {
        yield 'A long way of putting things. '.repeat(5);
      };
      await ask(thread, 'q');
      expect(thread.visible()).toEqual([response]);
    });

    it('gives up where the bot may not write', async () => {
      const { ask, chatbot } = create();
      const thread = createFakeThread();
      let writes = 0;
      chatbot.answer = async function* () {
        for (let n = 0; n < 50; n += 1) yield `${n} `;
      };
      thread.beforeWrite = () => {
        writes += 1;
        throw new PlatformError('forbidden', 'slack_write_forbidden');
      };
      await ask(thread, 'q');
      expect(writes).toBeLessThan(6);
    });
  });
});
