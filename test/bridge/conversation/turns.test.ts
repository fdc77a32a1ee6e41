import { describe, expect, it, vi } from 'vitest';
import { ChatbotError, PlatformError } from '../../../src/bridge/conversation/errors.ts';
import type { IncomingMessage } from '../../../src/bridge/conversation/platform.ts';
import type { Log } from '../../../src/shared/primitives/log.ts';
import type { StoredReply } from '../../../src/bridge/conversation/chatbot.ts';
import { toAddress } from '../../../src/bridge/conversation/inbox/row.ts';
import {
  createFakeMessage,
  createFakeThread,
  deliver,
  editOf,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { silentLog } from '../../fixtures/log.ts';
import { fakeSettings } from '../../fixtures/open-tenancy.ts';
import { answerTo, settle, setUpConversation, thinkUntilAborted } from './set-up-conversation.ts';

const whole: StoredReply = {
  id: 'r1',
  query: 'q',
  response: 'Whole.',
  sources: [],
  state: 'whole',
};

describe('a delivered message', () => {
  const { create, closeStore } = setUpConversation();

  it('is stored before it is acknowledged, and read and answered by the next process', async () => {
    const before = create();
    const thread = createFakeThread();
    const message = createFakeMessage(thread, 'q');
    let isAway = true;
    const read = async () => (isAway ? new Promise<never>(() => {}) : message);
    await before.conversation.received(deliver(message, read));
    isAway = false;
    await create().recover();
    expect(thread.visible()).toEqual(['You said: q']);
  });

  it('is dropped where it turns out to be nobody’s, or was deleted meanwhile', async () => {
    const { conversation, inbox } = create();
    const message = createFakeMessage(createFakeThread(), 'q');
    await conversation.received(deliver(message, async () => undefined));
    await vi.advanceTimersByTimeAsync(100);
    const { state, author, query, event } = (await inbox.get(turnOf(message))) ?? {};
    expect({ state, author, query, event }).toEqual({ state: 'handled' });
  });

  it('that is not for us leaves nothing behind but its id', async () => {
    const { conversation, inbox } = create();
    const message = createFakeMessage(createFakeThread(), 'q', { addressed: 'overheard' });
    await conversation.received(deliver(message));
    await vi.advanceTimersByTimeAsync(100);
    const { state, author, query, event } = (await inbox.get(turnOf(message))) ?? {};
    expect({ state, author, query, event }).toEqual({ state: 'handled' });
  });

  it('is answered once, however often and in whatever process it is delivered', async () => {
    const { conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    const overheard = createFakeMessage(thread, 'q', { addressed: 'overheard' });
    const mention = createFakeMessage(thread, 'q');
    for (const message of [overheard, mention, mention]) {
      await conversation.received(deliver(message));
    }
    await finish();
    const next = create();
    await next.conversation.received(deliver(mention));
    await vi.advanceTimersByTimeAsync(1_000);
    expect([...chatbot.queries, ...next.chatbot.queries]).toHaveLength(1);
    expect(thread.visible()).toEqual(['You said: q']);
  });

  it('is read again where its names could not be looked up', async () => {
    const { conversation, finish } = create();
    const thread = createFakeThread();
    const message = createFakeMessage(thread, 'q');
    const read = vi
      .fn<() => Promise<IncomingMessage>>(async () => message)
      .mockRejectedValueOnce(new Error('away'));
    await conversation.received(deliver(message, read));
    await finish();
    expect(thread.visible()).toEqual(['You said: q']);
  });

  it('that can’t be stored is refused, and its author is told once', async () => {
    const { conversation } = create();
    const thread = createFakeThread();
    const mention = deliver(createFakeMessage(thread, 'q'));
    const others = deliver(createFakeMessage(thread, 'x', { addressed: 'overheard' }));
    await closeStore();
    for (const delivery of [mention, mention, others]) {
      await expect(settle(conversation.received(delivery))).rejects.toThrow(/finalized|not open/);
    }
    expect(thread.visible()).toEqual([expect.stringContaining('Something went wrong')]);
  });

  it('keeps its place where an earlier one of its thread takes longer to decide on', async () => {
    const everything = { following: 'everything' } as const;
    const slow = Promise.withResolvers<typeof everything>();
    const followed = vi.fn<() => Promise<typeof everything>>(async () => everything);
    followed.mockImplementationOnce(() => slow.promise);
    const settings = fakeSettings(followed);
    const { conversation, chatbot, finish } = create({ settings });
    const thread = createFakeThread({ address: { ...fakeAddress, thread: 'q-one' } });
    await conversation.received(
      deliver(createFakeMessage(thread, 'one', { addressed: 'overheard' })),
    );
    await conversation.received(deliver(createFakeMessage(thread, 'two')));
    await vi.advanceTimersByTimeAsync(100);
    slow.resolve(everything);
    await finish();
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['one', 'two']);
  });
});

describe('a turn', () => {
  const { create, closeStore } = setUpConversation();

  /** A turn that streams, and one that waits behind it in the same thread. */
  async function createLine() {
    const created = create();
    const thread = createFakeThread();
    created.threads.set('T', thread);
    const answers = Promise.withResolvers<void>();
    created.chatbot.answer = async function* (query) {
      yield `${query}: `;
      await answers.promise;
      yield 'yes';
    };
    const first = createFakeMessage(thread, 'one');
    const second = createFakeMessage(thread, 'two');
    const done = [first, second].map((message) => created.conversation.message(message));
    await vi.advanceTimersByTimeAsync(100);
    const finish = async () => {
      answers.resolve();
      await settle(Promise.all(done));
    };
    return { ...created, thread, first, second, finish };
  }

  it('that was deleted before it began is not asked', async () => {
    const { conversation, chatbot, thread, second, finish } = await createLine();
    void conversation.removed(toAddress(second));
    await vi.advanceTimersByTimeAsync(100);
    await finish();
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['one']);
    expect(thread.visible()).toEqual(['one: yes']);
  });

  it('that was deleted before it was delivered is not asked', async () => {
    const { conversation, chatbot } = create();
    const message = createFakeMessage(createFakeThread(), 'q');
    await conversation.removed(toAddress(message));
    await conversation.received(deliver(message));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(chatbot.queries).toEqual([]);
  });

  it('that was edited before it began is asked in its new words', async () => {
    const { conversation, chatbot, thread, second, finish } = await createLine();
    await conversation.edited(editOf(second, 'two and a half'));
    await finish();
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['one', 'two and a half']);
    expect(thread.visible()).toEqual(['one: yes', 'two and a half: yes']);
  });

  it('whose edit arrived before it is asked once, in its new words', async () => {
    const { ask, conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    await ask(thread, 'one');
    const message = createFakeMessage(thread, 'two', { addressed: 'overheard' });
    await conversation.edited(editOf(message, 'two and a half'));
    await conversation.received(deliver(message));
    await finish();
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['one', 'two and a half']);
  });

  it('is offered again by one note, however often it is edited; the newest words are asked', async () => {
    const { conversation, chatbot, thread, first, finish } = await createLine();
    for (const text of ['1', '2', '3', '4', 'one, then']) {
      await conversation.edited(editOf(first, text));
    }
    await vi.advanceTimersByTimeAsync(100);
    await finish();
    expect(thread.buttons().filter(([label]) => label === 'Answer again')).toHaveLength(1);
    const by = { id: 'U1', name: 'Ada', isManager: false };
    const press = { action: 'retry', turn: turnOf(first), by, place: fakeAddress } as const;
    await settle(answerTo(conversation.pressed(press)));
    expect(chatbot.queries.at(-1)?.query).toBe('one, then');
  });

  it('is offered again where the note could not be posted at first', async () => {
    const { ask, conversation, openRows } = create();
    const thread = createFakeThread();
    await ask(thread, 'one');
    thread.beforeWrite = () => {
      thread.beforeWrite = () => {};
      throw new PlatformError('failed', 'discord_forbidden');
    };
    await conversation.edited(editOf(createFakeMessage(thread, 'one'), 'one, then'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(thread.buttons().filter(([label]) => label === 'Answer again')).toHaveLength(1);
    expect(await openRows()).toEqual([]);
  });

  it('may become one by an edit that mentions the bot: it is asked once', async () => {
    const { ask, conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    await ask(thread, 'who knows', { addressed: 'overheard' });
    const message = createFakeMessage(thread, 'who knows');
    const edits = [conversation.edited(editOf(message)), conversation.edited(editOf(message))];
    await Promise.all(edits);
    await finish();
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['who knows']);
    await conversation.edited(editOf(message));
    expect(thread.visible()).toEqual(['You said: who knows']);
  });

  it('may become a command by an edit that mentions the bot: it runs once', async () => {
    const { conversation, finish } = create();
    const command = vi.fn<() => Promise<void>>(async () => {});
    const message = createFakeMessage(createFakeThread(), 'help', { command });
    const edits = [conversation.edited(editOf(message)), conversation.edited(editOf(message))];
    await Promise.all(edits);
    await finish();
    expect(command).toHaveBeenCalledOnce();
  });

  it('is not asked where an edit mentions nobody, or comes to a message of last week', async () => {
    const { conversation, chatbot } = create();
    const thread = createFakeThread();
    const old = createFakeMessage(thread, 'old');
    await conversation.edited(editOf(old, 'old', Date.now() - 8 * 24 * 60 * 60 * 1000));
    const overheard = createFakeMessage(thread, 'q', { addressed: 'overheard' });
    await conversation.edited(editOf(overheard, 'other'));
    await conversation.removed(toAddress(createFakeMessage(thread, 'gone')));
    await conversation.edited(editOf(createFakeMessage(thread, 'gone')));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(chatbot.queries).toEqual([]);
  });

  it('that failed makes the thread ours: a follow-up needs no mention', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.failCreating = new ChatbotError('unavailable', 'down');
    await ask(thread, 'one');
    delete chatbot.failCreating;
    await ask(thread, 'two', { addressed: 'overheard' });
    expect(thread.visible()).toEqual([expect.stringContaining('can’t reach'), 'You said: two']);
  });

  it('shows its whole answer and nothing else where its end can’t be stored', async () => {
    const { conversation, chatbot } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* () {
      yield 'One ';
      await closeStore();
      yield 'two';
    };
    void conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(thread.visible()).toEqual(['One two']);
  });

  it('of another platform waits for its turn, and each workspace has its share', async () => {
    const { conversation, chatbot } = create({ maxTurns: 1 });
    const asked: string[] = [];
    const answers = new Map<string, () => void>();
    chatbot.answer = async function* (query) {
      asked.push(query);
      await new Promise<void>((resolve) => answers.set(query, resolve));
      yield query;
    };
    const begin = (query: string, workspace: string) => {
      const thread = createFakeThread({ address: { ...fakeAddress, workspace, thread: query } });
      void conversation.message(createFakeMessage(thread, query));
    };
    for (const query of ['a1', 'a2', 'a3']) begin(query, 'A');
    begin('b1', 'B');
    for (let count = 1; count <= 4; count += 1) {
      await vi.advanceTimersByTimeAsync(100);
      expect(asked).toHaveLength(count);
      answers.get(asked.at(-1) ?? '')?.();
    }
    expect(asked).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('is refused where too many wait already, when somebody tries it again too', async () => {
    const { conversation, chatbot } = create({ maxTurns: 1 });
    chatbot.answer = thinkUntilAborted;
    const threads = Array.from({ length: 12 }, (_, index) =>
      createFakeThread({ address: { ...fakeAddress, thread: `T${index}` } }),
    );
    for (const [index, thread] of threads.entries()) {
      void conversation.message(createFakeMessage(thread, `${index}`));
      await vi.advanceTimersByTimeAsync(100);
    }
    const refused = expect.stringContaining('too many questions');
    expect(threads.at(-1)?.visible()).toEqual([refused]);
    const last = createFakeMessage(threads.at(-1) ?? createFakeThread(), '11');
    const place = { ...fakeAddress, thread: 'T11' };
    const press = { action: 'retry', turn: turnOf(last), by: last.author, place } as const;
    expect(await answerTo(conversation.pressed(press))).toEqual(refused);
    expect(threads.at(-1)?.visible()).toEqual([refused]);
    expect(threads.at(-1)?.buttons()).toEqual([['Try again']]);
  });
});

describe('at the next start', () => {
  const { create } = setUpConversation();

  it('a question that was not asked is asked, in order', async () => {
    const before = create();
    const thread = createFakeThread();
    before.chatbot.answer = thinkUntilAborted;
    for (const text of ['one', 'two', 'three']) {
      void before.conversation.message(createFakeMessage(thread, text));
    }
    await vi.advanceTimersByTimeAsync(100);
    await settle(before.conversation.close(0));
    expect(thread.visible()).toEqual([expect.stringContaining('I was restarted')]);

    const after = create();
    after.threads.set('T', thread);
    await after.recover();
    expect(thread.visible().slice(1)).toEqual(['You said: two', 'You said: three']);
  });

  it('the answer to an earlier question of the same words is not shown as the new one', async () => {
    const before = create();
    const thread = createFakeThread();
    before.chatbot.stored.set('s1', whole);
    await before.ask(thread, 'q');
    before.chatbot.answer = thinkUntilAborted;
    void before.conversation.message(createFakeMessage(thread, 'q', { id: 'again' }));
    await vi.advanceTimersByTimeAsync(100);

    const after = create();
    after.threads.set('T', thread);
    after.chatbot.stored.set('s1', whole);
    await after.recover();
    expect(thread.visible()).toEqual(['Whole.', expect.stringContaining('I was restarted')]);
  });

  it('an answer that the service still writes is waited for', async () => {
    const before = create();
    const thread = createFakeThread();
    before.chatbot.answer = thinkUntilAborted;
    void before.conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(100);

    const after = create();
    after.threads.set('T', thread);
    const looks: StoredReply[] = [
      { ...whole, state: 'running', response: 'Wh' },
      { ...whole, state: 'running', response: 'Whol' },
      whole,
    ];
    after.chatbot.lastReply = async () => looks.shift();
    await after.recover();
    expect(thread.visible()).toEqual(['Whole.']);
  });

  it('a service that is away is waited for, and can be stopped meanwhile', async () => {
    const before = create();
    const threads = ['T1', 'T2'].map((name) =>
      createFakeThread({ address: { ...fakeAddress, thread: name } }),
    );
    before.chatbot.answer = thinkUntilAborted;
    const messages = threads.map((thread) =>
      createFakeMessage(thread, `q ${thread.address.thread}`),
    );
    for (const message of messages) void before.conversation.message(message);
    await vi.advanceTimersByTimeAsync(100);

    const after = create();
    for (const thread of threads) after.threads.set(thread.address.thread, thread);
    let isAway = true;
    after.chatbot.lastReply = async () => {
      if (isAway) throw new ChatbotError('unavailable', 'away');
      return { ...whole, query: 'q T1' };
    };
    const recovered = after.recover();
    await vi.advanceTimersByTimeAsync(300_000);
    const [, second] = messages;
    const by = { id: 'U1', name: 'Ada', isManager: false };
    const turn = second ? turnOf(second) : '';
    const place = { ...fakeAddress, thread: 'T2' };
    await answerTo(after.conversation.pressed({ action: 'stop', turn, by, place }));
    isAway = false;
    await recovered;
    expect(threads.map((thread) => thread.visible())).toEqual([
      ['Whole.'],
      ['Let me think\n\n⏹ Stopped by Ada.'],
    ]);
  });

  it('a command is not run again: whoever gave it is told', async () => {
    const before = create();
    const thread = createFakeThread();
    const command = vi.fn<() => Promise<void>>(() => new Promise(() => {}));
    void before.conversation.message(createFakeMessage(thread, 'source list', { command }));
    await vi.advanceTimersByTimeAsync(100);
    expect(command).toHaveBeenCalledTimes(1);

    const after = create();
    after.threads.set('T', thread);
    await after.recover();
    expect(command).toHaveBeenCalledTimes(1);
    expect(thread.visible()).toEqual([expect.stringContaining('I won’t run it again')]);
  });

  it('what belongs to a platform that is not configured is kept, and logged', async () => {
    const before = create();
    before.chatbot.answer = thinkUntilAborted;
    void before.conversation.message(createFakeMessage(createFakeThread(), 'q'));
    await vi.advanceTimersByTimeAsync(100);
    const warn = vi.fn<Log['warn']>();
    const { conversation, openRows } = create({
      findPlatform: () => undefined,
      log: { ...silentLog, warn },
    });
    await conversation.recover();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await openRows()).toHaveLength(1);
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ platform: 'fake' }),
      expect.stringContaining('kept until their platform is configured'),
    );
  });
});

describe('a reply that the platform refuses', () => {
  const { create } = setUpConversation();

  it('is not written twice, and neither its turn nor its text comes back at the next start', async () => {
    const thread = createFakeThread();
    const tried: string[] = [];
    thread.beforeWrite = (kind, content) => {
      if (kind === 'post') return;
      tried.push(JSON.stringify(content));
      throw new PlatformError('refused', 'slack_message_too_long');
    };
    const before = create();
    await before.ask(thread, 'q').catch(() => undefined);
    expect(new Set(tried).size).toBe(tried.length);
    expect(await before.openRows()).toEqual([]);
    const written = tried.length;
    await create().recover();
    expect(tried).toHaveLength(written);
  });
});
