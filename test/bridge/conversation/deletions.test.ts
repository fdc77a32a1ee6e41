import { describe, expect, it, vi } from 'vitest';
import { sleep } from '../../../src/shared/primitives/time.ts';
import { ChatbotError, PlatformError } from '../../../src/bridge/conversation/errors.ts';
import type { Inbox } from '../../../src/bridge/conversation/inbox/inbox.ts';
import { toAddress } from '../../../src/bridge/conversation/inbox/row.ts';
import type { SentMessage } from '../../../src/bridge/conversation/thread.ts';
import type { StoredReply } from '../../../src/bridge/conversation/chatbot.ts';
import type { Store } from '../../../src/bridge/stores/open-store.ts';
import { usualOptions } from '../../fixtures/conversation-tools.ts';
import {
  createFakeMessage,
  createFakeThread,
  deliver,
  type FakeThread,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { openFaultyStore } from '../../fixtures/open-faulty-store.ts';
import type { StoreFaults } from '../../fixtures/store-faults.ts';
import { settle, setUpConversation, thinkUntilAborted } from './set-up-conversation.ts';

let store: Store;
let faults: StoreFaults;
const { create } = setUpConversation(async () => {
  ({ store, faults } = await openFaultyStore());
  return store;
});

const whole: StoredReply = {
  id: 'r1',
  query: 'q',
  response: 'Whole.',
  sources: [],
  state: 'whole',
};

type Process = ReturnType<typeof create>;

/** The process started again, where the service has the whole reply. */
async function restart(thread: FakeThread): Promise<Process> {
  const next = create();
  next.threads.set('T', thread);
  next.chatbot.stored.set('s1', whole);
  await next.recover();
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  return next;
}

describe('a deletion', () => {
  it('is stored before it is acknowledged', async () => {
    const { conversation, openRows } = create();
    const message = createFakeMessage(createFakeThread(), 'q');
    const removed = conversation.removed(toAddress(message));
    await removed;
    expect(await openRows()).toMatchObject([{ kind: 'removal', messageId: message.id }]);
  });

  it.each([1, 2])(
    'that arrives together with its question keeps it from being asked (%i)',
    async (looks) => {
      let missed = 0;
      const inbox: Inbox = {
        ...store.inbox,
        async update(id, change, guard) {
          const known = await store.inbox.update(id, change, guard);
          // The question is stored between the deletion's look for it and its own row.
          if ('removed' in change && change.removed && !known && (missed += 1) === looks) {
            await conversation.received(deliver(message));
          }
          return known;
        },
      };
      const { conversation, chatbot, finish } = create({ inbox });
      const message = createFakeMessage(createFakeThread(), 'q');
      await conversation.removed(toAddress(message));
      await finish();
      expect(missed).toBeGreaterThanOrEqual(looks);
      expect(chatbot.queries).toEqual([]);
      expect(await store.inbox.get(turnOf(message))).toMatchObject({ removed: true });
    },
  );

  it('that can’t be stored is refused; once it is redelivered, the question is not asked', async () => {
    const { conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* (query) {
      yield query;
      if (query === 'one') await sleep(60_000);
    };
    await conversation.received(deliver(createFakeMessage(thread, 'one')));
    const waiting = createFakeMessage(thread, 'two');
    await conversation.received(deliver(waiting));
    await vi.advanceTimersByTimeAsync(100);
    faults.refuseWrites();
    await expect(settle(conversation.removed(toAddress(waiting)))).rejects.toThrow('full');
    faults.acceptWrites();
    await conversation.removed(toAddress(waiting));
    await finish();
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['one']);
  });
});

it('a question that is deleted as its turn fails gets no reply, and counts as stopped', async () => {
  const endings = {
    isReached: Promise.withResolvers<void>(),
    mayGoOn: Promise.withResolvers<void>(),
  };
  const inbox: Inbox = {
    ...store.inbox,
    async update(id, change, guard) {
      if ('state' in change && change.state === 'ending') {
        endings.isReached.resolve();
        await endings.mayGoOn.promise;
      }
      return store.inbox.update(id, change, guard);
    },
  };
  const outcomes: string[] = [];
  const ended = (_: string, outcome: string) => void outcomes.push(outcome);
  const turnEnded = vi.fn<() => void>();
  const replies = { began() {}, received() {}, ended };
  const { conversation, chatbot } = create({
    inbox,
    reports: { ...usualOptions.reports, turnEnded, replies },
  });
  chatbot.answer = async function* (query) {
    yield* [];
    throw new ChatbotError('invalid', query);
  };
  const thread = createFakeThread();
  const message = createFakeMessage(thread, 'q');
  const done = conversation.message(message);
  await vi.advanceTimersByTimeAsync(1_000);
  await endings.isReached.promise;
  await conversation.removed(toAddress(message));
  await vi.advanceTimersByTimeAsync(100);
  endings.mayGoOn.resolve();
  await done;
  expect(thread.history).toEqual([]);
  expect(outcomes).toEqual(['stopped']);
  expect(turnEnded).not.toHaveBeenCalled();
  expect(await store.inbox.get(turnOf(message))).toMatchObject({ state: 'ended' });
  expect(await store.inbox.backlog()).toEqual([]);
});

describe('after a crash, nothing more comes of a question that was deleted', () => {
  /** The question is deleted in this state, and the process dies. */
  async function removeAndCrash(thread: FakeThread, answer?: Process['chatbot']['answer']) {
    const before = create();
    if (answer) before.chatbot.answer = answer;
    const message = createFakeMessage(thread, 'q');
    void before.conversation.message(message);
    await vi.advanceTimersByTimeAsync(1_000);
    const state = (await before.inbox.get(turnOf(message)))?.state;
    // The running process does nothing more.
    thread.beforeWrite = () => new Promise(() => {});
    await before.conversation.removed(toAddress(message));
    await vi.advanceTimersByTimeAsync(100);
    return { state };
  }

  it('while it was being asked', async () => {
    const thread = createFakeThread();
    const { state } = await removeAndCrash(thread, async function* () {
      await new Promise(() => {});
      yield '';
    });
    expect(state).toBe('asking');
    thread.beforeWrite = () => {};
    const { chatbot, openRows } = await restart(thread);
    expect(thread.visible()).toEqual([]);
    expect(chatbot.queries).toEqual([]);
    expect(await openRows()).toEqual([]);
  });

  it.each([
    ['before the restart', true],
    ['while the answer is looked for', false],
  ])('while the platform took its answer, deleted %s', async (_, isBefore) => {
    const thread = createFakeThread();
    const { post } = thread;
    const keys = new Map<string | undefined, SentMessage>();
    // The message appears, and the process dies before it hears of it.
    thread.post = async (content, key) => {
      keys.set(key, await post(content, key));
      return new Promise(() => {});
    };
    thread.findPosted = async ({ key }) => keys.get(key);
    const before = create();
    before.chatbot.answer = thinkUntilAborted;
    const message = createFakeMessage(thread, 'q');
    void before.conversation.message(message);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await before.inbox.get(turnOf(message))).toMatchObject({ state: 'asking', posted: [] });
    expect(thread.buttons()).toEqual([['Stop']]);
    thread.beforeWrite = () => new Promise(() => {});
    if (isBefore) await before.conversation.removed(toAddress(message));
    thread.beforeWrite = () => {};
    thread.post = post;
    const next = create();
    next.threads.set('T', thread);
    next.chatbot.lastReply = async () => {
      if (!isBefore) await next.conversation.removed(toAddress(message));
      return undefined;
    };
    await next.recover();
    expect(thread.buttons()).toEqual([[]]);
    expect(thread.visible()).toEqual([expect.stringContaining('⏹')]);
    expect(await next.openRows()).toEqual([]);
  });

  it('while its answer was about to be posted', async () => {
    const before = create();
    before.chatbot.answer = thinkUntilAborted;
    const thread = createFakeThread();
    void before.conversation.message(createFakeMessage(thread, 'one'));
    const message = createFakeMessage(thread, 'two');
    void before.conversation.message(message);
    await vi.advanceTimersByTimeAsync(1_000);
    void before.conversation.close(0);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await before.inbox.get(turnOf(message))).toMatchObject({ state: 'accepted' });
    const isLooking = Promise.withResolvers<void>();
    const looked = Promise.withResolvers<undefined>();
    thread.findPosted = async ({ question }) => {
      if (question !== message.id) return undefined;
      isLooking.resolve();
      return looked.promise;
    };
    const inbox: Inbox = {
      ...store.inbox,
      async update(id, change, guard) {
        // What is stored takes a while.
        if ('state' in change && change.state === 'ended') await sleep(1_000);
        return store.inbox.update(id, change, guard);
      },
    };
    const next = create({ inbox });
    next.threads.set('T', thread);
    next.chatbot.answer = thinkUntilAborted;
    const recovered = next.recover();
    await isLooking.promise;
    await next.conversation.removed(toAddress(message));
    await vi.advanceTimersByTimeAsync(100);
    looked.resolve(undefined);
    await recovered;
    expect(thread.buttons().flat()).not.toContain('Stop');
    expect(await next.inbox.get(turnOf(message))).toMatchObject({ state: 'ended', posted: [] });
  });

  it('while its answer was shown: that stays, and is not completed', async () => {
    const thread = createFakeThread();
    const { state } = await removeAndCrash(thread, thinkUntilAborted);
    expect(state).toBe('showing');
    thread.beforeWrite = () => {};
    const { openRows } = await restart(thread);
    expect(thread.visible()).toEqual([expect.stringMatching(/^Let me think\n\n⏹ /)]);
    expect(await openRows()).toEqual([]);
  });

  it.each([
    ['and was tried', 30_000],
    ['and was put off', 63_500],
  ])('while its answer could not be written %s', async (_, afterMs) => {
    const thread = createFakeThread();
    thread.beforeWrite = () => {
      throw new PlatformError('failed', 'discord_abuse');
    };
    const before = create();
    const message = createFakeMessage(thread, 'q');
    void before.conversation.message(message);
    await vi.advanceTimersByTimeAsync(afterMs);
    expect(await before.inbox.get(turnOf(message))).toMatchObject({ state: 'ending' });
    await before.conversation.removed(toAddress(message));
    void before.conversation.close(0);
    await vi.advanceTimersByTimeAsync(3_000);
    thread.beforeWrite = () => {};
    const { inbox } = await restart(thread);
    expect(thread.history).toEqual([]);
    expect(await inbox.backlog()).toEqual([]);
  });

  it('by a deletion that was only stored', async () => {
    const thread = createFakeThread();
    thread.beforeWrite = () => {
      throw new PlatformError('failed', 'discord_abuse');
    };
    const before = create();
    const message = createFakeMessage(thread, 'q');
    void before.conversation.message(message);
    await vi.advanceTimersByTimeAsync(1_000);
    void before.conversation.close(0);
    await vi.advanceTimersByTimeAsync(3_000);
    await before.conversation.removed(toAddress(message));
    thread.beforeWrite = () => {};
    const { inbox } = await restart(thread);
    expect(thread.history).toEqual([]);
    expect(await inbox.backlog()).toEqual([]);
  });

  it('while a reply that broke off was looked for', async () => {
    const thread = createFakeThread();
    const before = create();
    before.chatbot.answer = thinkUntilAborted;
    const message = createFakeMessage(thread, 'q');
    void before.conversation.message(message);
    await vi.advanceTimersByTimeAsync(1_000);
    void before.conversation.close(0);
    await vi.advanceTimersByTimeAsync(3_000);
    const shown = thread.visible();
    const between = create();
    between.threads.set('T', thread);
    await between.conversation.recover();
    expect(await between.inbox.get(turnOf(message))).toMatchObject({ unsettled: true });
    await between.conversation.removed(toAddress(message));
    await vi.advanceTimersByTimeAsync(100);
    const { inbox } = await restart(thread);
    expect(thread.visible()).toEqual(shown);
    expect(await inbox.backlog()).toEqual([]);
  });
});
