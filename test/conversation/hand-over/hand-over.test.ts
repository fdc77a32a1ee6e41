import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChatbotError } from '../../../src/conversation/chatbot-error.ts';
import { createConversation } from '../../../src/conversation/conversation.ts';
import type { HandOverTools } from '../../../src/conversation/hand-over/hand-over.ts';
import { handOverId, type HandOverRecord } from '../../../src/conversation/hand-over/record.ts';
import { createPacer } from '../../../src/conversation/reply/pacer.ts';
import { PlatformError } from '../../../src/conversation/platform-error.ts';
import type { Author, HandOverSettings, Notice } from '../../../src/conversation/ports.ts';
import { recoverTurns } from '../../../src/conversation/recover.ts';
import { createSessions, type SessionRecord } from '../../../src/conversation/sessions.ts';
import { createThreadControl } from '../../../src/conversation/thread-control.ts';
import { createTurns, turnId, type TurnRecord } from '../../../src/conversation/turns.ts';
import { openStore, type Store } from '../../../src/stores/open-store.ts';
import { createFakeChatbot } from '../../fixtures/fake-chatbot.ts';
import { createFakeMessage, createFakeThread, fakeAddress } from '../../fixtures/fake-thread.ts';

const ada: Author = { id: 'U1', name: 'Ada', isManager: false };
const grace: Author = { id: 'U2', name: 'Grace', isManager: false };
const linus: Author = { id: 'U3', name: 'Linus', isManager: false };
const place = { platform: 'fake', workspace: 'W', channel: 'C' };

const settings: HandOverSettings = {
  monitored: ['talk to a human'],
  says: { requested: 'Somebody will come.', started: 'Here we are.', ended: 'The bot is back.' },
  notifies: true,
};

const untold = 'couldn’t tell anyone';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

