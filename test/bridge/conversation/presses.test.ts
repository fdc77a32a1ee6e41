import { describe, expect, it, vi } from 'vitest';
import { sleep } from '../../../src/shared/primitives/time.ts';
import type { StoredReply } from '../../../src/bridge/conversation/chatbot.ts';
import { ChatbotError } from '../../../src/bridge/conversation/errors.ts';
import { allLeases } from '../../../src/bridge/conversation/leases.ts';
import type { Inbox } from '../../../src/bridge/conversation/inbox/inbox.ts';
import {
  createFakeMessage,
  createFakeThread,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { openFaultyStore } from '../../fixtures/open-faulty-store.ts';
import type { StoreFaults } from '../../fixtures/store-faults.ts';
import { answerTo, settle, setUpConversation, thinkUntilAborted } from './set-up-conversation.ts';

let faults: StoreFaults;
const { create } = setUpConversation(async () => {
  const opened = await openFaultyStore();
  ({ faults } = opened);
  return opened.store;
});

const ada = { id: 'U1', name: 'Ada', isManager: false };
const grace = { id: 'U2', name: 'Grace', isManager: false };
const place = fakeAddress;

/** A question whose answer failed. */
async function fail(options?: Parameters<typeof create>[0]) {
  const process = create(options);
  const thread = createFakeThread();
  const message = createFakeMessage(thread, 'q');
  process.chatbot.failCreating = new ChatbotError('unavailable', 'down');
  await settle(process.conversation.message(message));
  delete process.chatbot.failCreating;
  return { ...process, thread, turn: turnOf(message) };
}

describe('a press', () => {
  it('is stored before it is acknowledged, and done after a crash', async () => {
    let isSlow = false;
    const recognize = async () => (isSlow ? new Promise<never>(() => {}) : ada);
    const before = await fail({ managers: { recognize } });
    const { conversation, openRows, thread, turn } = before;
    isSlow = true;
    await conversation.pressed({ id: 'P', action: 'retry', turn, by: ada, place });
    expect(await openRows()).toMatchObject([{ kind: 'press', state: 'received' }]);
    const after = create();
    after.threads.set('T', thread);
    await after.recover();
    expect(thread.visible().slice(1)).toEqual(['You said: q']);
  });

  it('of Try again that is found too late, as in a restored backup, is not done', async () => {
    let isSlow = false;
    const recognize = async () => (isSlow ? new Promise<never>(() => {}) : ada);
    const { conversation, openRows, thread, turn } = await fail({ managers: { recognize } });
    isSlow = true;
    await conversation.pressed({ id: 'P', action: 'retry', turn, by: ada, place });
    const after = create({ isTooLate: () => true });
    after.threads.set('T', thread);
    await after.recover();
    expect(after.chatbot.queries).toEqual([]);
    expect(thread.buttons()).toEqual([['Try again']]);
    expect(await openRows()).toEqual([]);
  });

  it('of Try again that is doubled gives one answer', async () => {
    const { conversation, chatbot, thread, turn, finish } = await fail();
    const press = { action: 'retry', turn, by: ada, place } as const;
    const presses = ['P1', 'P2'].map((id) => answerTo(conversation.pressed({ ...press, id })));
    await settle(Promise.all(presses));
    await finish();
    expect(chatbot.queries).toHaveLength(1);
    expect(thread.visible().slice(1)).toEqual(['You said: q']);
  });

  it('that is delivered again is not done again', async () => {
    const { conversation, chatbot, turn, finish } = await fail();
    const press = { id: 'P', action: 'retry', turn, by: ada, place } as const;
    for (let times = 0; times < 2; times += 1) {
      await settle(answerTo(conversation.pressed(press)));
      await finish();
    }
    expect(chatbot.queries).toHaveLength(1);
  });

  it('of Try again that is repeated after a crash gives no second answer', async () => {
    let isLost = false;
    const { inbox } = create();
    const losing: Inbox = {
      ...inbox,
      // The process dies before it can store that the press is done.
      update: (id, change, from) =>
        isLost && 'state' in change && change.state === 'handled'
          ? new Promise(() => {})
          : inbox.update(id, change, from),
    };
    const { conversation, chatbot, thread, turn, openRows } = await fail({ inbox: losing });
    isLost = true;
    await conversation.pressed({ id: 'P', action: 'retry', turn, by: ada, place });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await openRows()).toMatchObject([{ kind: 'press' }]);
    const after = create();
    after.threads.set('T', thread);
    await after.recover();
    expect([...chatbot.queries, ...after.chatbot.queries]).toHaveLength(1);
    expect(thread.visible().slice(1)).toEqual(['You said: q']);
  });

  it.each([
    ['has its store for itself', undefined],
    ['shares its store', 'one'],
  ])(
    'of Try again begins the answer at once, and waits for no end of it, in a process that %s',
    async (_, process) => {
      const leases = { ...allLeases, process };
      const { conversation, chatbot, inbox, thread, turn, finish } = await fail({ leases });
      const gate = Promise.withResolvers<void>();
      chatbot.answer = async function* () {
        await gate.promise;
        yield 'done';
      };
      const press = { id: 'P', action: 'retry', turn, by: ada, place } as const;
      expect(await answerTo(conversation.pressed(press))).toBeUndefined();
      await vi.advanceTimersByTimeAsync(100);
      expect(chatbot.queries).toHaveLength(1);
      expect(await inbox.get(turn)).toMatchObject({ state: 'asking' });
      gate.resolve();
      await finish();
      expect(thread.visible().slice(1)).toEqual(['done']);
    },
  );

  it('for the last question, from a process that does not know what is asked, does not ask it behind the next one', async () => {
    const { ask, conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    const first = createFakeMessage(thread, 'first');
    await settle(conversation.message(first));
    const gate = Promise.withResolvers<void>();
    chatbot.answer = async function* () {
      await gate.promise;
      yield 'done';
    };
    const second = ask(thread, 'second');
    await vi.advanceTimersByTimeAsync(100);
    const press = { action: 'retry', turn: turnOf(first), by: ada, place } as const;
    expect(await answerTo(conversation.pressed(press))).toContain('still answering');
    gate.resolve();
    await second;
    await finish();
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['first', 'second']);
  });

  it('stops a running reply while the store fails', async () => {
    const { conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    chatbot.answer = thinkUntilAborted;
    const message = createFakeMessage(thread, 'q');
    void conversation.message(message);
    await vi.advanceTimersByTimeAsync(100);
    faults.refuseWrites();
    const press = { action: 'stop', turn: turnOf(message), by: ada, place } as const;
    expect(await answerTo(conversation.pressed(press))).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(thread.visible()).toEqual(['Let me think\n\n⏹ Stopped by Ada.']);
    faults.acceptWrites();
    await finish();
  });

  it('stops a running reply while the store does not answer, and is not done again once it does', async () => {
    const { inbox } = create();
    const gate = Promise.withResolvers<void>();
    const slow: Inbox = {
      ...inbox,
      insert: async (row) => {
        if (row.kind === 'press') await gate.promise;
        return inbox.insert(row);
      },
    };
    const { conversation, chatbot, openRows } = create({ inbox: slow });
    const thread = createFakeThread();
    chatbot.answer = thinkUntilAborted;
    const message = createFakeMessage(thread, 'q');
    void conversation.message(message);
    await vi.advanceTimersByTimeAsync(100);
    const press = { action: 'stop', turn: turnOf(message), by: ada, place } as const;
    const answer = answerTo(conversation.pressed(press));
    await vi.advanceTimersByTimeAsync(1_500);
    expect(await answer).toBeUndefined();
    expect(thread.visible()).toEqual(['Let me think\n\n⏹ Stopped by Ada.']);
    gate.resolve();
    await vi.advanceTimersByTimeAsync(100);
    expect(await openRows()).toEqual([]);
  });

  it('keeps the feedback of both where two people give it at once', async () => {
    const { ask, conversation, inbox } = create();
    const thread = createFakeThread();
    await ask(thread, 'q');
    const turn = turnOf(createFakeMessage(thread, 'q'));
    await Promise.all([
      answerTo(conversation.pressed({ action: 'helpful', turn, by: ada, place })),
      answerTo(conversation.pressed({ action: 'unhelpful', turn, by: grace, place })),
    ]);
    expect(await inbox.get(turn)).toMatchObject({
      feedback: { U1: 'helpful', U2: 'unhelpful' },
    });
  });
});

describe('a question that waits and is stopped', () => {
  /** A question that waits for another one in its thread. */
  async function wait() {
    const process = create();
    const thread = createFakeThread();
    process.chatbot.answer = thinkUntilAborted;
    const [first, second] = ['one', 'two'].map((text) => createFakeMessage(thread, text));
    for (const message of [first, second]) if (message) void process.conversation.message(message);
    await vi.advanceTimersByTimeAsync(100);
    return { ...process, thread, turn: second ? turnOf(second) : '' };
  }

  it('is not asked after a crash: it says who stopped it', async () => {
    const before = await wait();
    const { turn, thread } = before;
    await answerTo(before.conversation.pressed({ action: 'stop', turn, by: ada, place }));
    expect(await before.inbox.get(turn)).toMatchObject({ state: 'ending' });
    const after = create();
    after.threads.set('T', thread);
    await after.recover();
    expect(after.chatbot.queries).toEqual([]);
    expect(thread.visible().at(-1)).toBe('⏹ Stopped by Ada.');
    expect(thread.buttons().at(-1)).toEqual(['Try again']);
  });

  it('is not asked where it was left by an earlier run', async () => {
    const { turn, thread } = await wait();
    const after = create();
    after.threads.set('T', thread);
    const looks = Promise.withResolvers<undefined>();
    after.chatbot.lastReply = () => looks.promise;
    await after.conversation.recover();
    after.conversation.connected('fake');
    await vi.advanceTimersByTimeAsync(100);
    await answerTo(after.conversation.pressed({ action: 'stop', turn, by: ada, place }));
    looks.resolve(undefined);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(after.chatbot.queries).toEqual([]);
    expect(thread.visible().at(-1)).toBe('⏹ Stopped by Ada.');
  });
});

it('where the answer is that was stopped is kept, so that it can be deleted', async () => {
  const { conversation, chatbot, questions } = create();
  chatbot.answer = thinkUntilAborted;
  const cut: StoredReply = { id: 'r1', query: 'q', response: 'Let me', sources: [], state: 'cut' };
  chatbot.lastReply = async () => (chatbot.queries.length > 0 ? cut : undefined);
  const message = createFakeMessage(createFakeThread(), 'q');
  const done = conversation.message(message);
  await vi.advanceTimersByTimeAsync(100);
  await conversation.pressed({ action: 'stop', turn: turnOf(message), by: ada, place });
  await settle(done);
  await vi.advanceTimersByTimeAsync(100);
  expect(await questions.of(ada.id)).toMatchObject([{ id: turnOf(message), message: 'r1' }]);
});

it('an answer whose id is not known is not deleted where the one before it is gone: it is reported', async () => {
  const { conversation, chatbot, ask } = create();
  const replies: StoredReply[] = [];
  chatbot.answer = async function* (query) {
    replies.push({ id: `r${replies.length}`, query, response: '!', sources: [], state: 'whole' });
    yield '!';
  };
  chatbot.lastReply = async () => replies.at(-1);
  chatbot.listReplies = async () => [...replies];
  chatbot.deleteReplies = async (_, { ids }) => {
    for (const id of ids) {
      replies.splice(
        replies.findIndex((reply) => reply.id === id),
        1,
      );
    }
    return 0;
  };
  const { signal } = new AbortController();
  const forget = async ({ id, name }: typeof ada) => {
    const steps = conversation.forgetting.forget({ platform: 'fake', id, name }, signal);
    let step = await steps.next();
    while (!step.done) step = await steps.next();
    return step.value;
  };
  const thread = createFakeThread();
  const cleo = { id: 'U3', name: 'Cleo', isManager: false };
  await ask(thread, 'q', { author: grace });
  await ask(thread, 'r', { author: cleo });
  chatbot.lastReply = async () => undefined;
  await ask(thread, 'q', { id: 'again', author: ada });
  expect(await forget(cleo)).toMatchObject({ answers: 1, left: { unknown: 0 } });
  expect(await forget(ada)).toMatchObject({ answers: 0, left: { unknown: 1 } });
  expect(replies.map(({ id }) => id)).toEqual(['r0', 'r2']);
});

it('a rating that is given while somebody else is forgotten stays', async () => {
  const { inbox } = create();
  let rate = async () => {};
  const rated: Inbox = {
    ...inbox,
    async naming(words) {
      const rows = await inbox.naming(words);
      // The rows that others have rated are looked for by name too.
      if (words.length > 1) await rate();
      return rows;
    },
  };
  const { conversation, ask } = create({ inbox: rated });
  const thread = createFakeThread();
  const message = createFakeMessage(thread, 'q', { author: grace });
  await ask(thread, 'q', { author: grace });
  const press = { action: 'helpful', turn: turnOf(message), place } as const;
  await answerTo(conversation.pressed({ ...press, id: 'P1', by: ada }));
  rate = async () => {
    rate = async () => {};
    await answerTo(conversation.pressed({ ...press, id: 'P2', by: grace }));
  };
  const { signal } = new AbortController();
  const person = { platform: 'fake', id: ada.id, name: ada.name };
  await Array.fromAsync(conversation.forgetting.forget(person, signal));
  expect((await inbox.get(turnOf(message)))?.feedback).toEqual({ [grace.id]: 'helpful' });
});

it('ratings that are given in two processes at once all count', async () => {
  const { inbox } = create();
  let meanwhile = async () => {};
  const slow: Inbox = {
    ...inbox,
    async update(id, change, from) {
      await meanwhile();
      return inbox.update(id, change, from);
    },
  };
  const { conversation, ask } = create({ inbox: slow });
  const other = create().conversation;
  const thread = createFakeThread();
  const message = createFakeMessage(thread, 'q', { author: grace });
  await ask(thread, 'q', { author: grace });
  const press = { action: 'unhelpful', turn: turnOf(message), place } as const;
  for (const remark of [undefined, 'Too long.']) {
    meanwhile = async () => {
      meanwhile = async () => {};
      await answerTo(other.pressed({ ...press, id: `G ${remark}`, by: grace, remark }));
    };
    await answerTo(conversation.pressed({ ...press, id: `A ${remark}`, by: ada, remark }));
  }
  const { feedback, remarks } = (await inbox.get(turnOf(message))) ?? {};
  expect(feedback).toEqual({ [ada.id]: 'unhelpful', [grace.id]: 'unhelpful' });
  expect(remarks).toEqual({ [ada.id]: 'Too long.', [grace.id]: 'Too long.' });
});

it('a session is not deleted while it answers somebody else, although only whole replies are listed', async () => {
  const { conversation, chatbot, ask, finish } = create();
  const thread = createFakeThread();
  await ask(thread, 'q', { author: ada });
  chatbot.stored.set('s1', { id: 'r1', query: 'q', response: '!', sources: [], state: 'whole' });
  chatbot.answer = async function* () {
    yield 'Let me ';
    await sleep(60_000);
    yield 'see.';
  };
  void conversation.message(createFakeMessage(thread, 'r', { id: 'M2', author: grace }));
  await vi.advanceTimersByTimeAsync(1_000);
  const deletions: unknown[] = [];
  chatbot.deleteReplies = async (session, replies) => {
    deletions.push({ session, ...replies });
    return 0;
  };
  const { signal } = new AbortController();
  const person = { platform: 'fake', id: ada.id, name: ada.name };
  await Array.fromAsync(conversation.forgetting.forget(person, signal));
  expect(deletions).toEqual([{ session: 's1', ids: ['r1'], isAll: false }]);
  await finish();
  expect(chatbot.queries).toMatchObject([{ session: 's1' }, { session: 's1' }]);
});
