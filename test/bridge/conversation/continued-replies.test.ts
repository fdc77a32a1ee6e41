import { describe, expect, it, vi } from 'vitest';
import { sleep } from '../../../src/shared/primitives/time.ts';
import { UnsentError } from '../../../src/bridge/chatbot/errors.ts';
import { ChatbotError } from '../../../src/bridge/conversation/errors.ts';
import type { FakeChatbot } from '../../fixtures/fake-chatbot.ts';
import {
  createFakeMessage,
  createFakeThread,
  fakeAddress,
  type FakeThread,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { answerTo, setUpConversation } from './set-up-conversation.ts';

const maxReplyMs = 10 * 60_000;
const ada = { id: 'U1', name: 'Ada', isManager: false };
const lost = () => new ChatbotError('interrupted', 'gone');
const away = () => new ChatbotError('unavailable', 'away');

/** Words in this many milliseconds each; after them, what a test wants to happen. */
async function* say(words: string[], signal?: AbortSignal, eachMs = 1_000) {
  for (const word of words) {
    yield word;
    await new Promise<void>((resolve, reject) => {
      setTimeout(resolve, eachMs);
      signal?.addEventListener('abort', () => reject(new ChatbotError('aborted', 'aborted')));
    });
  }
}

/** Keeps what a service that takes keys stores. */
function keepWhole(chatbot: FakeChatbot, response: string) {
  chatbot.stored.set('s1', { id: 'r1', query: 'q', response, sources: [], state: 'whole' });
}

describe('a reply to a query with a key', () => {
  const { create } = setUpConversation();

  function start() {
    const process = create({ maxReplyMs });
    process.chatbot.hasKeys = true;
    const thread = createFakeThread();
    const message = createFakeMessage(thread, 'q');
    const turn = turnOf(message);
    return { ...process, thread, message, turn };
  }

  /** The next process, after one that was killed. */
  async function startAgain(thread: FakeThread, options: { isTooLate?: () => boolean } = {}) {
    const process = create({ maxReplyMs, ...options });
    process.threads.set('T', thread);
    process.chatbot.hasKeys = true;
    return {
      ...process,
      async connect() {
        await process.conversation.recover();
        process.conversation.connected('fake');
      },
    };
  }

  it('is asked for again where it breaks off, and what people see stays until it is as long', async () => {
    const { conversation, chatbot, thread, message, turn, finish } = start();
    const answers = [
      async function* () {
        yield* say(['One ', 'two ', 'three ']);
        throw lost();
      },
      async function* () {
        yield* [];
        throw away();
      },
      async function* () {
        yield* say(['One ', 'two ', 'fourteen ', 'five.'], undefined, 3_000);
      },
    ];
    chatbot.answer = () => (answers.shift() ?? fail)();
    void conversation.message(message);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(thread.visible()).toEqual(['One two three']);
    expect(thread.buttons()).toEqual([['Stop']]);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(thread.visible()).toEqual(['One two fourteen']);
    keepWhole(chatbot, 'One two fourteen five.');
    await finish();
    expect(thread.visible()).toEqual(['One two fourteen five.']);
    expect(thread.buttons()).toEqual([['Helpful', 'Not helpful']]);
    expect(chatbot.queries.map(({ key }) => key)).toEqual(Array(3).fill(`${turn}.0`));
  });

  it('goes on in the same message after the bridge was killed, and can be stopped again', async () => {
    const first = start();
    first.chatbot.answer = () => say(['One ', 'two ', 'three '], undefined, 1_000_000_000);
    void first.conversation.message(first.message);
    await vi.advanceTimersByTimeAsync(100);
    const { thread, turn } = first;
    const shown = thread.visible();
    const second = await startAgain(thread);
    second.chatbot.answer = (_, signal) => say(['One two ', 'three ', 'four '], signal, 4_000);
    await second.connect();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(thread.visible()).toEqual(shown);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(thread.visible()).toEqual(['One two three']);
    expect(thread.buttons()).toEqual([['Stop']]);
    const press = { action: 'stop', turn, by: ada, place: fakeAddress } as const;
    await answerTo(second.conversation.pressed(press));
    await second.finish();
    expect(thread.visible()).toEqual(['One two three\n\n⏹ Stopped by Ada.']);
    expect(second.chatbot.stopped).toEqual([`${turn}.0`]);
    expect(second.chatbot.queries).toMatchObject([{ session: 's1', key: `${turn}.0` }]);
  });

  it('is whole after the bridge was killed, wherever it was', async () => {
    const first = start();
    first.chatbot.answer = async function* () {
      await new Promise(() => {});
      yield '';
    };
    void first.conversation.message(first.message);
    await vi.advanceTimersByTimeAsync(100);
    const second = await startAgain(first.thread);
    second.chatbot.answer = () => say(['All of it.'], undefined, 10);
    keepWhole(second.chatbot, 'All of it.');
    await second.connect();
    await second.finish();
    expect(first.thread.visible()).toEqual(['All of it.']);
  });

  it('is not asked for again in a restored backup', async () => {
    const first = start();
    first.chatbot.answer = () => say(['One '], undefined, 1_000_000_000);
    void first.conversation.message(first.message);
    await vi.advanceTimersByTimeAsync(100);
    const second = await startAgain(first.thread, { isTooLate: () => true });
    await second.connect();
    await second.finish();
    expect(second.chatbot.queries).toEqual([]);
    expect(first.thread.visible()).toEqual([expect.stringMatching(/^One\n\n⚠️ /)]);
    expect(first.thread.buttons()).toEqual([['Try again']]);
  });

  it('is left to the next start by one that stops in order, without a word', async () => {
    const first = start();
    first.chatbot.answer = (_, signal) => say(['One ', 'two '], signal, 1_000_000);
    void first.conversation.message(first.message);
    await vi.advanceTimersByTimeAsync(100);
    const closed = first.conversation.close(1_000);
    await vi.advanceTimersByTimeAsync(5_000);
    await closed;
    expect(first.thread.visible()).toEqual(['One']);
    expect(first.chatbot.stopped).toEqual([]);
    const second = await startAgain(first.thread);
    second.chatbot.answer = () => say(['One ', 'two.'], undefined, 10);
    keepWhole(second.chatbot, 'One two.');
    await second.connect();
    await second.finish();
    expect(first.thread.visible()).toEqual(['One two.']);
  });

  it('ends with what was shown where its time has passed', async () => {
    const { conversation, chatbot, thread, message, finish } = start();
    let asked = 0;
    chatbot.answer = async function* () {
      asked += 1;
      if (asked > 1) throw away();
      yield 'One ';
      await sleep(100);
      throw lost();
    };
    void conversation.message(message);
    await vi.advanceTimersByTimeAsync(maxReplyMs - 1_000);
    expect(thread.visible()).toEqual(['One']);
    await finish();
    expect(thread.visible()).toEqual([expect.stringMatching(/^One\n\n⚠️ /)]);
    expect(thread.buttons()).toEqual([['Try again']]);
  });

  it('fails soon where the service is away from the beginning', async () => {
    const { conversation, chatbot, thread, message } = start();
    chatbot.answer = async function* () {
      yield* [];
      throw new UnsentError('unavailable', 'away');
    };
    void conversation.message(message);
    await vi.advanceTimersByTimeAsync(16_000);
    expect(thread.buttons()).toEqual([['Try again']]);
    expect(chatbot.queries).toHaveLength(6);
  });

  it('is asked for until it is there where the query may have arrived', async () => {
    const { conversation, chatbot, thread, message, finish } = start();
    const until = Date.now() + 60_000;
    chatbot.answer = async function* () {
      if (Date.now() < until) throw away();
      yield 'All of it.';
    };
    keepWhole(chatbot, 'All of it.');
    void conversation.message(message);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(thread.buttons()).toEqual([['Stop']]);
    await finish();
    expect(thread.visible()).toEqual(['All of it.']);
  });

  it('is stopped upstream by whoever stops it while the service is away', async () => {
    const { conversation, chatbot, thread, message, turn, finish } = start();
    let asked = 0;
    chatbot.answer = async function* () {
      asked += 1;
      if (asked > 1) throw away();
      yield 'One ';
      await sleep(1_000);
      throw lost();
    };
    void conversation.message(message);
    await vi.advanceTimersByTimeAsync(3_000);
    const press = { action: 'stop', turn, by: ada, place: fakeAddress } as const;
    await answerTo(conversation.pressed(press));
    await finish();
    expect(thread.visible()).toEqual(['One\n\n⏹ Stopped by Ada.']);
    expect(chatbot.stopped).toEqual([`${turn}.0`]);
  });

  it('is given up where one start after another has died of it', async () => {
    const first = start();
    first.chatbot.answer = () => say(['One '], undefined, 1_000_000_000);
    void first.conversation.message(first.message);
    await vi.advanceTimersByTimeAsync(100);
    let asked = 0;
    for (let starts = 0; starts < 7; starts += 1) {
      const next = await startAgain(first.thread);
      next.chatbot.answer = () => {
        asked += 1;
        return say(['One '], undefined, 1_000_000_000);
      };
      await next.connect();
      await vi.advanceTimersByTimeAsync(2_000);
    }
    expect(asked).toBe(5);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(first.thread.buttons()).toEqual([['Try again']]);
  });

  it('is asked for no more where the service says that it ignores the key', async () => {
    const { conversation, chatbot, thread, message, finish } = start();
    chatbot.namesKeys = false;
    chatbot.answer = async function* () {
      yield 'One ';
      throw lost();
    };
    void conversation.message(message);
    await finish();
    expect(thread.visible()).toEqual([expect.stringMatching(/^One\n\n⚠️ /)]);
    expect(thread.buttons()).toEqual([['Try again']]);
    expect(chatbot.queries).toHaveLength(1);
    chatbot.answer = async function* () {
      yield 'Two.';
    };
    void conversation.message(createFakeMessage(thread, 'and then?', { id: 'm2' }));
    await finish();
    expect(chatbot.queries.map(({ key }) => key)).toEqual([expect.any(String), undefined]);
    expect(chatbot.stopped).toEqual([]);
  });

  it('is asked for no more after a kill where the service has ignored the key', async () => {
    const first = start();
    first.chatbot.namesKeys = false;
    first.chatbot.answer = () => say(['One '], undefined, 1_000_000_000);
    void first.conversation.message(first.message);
    await vi.advanceTimersByTimeAsync(100);
    const second = await startAgain(first.thread);
    await second.connect();
    await second.finish();
    expect(second.chatbot.queries).toEqual([]);
    expect(first.thread.visible()).toEqual([expect.stringMatching(/^One\n\n⚠️ /)]);
  });

  it('is asked for no more where another service answers by then', async () => {
    const { conversation, chatbot, thread, message, finish } = start();
    chatbot.answer = async function* () {
      yield 'One ';
      chatbot.hasKeys = false;
      throw lost();
    };
    void conversation.message(message);
    await finish();
    expect(thread.visible()).toEqual([expect.stringMatching(/^One\n\n⚠️ /)]);
    expect(chatbot.queries).toHaveLength(1);
  });

  it('is asked for no more after a kill where another service answers by then', async () => {
    const first = start();
    first.chatbot.answer = () => say(['One '], undefined, 1_000_000_000);
    void first.conversation.message(first.message);
    await vi.advanceTimersByTimeAsync(100);
    const second = await startAgain(first.thread);
    second.chatbot.hasKeys = false;
    await second.connect();
    await second.finish();
    expect(second.chatbot.queries).toEqual([]);
    expect(first.thread.visible()).toEqual([expect.stringMatching(/^One\n\n⚠️ /)]);
    expect(first.thread.buttons()).toEqual([['Try again']]);
  });

  it.each([
    { hasKeys: true, keys: ['string', 'string'] },
    { hasKeys: false, keys: ['undefined', 'undefined'] },
  ])(
    'of a session from before 0.3.0 has a key if the service says so now: $hasKeys',
    async ({ hasKeys, keys }) => {
      const { conversation, chatbot, sessions, thread, message, finish } = start();
      chatbot.hasKeys = hasKeys;
      await sessions.replace(thread.address, { session: 's0', chatbot: 'bot' });
      let times = 0;
      chatbot.takesKeys = async () => {
        times += 1;
        if (times === 1) throw away();
        return hasKeys;
      };
      void conversation.message(message);
      await finish();
      void conversation.message(createFakeMessage(thread, 'and then?', { id: 'm2' }));
      await finish();
      expect(chatbot.queries.map(({ session }) => session)).toEqual(['s0', 's0']);
      expect(chatbot.queries.map(({ key }) => typeof key)).toEqual(keys);
      expect(times).toBe(2);
    },
  );

  it('has another key when somebody tries again', async () => {
    const { conversation, chatbot, thread, message, turn, finish } = start();
    chatbot.answer = async function* () {
      yield* [];
      throw new ChatbotError('invalid', 'no');
    };
    void conversation.message(message);
    await finish();
    const press = { action: 'retry', turn, by: ada, place: fakeAddress } as const;
    void answerTo(conversation.pressed(press));
    await finish();
    expect(thread.visible()).toHaveLength(2);
    expect(chatbot.queries.map(({ key }) => key)).toEqual([`${turn}.0`, `${turn}.1`]);
  });
});

async function* fail(): AsyncGenerator<string> {
  yield* [];
  throw new Error('The reply was asked for too often');
}