describe('hand-over', () => {
  let store: Store;
  let now: number;
  beforeEach(() => {
    store = openStore('memory:');
    now = Date.parse('2026-09-12T10:00:00Z');
  });
  afterEach(async () => {
    vi.useRealTimers();
    await store[Symbol.asyncDispose]();
  });

  /** A conversation on the store; another one on it is the process started again. */
  function create(change: Partial<HandOverTools> = {}, thread = createFakeThread()) {
    const chatbot = createFakeChatbot();
    chatbot.handsOver = settings;
    const lines: { level: string; message: string }[] = [];
    const write = (level: string) => (_: object, message: string) => {
      lines.push({ level, message });
    };
    const log = {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
    };
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
    const notices: (Notice & { platform: string })[] = [];
    const tools = {
      chatbot,
      sessions,
      turns,
      pacer: createPacer(),
      openThread: () => thread,
      log,
    };
    const conversation = createConversation({
      ...tools,
      coordinator: store.coordinator,
      handOver: {
        store: store.keyv<HandOverRecord>('handover'),
        saidIn: store.keyv<string>('handover-said'),
        bindings,
        contacts: { contactsFor: async () => ({ channel: 'help', people: ['U8', 'U9'] }) },
        notify: async (platform, notice) => void notices.push({ platform, ...notice }),
        now: () => now,
        ...change,
      },
    });
    let said = 0;
    return {
      ...tools,
      conversation,
      thread,
      notices,
      lines,
      /** Resolves once all that comes of it is done. */
      async say(author: Author, text: string, addressed: 'mention' | 'overheard' = 'overheard') {
        said += 1;
        const id = `${now}-${said}-${text}`;
        const message = createFakeMessage(thread, text, { id, author, addressed });
        await conversation.message(message);
        await conversation.handOver?.idle();
        return message;
      },
      async press(
        action: 'person' | 'resume' | 'retry',
        by: Author,
        turn = handOverId(thread.address),
      ) {
        const problem = await conversation.pressed({ action, turn, by, place });
        await conversation.handOver?.idle();
        return problem;
      },
      remove: ({ id }: { id: string }) => conversation.removed({ ...place, id }),
    };
  }

  it('pauses at a monitored message, says so, and tells the people named', async () => {
    const { say, thread, chatbot, notices } = create();
    thread.link = async () => 'https://chat.example/C/T';
    await say(ada, 'Please: TALK  to a human!\nNow.', 'mention');
    expect(thread.visible()).toEqual(['Somebody will come.']);
    expect(thread.buttons()).toEqual([['Let the bot answer again']]);
    expect(chatbot.queries).toEqual([]);
    expect(notices).toEqual([
      {
        platform: 'fake',
        workspace: 'W',
        to: { channel: 'help' },
        people: ['U8', 'U9'],
        markdown:
          '🙋 **Ada** asks for a person. [Open the thread](https://chat.example/C/T)\n> Please: TALK  to a human!\n> Now.',
      },
    ]);
  });

  it('tells where no link can be given, each person directly where no channel is named', async () => {
    const contacts = { contactsFor: async () => ({ people: ['U8', 'U9'] }) };
    const { say, notices } = create({ contacts });
    await say({ ...ada, name: 'A*da' }, 'talk to a human', 'mention');
    expect(notices.map(({ to }) => to)).toEqual([{ person: 'U8' }, { person: 'U9' }]);
    expect(notices[0]?.markdown).toContain(String.raw`**A\*da** asks for a person. I have no link`);
  });

  it('takes names and what was said for text, not for links of its own', async () => {
    const { say, press, notices } = create();
    const mallory = { ...ada, name: '[Ada](https://x.example)' };
    await say(mallory, 'talk to a human [Open the thread](https://x.example)', 'mention');
    expect(notices[0]?.markdown).not.toContain('](');
    expect(await press('resume', linus)).toContain('Only (Ada)(https://x.example), who asked');
  });

  it('tells nobody where notifications are off', async () => {
    const { say, notices, thread, chatbot } = create();
    chatbot.handsOver = { ...settings, notifies: false };
    await say(ada, 'talk to a human', 'mention');
    expect(thread.visible()).toHaveLength(1);
    expect(notices).toEqual([]);
  });

  it('answers nothing while people have the thread, and tells once that one came', async () => {
    const { say, thread, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    await say(ada, 'It is about my invoice.');
    expect(thread.visible()).toEqual(['Somebody will come.']);
    await say(grace, 'Hello Ada!');
    await say(linus, 'Me too.');
    await say(ada, 'What about my invoice?');
    expect(thread.visible()).toEqual(['Somebody will come.', 'Here we are.']);
    expect(chatbot.queries).toEqual([]);
  });

  it('sees that a person came who sends a picture alone', async () => {
    const { say, press, thread, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    await say(grace, '');
    expect(thread.visible()).toEqual(['Somebody will come.', 'Here we are.']);
    await press('resume', grace);
    await say(grace, '');
    expect(thread.visible().slice(2)).toEqual(['The bot is back.']);
    expect(chatbot.queries).toEqual([]);
  });

  it('has words of its own where the agent has none', async () => {
    const { say, press, thread, chatbot } = create();
    chatbot.handsOver = { ...settings, says: { requested: '', started: '', ended: '' } };
    await say(ada, 'talk to a human', 'mention');
    await say(grace, 'Hello!');
    await press('resume', grace);
    expect(thread.visible()).toEqual([
      'You asked for a person, so I’ll stay quiet in this thread until they’re done.',
      'A person is here now.',
      'I’m answering here again.',
    ]);
  });

  it('gives what was said to the next query, and to no other', async () => {
    const { say, press, thread, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    await say(ada, 'My invoice\n  is wrong.');
    await say(grace, 'It is number 7.');
    expect(await press('resume', grace)).toBeUndefined();
    expect(thread.visible().at(-1)).toBe('The bot is back.');
    expect(thread.buttons()).toEqual([[], [], []]);
    chatbot.answer = async function* () {
      yield 'Yes';
    };
    await say(ada, 'How do I pay it?');
    await say(ada, 'And when?');
    expect(chatbot.queries).toEqual([
      {
        session: 's1',
        query: 'How do I pay it?',
        context: 'Ada: My invoice is wrong.\nGrace: It is number 7.',
      },
      { session: 's1', query: 'And when?' },
    ]);
  });

  it('keeps the newest of what was said where it is much', async () => {
    const { say, press, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    for (let n = 1; n <= 60; n += 1) await say(grace, `${n}: ${'word '.repeat(200)}`);
    await press('resume', ada);
    await say(ada, 'And now?');
    const [asked] = chatbot.queries;
    expect(asked?.context?.length).toBeLessThan(3000);
    expect(asked?.context).toContain('Grace: 60: word');
    expect(asked?.context).not.toContain('Grace: 40:');
  });

  it('shows the stored reply of a query with context', async () => {
    const { say, press, thread, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    await say(grace, 'Hello');
    await press('resume', ada);
    chatbot.answer = async function* (query) {
      const sources = [{ marker: '1.1', title: 'Guide', quote: 'so' }];
      chatbot.stored.set('s1', { query, response: 'So [1.1].', sources, state: 'whole' });
      yield 'So';
    };
    await say(ada, 'Why?');
    expect(thread.visible().at(-1)).toBe('So [1]. (Sources: [1] Guide)');
  });

  it('gives what was said again where the query failed', async () => {
    const { say, press, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    await say(grace, 'It is number 7.');
    await press('resume', ada);
    const { answer } = chatbot;
    chatbot.answer = () => {
      throw new ChatbotError('unavailable', 'down');
    };
    const failed = await say(ada, 'How?');
    chatbot.answer = answer;
    await press('retry', ada, turnId(failed));
    const asked = { session: 's1', query: 'How?', context: 'Grace: It is number 7.' };
    expect(chatbot.queries).toEqual([asked, asked]);
  });

  it('completes a reply with context after a crash', async () => {
    const before = create();
    await before.say(ada, 'talk to a human', 'mention');
    await before.say(grace, 'It is number 7.');
    await before.press('resume', ada);
    const streams = Promise.withResolvers<string>();
    before.chatbot.answer = async function* (query) {
      yield 'Half';
      streams.resolve(query);
      await new Promise(() => {});
    };
    const { thread } = before;
    void before.say(ada, 'How?');
    const query = await streams.promise;
    const after = create();
    after.chatbot.stored.set('s1', { query, response: 'All', sources: [], state: 'whole' });
    const { signal } = new AbortController();
    await recoverTurns({ ...after, openThread: () => thread, signal });
    expect(thread.visible()).toContain('All');
  });

  it('gives what was said as it reads after edits, and nothing that was deleted', async () => {
    const { say, press, remove, conversation, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    const number = await say(grace, 'It is number 7.');
    const secret = await say(ada, 'My password is hunter2.');
    const doubt = await say(ada, 'Or is it?');
    await conversation.edited({ ...number, text: 'It is number 8.' });
    await remove(secret);
    await press('resume', ada);
    await remove(doubt);
    await say(ada, 'How do I pay it?');
    expect(chatbot.queries).toEqual([
      { session: 's1', query: 'How do I pay it?', context: 'Grace: It is number 8.' },
    ]);
  });

  it('forgets what was said before a restart and deleted after it', async () => {
    const before = create();
    await before.say(ada, 'talk to a human', 'mention');
    const said = await before.say(grace, 'It is number 7.');
    const { say, press, remove, chatbot } = create({}, before.thread);
    await remove(said);
    await press('resume', ada);
    await say(ada, 'How do I pay it?');
    expect(chatbot.queries).toEqual([{ session: 's1', query: 'How do I pay it?' }]);
  });

  it('forgets what is deleted while it is still on its way to people', async () => {
    const { say, press, remove, conversation, thread, chatbot } = create();
    const announces = Promise.withResolvers<void>();
    const announced = Promise.withResolvers<void>();
    thread.beforeWrite = () => {
      announces.resolve();
      return announced.promise;
    };
    const asked = say(ada, 'talk to a human', 'mention');
    await announces.promise;
    const message = createFakeMessage(thread, 'My password is hunter2.');
    const claimed = Promise.withResolvers<void>();
    vi.spyOn(store.coordinator, 'claim').mockImplementation(async () => {
      claimed.resolve();
      return true;
    });
    const said = conversation.message(message);
    await claimed.promise;
    const removed = remove(message);
    announced.resolve();
    await Promise.all([asked, said, removed]);
    await press('resume', ada);
    await say(ada, 'q');
    expect(chatbot.queries).toEqual([{ session: 's1', query: 'q' }]);
  });

  it('lets only who asked, who came and managers end it', async () => {
    const { say, press, thread } = create();
    await say(ada, 'talk to a human', 'mention');
    await say(grace, 'Hello');
    expect(await press('resume', linus)).toBe(
      'Only Ada, who asked for a person, Grace, who came, or a manager can let me answer here again.',
    );
    expect(thread.visible()).toHaveLength(2);
    expect(await press('resume', { ...linus, isManager: true })).toBeUndefined();
    expect(await press('resume', ada)).toContain('I’m already answering here');
    expect(thread.visible()).toHaveLength(3);
  });

  it('takes who asked the question for one in need, whoever pressed the button below its reply', async () => {
    const { say, press, thread, notices } = create();
    const asked = await say(ada, 'q', 'mention');
    await press('person', grace, turnId(asked));
    expect(notices[0]?.markdown).toContain('🙋 **Grace** asks for a person for **Ada**. ');
    await say(ada, 'Is anybody there?');
    expect(thread.visible()).toEqual(['You said: q', 'Somebody will come.']);
    await say(linus, 'I am.');
    expect(thread.visible().at(-1)).toBe('Here we are.');
    expect(await press('resume', { ...linus, id: 'U4' })).toBe(
      'Only Grace, who asked for a person, Ada, whose question it was, Linus, who came, or a manager can let me answer here again.',
    );
    expect(await press('resume', ada)).toBeUndefined();
  });

  it('tells people once in ten minutes, however often a person is asked for', async () => {
    const { say, press, thread, notices } = create();
    const asked = await say(ada, 'q', 'mention');
    await press('person', ada, turnId(asked));
    await press('resume', ada);
    await say(ada, 'another q');
    now += 10 * minuteMs - 1;
    await press('person', ada, turnId(asked));
    expect(notices).toHaveLength(1);
    expect(thread.visible().at(-1)).toContain('were notified a few minutes ago');
    await press('resume', ada);
    now += 1;
    await press('person', ada, turnId(asked));
    expect(notices).toHaveLength(2);
    expect(thread.visible().at(-1)).toBe('Somebody will come.');
  });

  it('holds up nothing while people are told, all of them at once', async () => {
    const told: Notice['to'][] = [];
    const allTold = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const { conversation, thread } = create({
      contacts: { contactsFor: async () => ({ people: ['U8', 'U9'] }) },
      async notify(_, { to }) {
        told.push(to);
        if (told.length === 2) allTold.resolve();
        await mayEnd.promise;
      },
    });
    await conversation.message(createFakeMessage(thread, 'talk to a human'));
    await allTold.promise;
    expect(told).toEqual([{ person: 'U8' }, { person: 'U9' }]);
    await conversation.message(createFakeMessage(thread, 'Hello!', { author: grace }));
    expect(thread.visible()).toEqual(['Somebody will come.', 'Here we are.']);
    let isClosed = false;
    const closed = conversation.close(minuteMs).then(() => (isClosed = true));
    await setImmediate();
    expect(isClosed).toBe(false);
    mayEnd.resolve();
    await closed;
  });

  describe('where nobody would come', () => {
    const direct = { ...fakeAddress, workspace: 'dm', thread: 'C' };
    const shared = { ...fakeAddress, thread: 'C' };
    const nobody = { contactsFor: async () => ({ people: [] }) };

    it.each([
      ['a direct message of no workspace', direct, 'in a channel that I’m in'],
      ['a channel in which no thread can be opened', shared, 'for the whole channel'],
    ])('keeps answering in %s, says why and offers no button', async (_, address, why) => {
      const { say, press, conversation, thread, notices } = create(
        address === direct ? { contacts: nobody } : {},
        createFakeThread({ address }),
      );
      await say(ada, 'talk to a human', 'mention');
      expect(thread.visible()).toEqual([expect.stringContaining(why)]);
      const asked = await say(ada, 'q', 'mention');
      expect(thread.visible().slice(1)).toEqual(['You said: q']);
      expect(thread.buttons()).toEqual([[], ['Helpful', 'Not helpful']]);
      expect(await press('person', ada, turnId(asked))).toContain(why);
      expect(await conversation.handOver?.find(address)).toBeUndefined();
      expect(notices).toEqual([]);
    });

    it('hands a direct message of no workspace over where people are told of it', async () => {
      const { say, thread, notices } = create({}, createFakeThread({ address: direct }));
      await say(ada, 'talk to a human', 'mention');
      expect(thread.visible()).toEqual(['Somebody will come.']);
      expect(notices).toHaveLength(1);
      const other = { ...direct, channel: 'D2', thread: 'D2' };
      const quiet = create({}, createFakeThread({ address: other }));
      quiet.chatbot.handsOver = { ...settings, notifies: false };
      await quiet.say(ada, 'talk to a human', 'mention');
      expect(quiet.thread.visible()).toEqual([expect.stringContaining('can’t reach people')]);
    });
  });

  it('announces once, however many press at the same time', async () => {
    const { say, press, thread, chatbot, notices } = create();
    const asked = await say(ada, 'q', 'mention');
    const presses = [ada, grace, linus].map((by) => press('person', by, turnId(asked)));
    const told = await Promise.all(presses);
    expect(told.filter((text) => text === undefined)).toHaveLength(1);
    expect(thread.visible()).toEqual(['You said: q', 'Somebody will come.']);
    expect(notices).toHaveLength(1);
    expect(notices[0]?.markdown).toContain('> q');
    await Promise.all([press('resume', ada), press('resume', ada)]);
    expect(thread.visible()).toHaveLength(3);
    expect(chatbot.queries).toHaveLength(1);
  });

  it('offers a person below answered and failed replies, where an agent hands over', async () => {
    const { say, thread, chatbot } = create();
    await say(ada, 'one', 'mention');
    chatbot.answer = () => {
      throw new ChatbotError('unavailable', 'down');
    };
    await say(ada, 'two');
    expect(thread.buttons()).toEqual([
      ['Helpful', 'Not helpful', 'Talk to a person'],
      ['Try again', 'Talk to a person'],
    ]);
  });

  it('offers none and hears no monitored message where no agent does', async () => {
    const { say, press, thread, chatbot } = create();
    delete chatbot.handsOver;
    const asked = await say(ada, 'talk to a human', 'mention');
    expect(thread.buttons()).toEqual([['Helpful', 'Not helpful']]);
    expect(await press('person', ada, turnId(asked))).toContain('no longer offered');
  });

  it('hints at most every ten minutes that it keeps quiet', async () => {
    const { say, thread } = create();
    await say(ada, 'talk to a human', 'mention');
    const hints = () => thread.visible().filter((text) => text.includes('staying quiet')).length;
    await say(ada, 'hello?', 'mention');
    await say(ada, 'hello??', 'mention');
    expect(hints()).toBe(1);
    now += 11 * minuteMs;
    await say(ada, 'hello???', 'mention');
    expect(hints()).toBe(2);
  });

  it('ends the reply that streams and drops the questions that wait', async () => {
    const { say, thread, chatbot } = create();
    const streams = Promise.withResolvers<void>();
    chatbot.answer = async function* (_, signal) {
      yield 'Let me think';
      streams.resolve();
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new ChatbotError('aborted', 'aborted')));
      });
    };
    const first = say(ada, 'one', 'mention');
    await streams.promise;
    const second = say(ada, 'two');
    await say(ada, 'I want to talk to a human');
    await Promise.all([first, second]);
    expect(chatbot.queries).toHaveLength(1);
    expect(thread.visible()).toEqual([
      'Let me think\n\n⏹ Stopped by Ada.',
      'Somebody will come.',
      '⏹ Stopped by Ada.',
    ]);
  });

  it('asks nothing again and offers nothing for an edit meanwhile', async () => {
    const { say, press, conversation, thread, chatbot } = create();
    const asked = await say(ada, 'q', 'mention');
    await press('person', ada, turnId(asked));
    expect(await press('retry', ada, turnId(asked))).toContain(
      'Someone has already asked for a person here',
    );
    await conversation.edited({ ...asked, text: 'another q' });
    expect(thread.visible()).toHaveLength(2);
    expect(chatbot.queries).toHaveLength(1);
  });

  it('answers a follow-up that comes while it learns whether the first asks for a person', async () => {
    const { say, chatbot } = create();
    const asked = Promise.withResolvers<void>();
    const known = Promise.withResolvers<typeof settings>();
    chatbot.handOver = () => {
      asked.resolve();
      return known.promise;
    };
    const first = say(ada, 'one', 'mention');
    await asked.promise;
    const second = say(ada, 'two');
    known.resolve(settings);
    await Promise.all([first, second]);
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['one', 'two']);
  });

  it('answers before it closes what it heard by then', async () => {
    const { say, conversation, thread, chatbot } = create();
    const asked = Promise.withResolvers<void>();
    const known = Promise.withResolvers<typeof settings>();
    chatbot.handOver = () => {
      asked.resolve();
      return known.promise;
    };
    void say(ada, 'one', 'mention');
    await asked.promise;
    const closed = conversation.close(60_000);
    known.resolve(settings);
    await closed;
    expect(thread.visible()).toEqual(['You said: one']);
  });

  it('closes in time where a platform is too busy for its announcement', async () => {
    const { conversation, thread } = create();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    thread.beforeWrite = () => {
      throw new PlatformError(
        'rate_limited',
        { code: 'platform_busy', params: { platform: 'Test' } },
        { retryAfterMs: minuteMs },
      );
    };
    void conversation.message(createFakeMessage(thread, 'talk to a human'));
    await vi.advanceTimersByTimeAsync(100);
    let isClosed = false;
    void conversation.close(0).then(() => (isClosed = true));
    await vi.advanceTimersByTimeAsync(2_100);
    expect(isClosed).toBe(true);
    thread.beforeWrite = () => {};
    await vi.advanceTimersByTimeAsync(10 * minuteMs);
    expect(thread.visible()).toEqual([]);
  });

  it('outlives a restart', async () => {
    const before = create();
    await before.say(ada, 'talk to a human', 'mention');
    const { say, press, thread, chatbot } = create({}, before.thread);
    await say(grace, 'Hello');
    await press('resume', grace);
    expect(thread.visible()).toEqual(['Somebody will come.', 'Here we are.', 'The bot is back.']);
    await say(ada, 'And now?');
    expect(chatbot.queries[0]?.context).toBe('Grace: Hello');
  });

  it('answers again after a day in which nobody came, and after a week of silence', async () => {
    const { say, thread, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    now += dayMs + 1;
    await say(ada, 'Anybody?');
    expect(thread.visible()[1]).toContain('so I’m answering in this thread again');
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['Anybody?']);
    await say(ada, 'talk to a human');
    await say(grace, 'Here!');
    now += 6 * dayMs;
    await say(ada, 'Still there?');
    now += 6 * dayMs;
    await say(ada, 'Hm.');
    expect(chatbot.queries).toHaveLength(1);
    now += 8 * dayMs;
    await say(ada, 'And now?');
    expect(chatbot.queries).toHaveLength(2);
  });

  it('is there for commands by the thread', async () => {
    const { say, sessions, conversation } = create();
    const threads = createThreadControl(sessions, conversation);
    expect(await threads.resume(fakeAddress, ada)).toContain('I’m already answering here');
    await say(ada, 'talk to a human', 'mention');
    expect(await threads.handedOverBy(fakeAddress)).toBe('Ada');
    expect(await threads.resume(fakeAddress, ada)).toBeUndefined();
    expect(await threads.handedOverBy(fakeAddress)).toBeUndefined();
  });

  it.each([
    ['begins anew', 'continueWith'],
    ['is forgotten', 'forget'],
  ] as const)('forgets what people said where the thread’s session %s', async (_, change) => {
    const { say, press, sessions, conversation, chatbot } = create();
    const threads = createThreadControl(sessions, conversation);
    await say(ada, 'talk to a human', 'mention');
    await say(grace, 'It is number 7.');
    await press('resume', ada);
    await threads[change](fakeAddress, { uuid: 's1', chatbot: 'bot' });
    await say(ada, 'How?', 'mention');
    expect(chatbot.queries).toEqual([{ session: 's1', query: 'How?' }]);
  });

  describe('where something fails', () => {
    it('pauses all the same where nobody can be told, and tells people where the channel can’t be', async () => {
      const tried: Notice['to'][] = [];
      const { say, thread, chatbot, lines } = create({
        async notify(_, { to }) {
          tried.push(to);
          if ('channel' in to) throw new PlatformError('forbidden', 'slack_not_in_channel');
        },
      });
      await say(ada, 'talk to a human', 'mention');
      await say(ada, 'q', 'overheard');
      expect(thread.visible()).toEqual(['Somebody will come.']);
      expect(chatbot.queries).toEqual([]);
      expect(tried).toEqual([{ channel: 'help' }, { person: 'U8' }, { person: 'U9' }]);
      expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    });

    it('says so in the thread where all notices failed, and tells people when asked again', async () => {
      let isDown = true;
      const told: Notice['to'][] = [];
      const { say, press, thread } = create({
        async notify(_, { to }) {
          if (isDown)
            throw new PlatformError('failed', {
              code: 'platform_unreachable',
              params: { platform: 'Test' },
            });
          told.push(to);
        },
      });
      await say(ada, 'talk to a human', 'mention');
      expect(thread.visible()).toEqual(['Somebody will come.', expect.stringContaining(untold)]);
      await press('resume', ada);
      isDown = false;
      await say(ada, 'talk to a human', 'mention');
      expect(told).toEqual([{ channel: 'help' }]);
      expect(thread.visible().at(-1)).toBe('Somebody will come.');
    });

    it('says nothing of that once somebody came all the same', async () => {
      const tries = Promise.withResolvers<void>();
      const fails = Promise.withResolvers<void>();
      const { conversation, thread } = create({
        async notify() {
          tries.resolve();
          await fails.promise;
          throw new PlatformError('failed', {
            code: 'platform_unreachable',
            params: { platform: 'Test' },
          });
        },
      });
      await conversation.message(createFakeMessage(thread, 'talk to a human'));
      await tries.promise;
      await conversation.message(createFakeMessage(thread, 'Hello!', { author: grace }));
      fails.resolve();
      await conversation.handOver?.idle();
      expect(thread.visible()).toEqual(['Somebody will come.', 'Here we are.']);
    });

    it('says that nobody was told where whom to tell can’t be read', async () => {
      const contacts = {
        contactsFor: async () => {
          throw new Error('The store is down.');
        },
      };
      const { say, thread } = create({ contacts });
      await say(ada, 'talk to a human', 'mention');
      expect(thread.visible()).toEqual(['Somebody will come.', expect.stringContaining(untold)]);
    });

    it('says in thread and log that nobody is named to be told', async () => {
      const contacts = { contactsFor: async () => ({ people: [] }) };
      const { say, thread, lines, notices } = create({ contacts });
      await say(ada, 'talk to a human', 'mention');
      expect(thread.visible()).toEqual(['Somebody will come.', expect.stringContaining(untold)]);
      expect(notices).toEqual([]);
      expect(lines).toContainEqual({
        level: 'warn',
        message: expect.stringContaining('neither a channel nor people are named') as string,
      });
    });

    it('says that it pauses once the platform is no longer too busy', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const { say, thread } = create();
      const refused = Promise.withResolvers<void>();
      thread.beforeWrite = () => {
        thread.beforeWrite = () => undefined;
        refused.resolve();
        throw new PlatformError(
          'rate_limited',
          { code: 'platform_busy', params: { platform: 'Test' } },
          { retryAfterMs: 3000 },
        );
      };
      const said = say(ada, 'talk to a human', 'mention');
      await refused.promise;
      await vi.advanceTimersByTimeAsync(2999);
      expect(thread.visible()).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      await said;
      expect(thread.visible()).toEqual(['Somebody will come.']);
      expect(thread.buttons()).toEqual([['Let the bot answer again']]);
    });

    it('tells people though the thread takes no announcement', async () => {
      const { say, thread, notices } = create();
      thread.beforeWrite = () => {
        throw new PlatformError('forbidden', 'slack_write_forbidden');
      };
      await say(ada, 'talk to a human', 'mention');
      expect(notices).toHaveLength(1);
    });

    it('answers where the settings can’t be read, and asks for them once a minute', async () => {
      const { say, thread, chatbot } = create();
      let asked = 0;
      chatbot.handOver = async () => {
        asked += 1;
        throw new ChatbotError('unavailable', 'down');
      };
      await say(ada, 'talk to a human', 'mention');
      await say(ada, 'q');
      expect(thread.visible()).toEqual(['You said: talk to a human', 'You said: q']);
      expect(asked).toBe(1);
      now += minuteMs;
      chatbot.handOver = async () => settings;
      await say(ada, 'talk to a human');
      expect(thread.visible()[2]).toBe('Somebody will come.');
    });
  });
});
