import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Notice } from '../../../../src/bridge/conversation/platform.ts';
import {
  createFakeMessage,
  createFakeThread,
  fakeAddress,
  turnOf,
} from '../../../fixtures/fake-thread.ts';
import {
  contactsAre,
  setUpHandOver,
  ada,
  grace,
  linus,
  settings,
  minuteMs,
  untold,
} from './set-up-hand-over.ts';
import { asksForPerson } from '../../../../src/bridge/conversation/hand-over/settings.ts';

describe('hand-over: telling people', () => {
  const { create, clock } = setUpHandOver();

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
          '🙋 **Ada** is asking for a person. [Open the thread](https://chat.example/C/T)\n> Please: TALK  to a human!\n> Now.',
      },
    ]);
  });

  it('tells where no link can be given, each person directly where no channel is named', async () => {
    const { say, notices } = create({ settings: contactsAre({ people: ['U8', 'U9'] }) });
    await say({ ...ada, name: 'A*da' }, 'talk to a human', 'mention');
    expect(notices.map(({ to }) => to)).toEqual([{ person: 'U8' }, { person: 'U9' }]);
    expect(notices[0]?.markdown).toContain(
      String.raw`**A\*da** is asking for a person. I have no link`,
    );
  });

  it('shows names and quotes as text, without links', async () => {
    const { say, press, notices } = create();
    const mallory = { ...ada, name: '[Ada](https://x.example)' };
    await say(mallory, 'talk to a human [Open the thread](https://x.example)', 'mention');
    expect(notices[0]?.markdown).not.toContain('](');
    expect(await press('resume', linus)).toContain('Only (Ada)(https://x.example), who asked');
  });

  it('promises no person while notifications are off', async () => {
    const { say, notices, thread, chatbot } = create();
    chatbot.handsOver = { ...settings, notifies: false };
    await say(ada, 'talk to a human', 'mention');
    expect(thread.visible()).toEqual([expect.stringContaining(untold)]);
    expect(notices).toEqual([]);
  });

  it('tells people once in ten minutes, however often a person is asked for', async () => {
    const { say, press, thread, notices } = create();
    const asked = await say(ada, 'q', 'mention');
    await press('person', ada, turnOf(asked));
    await press('resume', ada);
    await say(ada, 'another q');
    clock.ms += 10 * minuteMs - 1;
    await press('person', ada, turnOf(asked));
    expect(notices).toHaveLength(1);
    expect(thread.visible().at(-1)).toContain('were notified a few minutes ago');
    await press('resume', ada);
    clock.ms += 1;
    await press('person', ada, turnOf(asked));
    expect(notices).toHaveLength(2);
    expect(thread.visible().at(-1)).toBe('Somebody will come.');
  });

  it('tells nobody again whom another process has told', async () => {
    const { say, press, thread, notices } = create();
    const asked = await say(ada, 'q', 'mention');
    await press('person', ada, turnOf(asked));
    const other = create({}, thread);
    await other.press('resume', ada);
    await other.press('person', ada, turnOf(asked));
    expect([notices.length, other.notices.length]).toEqual([1, 0]);
    expect(thread.visible().at(-1)).toContain('were notified a few minutes ago');
  });

  it('tells all people at once, and delays nothing meanwhile', async () => {
    const told: Notice['to'][] = [];
    const allTold = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const { conversation, thread } = create({
      settings: contactsAre({ people: ['U8', 'U9'] }),
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
    const nobody = contactsAre({ people: [] });

    it.each([
      ['a direct message of no workspace', direct, 'in a channel that I’m in'],
      ['a channel in which no thread can be opened', shared, 'for the whole channel'],
    ])('keeps answering in %s, says why and offers no button', async (_, address, why) => {
      const { say, press, conversation, thread, notices } = create(
        address === direct ? { settings: nobody } : {},
        createFakeThread({ address }),
      );
      await say(ada, 'talk to a human', 'mention');
      expect(thread.visible()).toEqual([expect.stringContaining(why)]);
      const asked = await say(ada, 'q', 'mention');
      expect(thread.visible().slice(1)).toEqual(['You said: q']);
      expect(thread.buttons()).toEqual([[], ['Helpful', 'Not helpful']]);
      expect(await press('person', ada, turnOf(asked))).toContain(why);
      expect(await conversation.handOver?.active(address)).toBeUndefined();
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
    const presses = [ada, grace, linus].map((by) => press('person', by, turnOf(asked)));
    const told = await Promise.all(presses);
    expect(told.filter((text) => text === undefined)).toHaveLength(1);
    expect(thread.visible()).toEqual(['You said: q', 'Somebody will come.']);
    expect(notices).toHaveLength(1);
    expect(notices[0]?.markdown).toContain('> q');
    await Promise.all([press('resume', ada), press('resume', ada)]);
    expect(thread.visible()).toHaveLength(3);
    expect(chatbot.queries).toHaveLength(1);
  });
});

describe('asksForPerson', () => {
  it.each([
    ['I want to TALK to a  human, please!', 'talk to a human'],
    ['human?', 'Human!'],
    ['I’d like an agent', "I'd like an agent"],
    ['einen Menschen, bitte', 'EINEN MENSCHEN'],
    ['Ｈｕｍａｎ', 'human'],
    ['すみません、担当者と話したいです', '担当者と話したい'],
  ])('hears %j as %j', (text, monitored) => {
    expect(asksForPerson(text, ['something else', monitored])).toBe(true);
  });

  it.each([
    ['Is this humane?', 'human'],
    ['talk to another human', 'talk to a human'],
    ['anything', '?!'],
    ['anything', ''],
    ['', 'human'],
  ])('does not hear %j as %j', (text, monitored) => {
    expect(asksForPerson(text, [monitored])).toBe(false);
  });
});
