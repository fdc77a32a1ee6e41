import { afterEach, beforeEach, vi } from 'vitest';
import { ChatbotError } from '../../../src/bridge/conversation/errors.ts';
import {
  type ConversationOptions,
  createConversation,
} from '../../../src/bridge/conversation/conversation.ts';
import type { IncomingMessage } from '../../../src/bridge/conversation/platform.ts';
import type { Thread, WriteBudget } from '../../../src/bridge/conversation/thread.ts';
import type { ThreadAddress } from '../../../src/bridge/conversation/address.ts';
import type { Pacer } from '../../../src/bridge/conversation/reply/pacer.ts';
import { openStore, type Store } from '../../../src/bridge/stores/open-store.ts';
import { createConversationTools } from '../../fixtures/conversation-tools.ts';
import { createFakeMessage, fakePlatform } from '../../fixtures/fake-thread.ts';

/**
 * For each test a store of its own, in memory unless it is opened otherwise, and time that passes
 * only while the test lets it. What the test hands over, such as an answer, waits with `sleep`: of two
 * that let time pass at once, one may wait for ever.
 */
export function setUpConversation(open: () => Promise<Store> = () => openStore('memory:')) {
  let store: Store;
  beforeEach(async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    });
    store = await open();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await store[Symbol.asyncDispose]();
  });

  /** A conversation on the store; another one on it is the process started again. */
  function create(options: Partial<ConversationOptions> = {}) {
    const { inbox } = store;
    const threads = new Map<string, Thread>();
    const openThread = (address: ThreadAddress) => threads.get(address.thread);
    /** What has not ended. A reply that broke off has, although it may still be completed. */
    const openRows = async () => {
      const { rows } = await inbox.claimDue(Infinity);
      return rows.filter(({ state }) => state !== 'ended');
    };
    const findPlatform = () => fakePlatform;
    const tools = {
      ...createConversationTools(store, { workspaces: ['W', 'A', 'B'] }),
      openThread,
      findPlatform,
    };
    const { message, ...others } = createConversation({ ...tools, ...options });
    const conversation = {
      ...others,
      message(asked: IncomingMessage) {
        threads.set(asked.thread.address.thread, asked.thread);
        return message(asked);
      },
    };
    const ask = async (thread: Thread, text: string, change = {}) => {
      const done = conversation.message(createFakeMessage(thread, text, change));
      await settle(done);
    };
    /** Lets time pass until every turn has ended. */
    const finish = async () => {
      const isDone = async () => (await openRows()).length === 0;
      for (let seconds = 0; !(await isDone()); seconds += 1) {
        if (seconds > 3_600) throw new Error('a turn has not ended within an hour');
        await vi.advanceTimersByTimeAsync(1_000);
      }
    };
    /** Continues what an earlier conversation left, until it is done. */
    const recover = async () => {
      await conversation.recover();
      // A platform takes a while to connect.
      await vi.advanceTimersByTimeAsync(1);
      conversation.connected('fake');
      await finish();
    };
    return { ...tools, conversation, ask, finish, recover, threads, openRows };
  }

  const { signal } = new AbortController();
  return {
    create,
    keepUp: () => store.keepUp(signal),
    closeStore: () => store[Symbol.asyncDispose](),
  };
}

/** What the person who pressed a button is told. */
export async function answerTo(pressed: Promise<{ answer: Promise<string | undefined> }>) {
  return (await pressed).answer;
}

/** Lets time pass until the promise has settled, and settles as it does. */
export async function settle<Result>(promise: Promise<Result>): Promise<Result> {
  const state = { settled: false };
  const settled = () => (state.settled = true);
  promise.then(settled, settled);
  for (let tenths = 0; !state.settled; tenths += 1) {
    if (tenths > 36_000) throw new Error('nothing has come of it within an hour');
    await vi.advanceTimersByTimeAsync(100);
  }
  return promise;
}

/** An answer that begins, and ends only when it is aborted. */
export async function* thinkUntilAborted(_query: string, signal: AbortSignal) {
  yield 'Let me think';
  await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new ChatbotError('aborted', 'aborted')));
  });
}

/** Uses up so many writes of a budget: the platform responds to them at once. */
export async function writeTimes(times: number, pacer: Pacer, budget: WriteBudget): Promise<void> {
  for (let write = 0; write < times; write += 1) {
    using _ = await pacer.permit(budget, { urgency: 'final', since: 0 });
  }
}
