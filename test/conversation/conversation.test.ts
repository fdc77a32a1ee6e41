import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChatbotError } from '../../src/conversation/chatbot-error.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { createJournal, type JournalEntry } from '../../src/conversation/journal.ts';
import { createPacer } from '../../src/conversation/pacer.ts';
import { PlatformError } from '../../src/conversation/platform-error.ts';
import type { Thread } from '../../src/conversation/ports.ts';
import { recoverTurns } from '../../src/conversation/recover.ts';
import { createSessions, type SessionRecord } from '../../src/conversation/sessions.ts';
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

  function create() {
    const chatbot = createFakeChatbot();
    const bindings = { chatbotFor: async () => 'bot' };
    const sessions = createSessions({
      store: store.keyv<SessionRecord>('session'),
      chatbot,
      bindings,
    });
    const journal = createJournal(store.keyv<JournalEntry>('journal'));
    const tools = { chatbot, sessions, journal, pacer: createPacer(), log: silentLog };
    const conversation = createConversation({ ...tools, coordinator: store.coordinator });
    const ask = async (thread: Thread, text: string, change = {}) => {
      const done = conversation.receive(createFakeMessage(thread, text, change));
      await settle(done);
    };
    return { ...tools, conversation, ask };
  }

  /** Lets time pass until the promise has settled. */
  async function settle(promise: Promise<unknown>): Promise<void> {
    let settled = false;
    void promise.finally(() => (settled = true));
    while (!settled) await vi.advanceTimersByTimeAsync(100);
  }

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
    expect(thread.history).toEqual(['Once', 'Once upon', 'Once upon a time: Tell me']);
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
          conversation.receive(createFakeMessage(thread, 'hello', { addressed })),
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
    const first = conversation.receive(createFakeMessage(thread, 'first'));
    const second = conversation.receive(createFakeMessage(thread, 'second'));
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
      conversation.receive(createFakeMessage(thread, `q${index}`)),
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
    expect(thread.visible()).toEqual(['It is **so** [1.1]. (Sources: [1.1] Guide)']);
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
      'Half an **ans**\n\n⚠️ The answer broke off before its end. Please ask again.',
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
    chatbot.reply = (session, query, signal) => {
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

  it('ends turns in flight with a note when it closes, and takes no more', async () => {
    const { conversation, chatbot, ask } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* (_, signal) {
      yield 'Let me think';
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new ChatbotError('aborted', 'aborted')));
      });
    };
    const turn = conversation.receive(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(100);
    await settle(conversation.close(6000));
    await turn;
    expect(thread.visible()).toEqual([
      expect.stringMatching(/^Let me think\n\n⚠️ I was restarted/),
    ]);
    await ask(thread, 'too late');
    expect(thread.visible()).toHaveLength(1);
  });

  describe('after a crash', () => {
    async function crash(stored?: Parameters<Map<string, unknown>['set']>[1]) {
      const before = create();
      const thread = createFakeThread();
      before.chatbot.answer = async function* () {
        yield 'Half';
        await new Promise(() => {});
      };
      void before.conversation.receive(createFakeMessage(thread, 'q'));
      await vi.advanceTimersByTimeAsync(100);
      expect(thread.visible()).toEqual(['Half']);
      const after = create();
      if (stored) after.chatbot.stored.set('s1', stored as never);
      const platform = {
        name: 'fake',
        thread: () => thread,
        start: async () => {},
        [Symbol.asyncDispose]: async () => {},
      };
      const signal = new AbortController().signal;
      await settle(recoverTurns({ ...after, platforms: [platform], signal }));
      return { thread, journal: after.journal };
    }

    it('completes a reply that the service has whole', async () => {
      const { thread, journal } = await crash({
        query: 'q',
        response: 'Half and half',
        sources: [],
        state: 'whole',
      });
      expect(thread.visible()).toEqual(['Half and half']);
      expect(await Array.fromAsync(journal.unfinished())).toEqual([]);
    });

    it('tells the thread to ask again otherwise', async () => {
      const { thread } = await crash();
      expect(thread.visible()).toEqual([expect.stringContaining('Please ask again')]);
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
          throw new PlatformError('rate_limited', 'slow down', { retryAfterMs: 1000 });
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
        if (kind === 'edit') throw new PlatformError('uneditable', 'archived');
      };
      await ask(thread, 'q');
      expect(thread.visible()).toEqual(['One', 'One two']);
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
        if (kind === 'edit' && failures-- > 0) throw new PlatformError('failed', 'connection lost');
      };
      await ask(thread, 'q');
      expect(thread.visible()).toEqual(['One two']);
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
        throw new PlatformError('forbidden', 'I may not write here.');
      };
      await ask(thread, 'q');
      expect(writes).toBeLessThan(6);
    });
  });
});
