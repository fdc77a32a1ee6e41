import { describe, expect, it, vi } from 'vitest';
import { toAddress, toReceivedRow } from '../../../src/bridge/conversation/inbox/row.ts';
import type { IncomingMessage } from '../../../src/bridge/conversation/platform.ts';
import {
  createFakeMessage,
  createFakeThread,
  deliver,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { openFaultyStore } from '../../fixtures/open-faulty-store.ts';
import type { StoreFaults } from '../../fixtures/store-faults.ts';
import { answerTo, setUpConversation } from './set-up-conversation.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

describe('while the store refuses writes for twenty minutes', () => {
  let faults: StoreFaults;
  const { create } = setUpConversation(async () => {
    const opened = await openFaultyStore();
    ({ faults } = opened);
    return opened.store;
  });

  it('a question that is stored is answered afterwards, and read a few times only', async () => {
    const { conversation, chatbot, inbox } = create();
    const thread = createFakeThread();
    const message = createFakeMessage(thread, 'q');
    const first = Promise.withResolvers<IncomingMessage>();
    const read = vi.fn<() => Promise<IncomingMessage>>(async () => message);
    read.mockImplementationOnce(() => first.promise);
    await conversation.received(deliver(message, read));
    const since = Date.now();
    faults.refuseWrites();
    first.resolve(message);
    await vi.advanceTimersByTimeAsync(20 * minuteMs);
    expect(chatbot.queries).toEqual([]);
    expect(await inbox.backlog()).toMatchObject([{ open: 1, oldest: since }]);
    expect(read.mock.calls.length).toBeLessThan(15);
    faults.acceptWrites();
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    expect(thread.visible().at(-1)).toBe('You said: q');
    expect(chatbot.queries).toHaveLength(1);
    expect(await inbox.backlog()).toEqual([]);
  });

  it('a question is not asked whose step to asking can’t be stored', async () => {
    const { conversation, chatbot, inbox, finish } = create();
    const thread = createFakeThread();
    const message = createFakeMessage(thread, 'q');
    chatbot.lastReply = async () => {
      faults.refuseWrites();
      return undefined;
    };
    const { createSession } = chatbot;
    chatbot.createSession = async (...given) => {
      const session = await createSession(...given);
      faults.refuseWrites();
      return session;
    };
    void conversation.message(message);
    await vi.advanceTimersByTimeAsync(20 * minuteMs);
    expect(chatbot.queries).toEqual([]);
    expect(await inbox.get(turnOf(message))).toMatchObject({ state: 'accepted' });
    faults.acceptWrites();
    await finish();
    expect(chatbot.queries).toEqual([]);
    expect(thread.buttons()).toEqual([['Try again']]);
  });
});

describe('a message that waited for sixty days', () => {
  const { create } = setUpConversation();
  const ada = { id: 'U1', name: 'Ada', isManager: false };

  /** The next process, which finds the message in its inbox. */
  async function wait(change: Partial<IncomingMessage>, state: 'received' | 'accepted') {
    const options = { isTooLate: (at: number) => Date.now() - at > dayMs };
    const before = create(options);
    const thread = createFakeThread();
    const message = createFakeMessage(thread, 'q', change);
    const { event, isOverheard: overheard } = deliver(message);
    const row = { ...toReceivedRow(toAddress(message), event), thread: 'T', overheard };
    const question = { state, address: fakeAddress, author: ada, query: 'q' };
    await before.inbox.insert(state === 'accepted' ? { ...row, ...question } : row);
    vi.setSystemTime(Date.now() + 60 * dayMs);
    // The store deletes each minute what has expired.
    await vi.advanceTimersByTimeAsync(2 * minuteMs);
    const after = create(options);
    after.threads.set('T', thread);
    await after.recover();
    return { ...after, thread, message };
  }

  it.each(['received', 'accepted'] as const)(
    'is not asked unless somebody tries again: %s',
    async (state) => {
      const { conversation, chatbot, thread, message, finish } = await wait({}, state);
      expect(chatbot.queries).toEqual([]);
      expect(thread.visible()).toEqual([expect.stringContaining('waited too long')]);
      expect(thread.buttons()).toEqual([['Try again']]);
      const turn = turnOf(message);
      const press = { action: 'retry', turn, by: ada, place: fakeAddress } as const;
      await answerTo(conversation.pressed(press));
      await finish();
      expect(thread.visible().at(-1)).toBe('You said: q');
    },
  );

  it('is offered if it is a command', async () => {
    const command = vi.fn<() => Promise<void>>(async () => {});
    const { thread } = await wait({ command }, 'received');
    expect(command).not.toHaveBeenCalled();
    expect(thread.visible()).toHaveLength(1);
    expect(thread.buttons()).toEqual([['Run it']]);
  });
});
