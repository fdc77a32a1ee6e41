import { describe, expect, it, vi } from 'vitest';
import { ChatbotError, PlatformError } from '../../../../src/bridge/conversation/errors.ts';
import { openStore } from '../../../../src/bridge/stores/open-store.ts';
import type { Notice } from '../../../../src/bridge/conversation/platform.ts';
import { createThreadControl } from '../../../../src/bridge/commands/thread-control.ts';
import {
  createFakeMessage,
  createFakeThread,
  deliver,
  editOf,
  fakeAddress,
  turnOf,
} from '../../../fixtures/fake-thread.ts';
import type { Access } from '../../../../src/bridge/conversation/access.ts';
import { openAccess } from '../../../fixtures/open-tenancy.ts';
import {
  contactsAre,
  setUpHandOver,
  ada,
  grace,
  linus,
  settings,
  untold,
  minuteMs,
  dayMs,
} from './set-up-hand-over.ts';
import { patience } from '../../../fixtures/patience.ts';

describe('hand-over', () => {
  const { create, clock, store } = setUpHandOver();

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

  it('counts no bot as a person who asks for one or has come', async () => {
    const { access } = openAccess(store());
    const more = { access: { ...access, refusal: async () => undefined } };
    const { say, thread, chatbot } = create({}, createFakeThread(), more);
    const bot = { id: 'B1', name: 'Alerts', isManager: false, bot: ['B1'] };
    await say(bot, 'talk to a human', 'mention');
    expect(chatbot.queries).toMatchObject([{ query: 'talk to a human' }]);
    const before = thread.visible().length;
    await say(ada, 'talk to a human', 'mention');
    await say(bot, 'Invoice 7 is late', 'mention');
    expect(thread.visible().slice(before)).toEqual(['Somebody will come.']);
    await say(grace, 'Hello Ada!');
    expect(thread.visible().at(-1)).toBe('Here we are.');
  });

  it('counts a person who only posts a picture as having come', async () => {
    const { say, press, thread, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    await say(grace, '');
    expect(thread.visible()).toEqual(['Somebody will come.', 'Here we are.']);
    await press('resume', grace);
    await say(grace, '');
    expect(thread.visible().slice(2)).toEqual(['The bot is back.']);
    expect(chatbot.queries).toEqual([]);
  });

  it('counts a person who may not ask the bot as having come', async () => {
    const { access } = openAccess(store());
    const refused = { kind: 'asking' } as const;
    const refusal: Access['refusal'] = async (_, { id }) => (id === grace.id ? refused : undefined);
    const { say, press, thread, chatbot } = create({}, createFakeThread(), {
      access: { ...access, refusal },
    });
    await say(ada, 'talk to a human', 'mention');
    await say(grace, 'Hello Ada!');
    expect(thread.visible()).toEqual(['Somebody will come.', 'Here we are.']);
    await press('resume', grace);
    expect(thread.visible()).toHaveLength(3);
    await say(grace, 'Why?', 'mention');
    expect(chatbot.queries).toEqual([]);
  });

  it('uses default texts where the agent has none', async () => {
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

  it('lets only who asked, who came and managers end it', async () => {
    const { say, press, thread } = create();
    await say(ada, 'talk to a human', 'mention');
    await say(grace, 'Hello');
    expect(await press('resume', linus)).toBe(
      'Only Ada, who asked for a person, Grace, who took over, or a manager can let me answer here again.',
    );
    expect(thread.visible()).toHaveLength(2);
    expect(await press('resume', { ...linus, isManager: true })).toBeUndefined();
    expect(await press('resume', ada)).toContain('I’m already answering here');
    expect(thread.visible()).toHaveLength(3);
  });

  it('counts the person who asked the question as in need, whoever pressed the button', async () => {
    const { say, press, thread, notices } = create();
    const asked = await say(ada, 'q', 'mention');
    await press('person', grace, turnOf(asked));
    expect(notices[0]?.markdown).toContain('🙋 **Grace** is asking for a person for **Ada**. ');
    await say(ada, 'Is anybody there?');
    expect(thread.visible()).toEqual(['You said: q', 'Somebody will come.']);
    await say(linus, 'I am.');
    expect(thread.visible().at(-1)).toBe('Here we are.');
    expect(await press('resume', { ...linus, id: 'U4' })).toBe(
      'Only Grace, who asked for a person, Ada, whose question it was, Linus, who took over, or a manager can let me answer here again.',
    );
    expect(await press('resume', ada)).toBeUndefined();
  });

  it.each([
    ['sends', 'a room that everyone may read', true],
    ['does not send', 'a private room', false],
  ])('%s the question of somebody else out of %s', async (_, _room, isPublic) => {
    const rooms = { of: async () => ({ id: 'C', isPublic }), has: async () => true };
    const { access } = openAccess(await openStore('memory:'), { rooms });
    const { say, press, notices } = create({}, createFakeThread(), { access });
    const asked = await say(ada, 'Am I fired?', 'mention');
    await press('person', grace, turnOf(asked));
    expect(notices[0]?.markdown.includes('Am I fired?')).toBe(isPublic);
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
    expect(await press('person', ada, turnOf(asked))).toContain('no longer offered');
  });

  it('hints at most every ten minutes that it keeps quiet', async () => {
    const { say, thread } = create();
    await say(ada, 'talk to a human', 'mention');
    const hints = () => thread.visible().filter((text) => text.includes('staying quiet')).length;
    await say(ada, 'hello?', 'mention');
    await say(ada, 'hello??', 'mention');
    expect(hints()).toBe(1);
    clock.ms += 11 * minuteMs;
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
    const { edit, say, press, thread, chatbot } = create();
    const asked = await say(ada, 'q', 'mention');
    await press('person', ada, turnOf(asked));
    expect(await press('retry', ada, turnOf(asked))).toContain(
      'Someone has already asked for a person here',
    );
    await edit(editOf(asked, 'another q'));
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

  it('is announced, and people are told, after a crash that came first', async () => {
    const before = create();
    const { thread } = before;
    thread.beforeWrite = () => new Promise(() => {});
    const message = createFakeMessage(thread, 'talk to a human', { author: ada });
    await before.conversation.received(deliver(message));
    await vi.waitFor(async () => {
      expect(await before.conversation.handOver?.active(thread.address)).toBeDefined();
    }, patience);
    thread.beforeWrite = () => {};
    const after = create({}, thread);
    await after.conversation.recover();
    after.conversation.connected('fake');
    await vi.waitFor(() => expect(after.notices).toHaveLength(1), patience);
    expect(thread.visible()).toEqual(['Somebody will come.']);
    await after.say(grace, 'I am here.');
    await after.press('resume', ada);
    await after.say(ada, 'How?');
    expect(after.chatbot.queries[0]?.context).toBe('Grace: I am here.');
  });

  it('answers at the next start what it heard before it closed', async () => {
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
    expect(thread.visible()).toEqual([]);
    const { conversation: next } = create({}, thread);
    await next.recover();
    next.connected('fake');
    await vi.waitFor(() => expect(thread.visible()).toEqual(['You said: one']), patience);
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

  it('continues after a restart', async () => {
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
    clock.ms += dayMs + 1;
    await say(ada, 'Anybody?');
    expect(thread.visible()[1]).toContain('so I’m answering in this thread again');
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['Anybody?']);
    await say(ada, 'talk to a human');
    await say(grace, 'Here!');
    clock.ms += 6 * dayMs;
    await say(ada, 'Still there?');
    clock.ms += 6 * dayMs;
    await say(ada, 'Hm.');
    expect(chatbot.queries).toHaveLength(1);
    clock.ms += 8 * dayMs;
    await say(ada, 'And now?');
    expect(chatbot.queries).toHaveLength(2);
  });

  it('can be found and ended by commands in the thread', async () => {
    const { say, sessions, conversation } = create();
    const threads = createThreadControl(sessions, conversation, () => undefined);
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
    const threads = createThreadControl(sessions, conversation, () => undefined);
    await say(ada, 'talk to a human', 'mention');
    await say(grace, 'It is number 7.');
    await press('resume', ada);
    if (change === 'continueWith')
      await threads.continueWith(fakeAddress, { session: 's1', chatbot: 'bot' });
    else await threads.forget('s0', { address: fakeAddress, isCurrent: true });
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

    it('doesn’t say so if somebody has come meanwhile', async () => {
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

    it('says that nobody was told if the contacts can’t be read', async () => {
      const settings = {
        ...contactsAre({ people: [] }),
        of: async () => {
          throw new Error('The store is down.');
        },
      };
      const { say, thread } = create({ settings });
      await say(ada, 'talk to a human', 'mention');
      expect(thread.visible()).toEqual([expect.stringContaining(untold)]);
    });

    it('says in thread and log that nobody is named to be told', async () => {
      const { say, thread, lines, notices } = create({ settings: contactsAre({ people: [] }) });
      await say(ada, 'talk to a human', 'mention');
      expect(thread.visible()).toEqual([expect.stringContaining(untold)]);
      expect(notices).toEqual([]);
      const message: unknown = expect.stringContaining('no channel or people to notify are set');
      expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', message }));
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

    it('answers where the settings are slow to come, and knows them from then on', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const { say, thread, chatbot } = create();
      const slow = Promise.withResolvers<typeof settings>();
      const asked = Promise.withResolvers<void>();
      chatbot.handOver = () => {
        asked.resolve();
        return slow.promise;
      };
      const said = say(ada, 'q', 'mention');
      await asked.promise;
      await vi.advanceTimersByTimeAsync(999);
      expect(thread.visible()).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      await said;
      expect(thread.visible()).toEqual(['You said: q']);
      slow.resolve(settings);
      await say(ada, 'talk to a human');
      expect(thread.visible()[1]).toBe('Somebody will come.');
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
      // The bot’s own help answers this one.
      const help = expect.stringContaining('Talk to a person') as string;
      expect(thread.visible()).toEqual([help, 'You said: q']);
      expect(asked).toBe(1);
      clock.ms += minuteMs;
      chatbot.handOver = async () => settings;
      await say(ada, 'talk to a human');
      expect(thread.visible()[2]).toBe('Somebody will come.');
    });
  });
});
