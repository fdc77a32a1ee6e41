import { describe, expect, test } from 'vitest';
import { isQuestionGone } from '../../../src/bridge/conversation/errors.ts';
import { type OpenSeat, textsOf } from './seat.ts';

/** What the core hears of the messages that people write, edit and remove. */
export function describeMessages(open: OpenSeat): void {
  describe('messages', () => {
    test('the workspaces that the bot is in are told first', async () => {
      await using seat = await open();
      expect(seat.core.joins.all).toEqual([{ workspaces: [seat.workspace] }]);
    });

    test('a mention is heard without it, and is answered in a thread of its own', async () => {
      await using seat = await open();
      const { core, mention, workspace } = seat;
      const channel = seat.channel('help');
      const id = await seat.say('ada', { channel }, `${mention} how & why?`);
      const { thread, ...heard } = await core.messages.find((each) => each.id === id);
      const author = { ...seat.person('ada'), isManager: true };
      expect(heard).toMatchObject({ author, text: 'how & why?', addressed: 'mention' });
      const platform = seat.platform.name;
      expect(thread.address).toEqual({ platform, workspace, channel, thread: id });

      const sent = await thread.post({ markdown: 'Let' });
      await sent.edit({ markdown: 'Let me **see**.' });
      const seen = seat.seen('grace', { channel, thread: id });
      expect(seen).toMatchObject([{ id: sent.id, text: 'Let me **see**.' }]);
      expect(seat.seen('grace', { channel })).toEqual([]);
    });

    test('what follows in the thread is overheard there, in order', async () => {
      await using seat = await open();
      const { core, mention } = seat;
      const place = { channel: seat.channel('help') };
      const thread = await seat.say('ada', place, `${mention} First?`);
      const first = await core.messages.next();
      await first.thread.post({ markdown: 'Answer' });
      await seat.say('grace', { ...place, thread }, 'Second');
      await seat.say('ada', { ...place, thread }, 'Third');
      await core.messages.find(({ text }) => text === 'Third');
      const overheard = core.messages.all.filter(({ addressed }) => addressed === 'overheard');
      expect(overheard.map(({ text }) => text)).toEqual(['Second', 'Third']);
      for (const message of overheard) {
        expect(message.thread.address).toEqual(first.thread.address);
      }
    });

    test('what is written directly is meant for the bot, and answered there', async () => {
      await using seat = await open();
      const channel = seat.direct('ada');
      await seat.say('ada', { channel }, 'Hello');
      const { addressed, thread } = await seat.core.messages.next();
      expect([addressed, thread.address.channel]).toEqual(['direct', channel]);
      await thread.post({ markdown: 'Hi' });
      expect(textsOf(seat.seen('ada', thread.address))).toEqual(['Hi']);
    });

    test('what the bot writes itself is not heard', async () => {
      await using seat = await open();
      const { core, mention } = seat;
      const place = { channel: seat.channel('help') };
      const id = await seat.say('ada', place, `${mention} First?`);
      const { thread } = await core.messages.next();
      const sent = await thread.post({ markdown: `${mention} mine` });
      await sent.edit({ markdown: `${mention} mine, edited` });
      await seat.say('ada', { ...place, thread: id }, 'Last');
      await core.messages.find(({ text }) => text === 'Last');
      const heard = new Set(core.messages.all.map(({ text }) => text));
      expect([...heard]).toEqual(['First?', 'Last']);
      expect(core.edits.all).toEqual([]);
    });

    test('people have their names where the platform writes ids', async () => {
      await using seat = await open();
      const { id, name } = seat.person('grace');
      await seat.say('ada', { channel: seat.channel('help') }, `Ask <@${id}>.`);
      expect(await seat.core.messages.next()).toMatchObject({ text: `Ask @${name}.` });
    });

    test('a forward is heard with the words that it forwards', async () => {
      await using seat = await open();
      const { core } = seat;
      const channel = seat.channel('help');
      const { id: grace, name } = seat.person('grace');
      const asked = { channel, id: await seat.say('ada', { channel }, `Who is <@${grace}>?`) };
      for (const [to, addressed] of [
        [seat.direct('ada'), 'direct'],
        [seat.channel('general'), 'overheard'],
      ] as const) {
        const id = await seat.forward('ada', asked, to);
        const forwarded = await core.messages.find((message) => message.id === id);
        expect(forwarded).toMatchObject({ addressed, text: `Who is @${name}?` });
      }
    });

    test('an edit is told with its new text and thread, a removal with its place', async () => {
      await using seat = await open();
      const { core, mention, workspace } = seat;
      const channel = seat.channel('help');
      const id = await seat.say('ada', { channel }, `${mention} First?`);
      const { thread } = await core.messages.next();
      await thread.post({ markdown: 'Answer' });
      await seat.edit('ada', { channel, id }, `${mention} Changed?`);
      const edit = await core.edits.next();
      const author = { ...seat.person('ada'), isManager: true };
      expect(edit).toMatchObject({ id, author, text: 'Changed?', addressed: 'mention' });
      expect(edit.thread.address).toEqual(thread.address);
      seat.remove('ada', { channel, id });
      const removal = { platform: seat.platform.name, workspace, channel, id };
      expect(await core.removals.next()).toMatchObject(removal);
    });

    test.each(['before it is answered', 'after its thread was read'])(
      'a question that was deleted %s refuses its answer as one',
      async (when) => {
        await using seat = await open();
        const { channel: find, core, mention } = seat;
        const channel = find('help');
        const id = await seat.say('ada', { channel }, `${mention} Deleted?`);
        const asked = await core.messages.find(({ text }) => text === 'Deleted?');
        const { address } = asked.thread;
        seat.remove('ada', { channel, id });
        const thread = when.startsWith('before') ? asked.thread : seat.platform.thread(address);
        const refusal = await thread.post({ markdown: 'So it is.' }).catch((error) => error);
        expect(isQuestionGone(refusal)).toBe(true);
      },
    );

    test('a reply notifies nobody, whomever it names', async () => {
      await using seat = await open();
      const { core, mention } = seat;
      const place = { channel: seat.channel('help') };
      await seat.say('ada', place, `${mention} Ping?`);
      const { thread } = await core.messages.next();
      const markdown = `@everyone <!channel> <@${seat.person('grace').id}>`;
      const sent = await thread.post({ markdown });
      await sent.edit({ markdown: `${markdown} again` });
      const [reply] = seat.seen('ada', { ...place, thread: thread.address.thread });
      expect(reply).toMatchObject({ text: expect.stringMatching(/again$/), pings: [] });
    });

    test('a thread in a channel has a link, a direct message has none', async () => {
      await using seat = await open();
      const { core, mention } = seat;
      const channel = seat.channel('help');
      const id = await seat.say('ada', { channel }, `${mention} Why?`);
      const asked = await core.messages.find((message) => message.id === id);
      await asked.thread.post({ markdown: 'So.' });
      expect(await asked.thread.link?.()).toContain(seat.linkTo(channel, id));
      const hello = await seat.say('ada', { channel: seat.direct('ada') }, 'Hello');
      const direct = await core.messages.find((message) => message.id === hello);
      expect(await direct.thread.link?.()).toBeUndefined();
    });
  });
}
