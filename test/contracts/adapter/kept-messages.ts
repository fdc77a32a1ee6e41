import { describe, expect, test } from 'vitest';
import type { Button, SentMessage } from '../../../src/bridge/conversation/thread.ts';
import type { OpenSeat } from './seat.ts';

const stop: Button = { action: 'stop', label: 'Stop', turn: 'turn-1' };
const retry: Button = { action: 'retry', label: 'Try again', turn: 'turn-1' };

/** What a reply showed stays where the process that wrote it has ended. */
export function describeKeptMessages(open: OpenSeat): void {
  describe('a message that is kept', () => {
    /** A reply with a Stop button, and the same message as the next process knows it. */
    async function reply(channel: (seat: Awaited<ReturnType<OpenSeat>>) => string) {
      const seat = await open();
      await seat.say('ada', { channel: channel(seat) }, `${seat.mention} Why?`);
      const { thread } = await seat.core.messages.next();
      const { id } = await thread.post({ markdown: 'Because **it** is', buttons: [stop] });
      const message: SentMessage = seat.platform.thread(thread.address).message(id);
      const { channel: place, thread: root } = thread.address;
      const replies = () => seat.seen('ada', { channel: place, thread: root });
      return Object.assign(seat, { message, replies });
    }

    test.each([
      ['in a channel', (seat: Awaited<ReturnType<OpenSeat>>) => seat.channel('help')],
      ['in a direct message', (seat: Awaited<ReturnType<OpenSeat>>) => seat.direct('ada')],
    ])('%s keeps its text, with a note below it and other buttons', async (_, channel) => {
      await using seat = await reply(channel);
      const { message, replies } = seat;
      await message.keep?.('⚠️ I was restarted.', [retry]);
      expect(replies()).toMatchObject([{ id: message.id, buttons: ['Try again'] }]);
      expect(replies()[0]?.text).toMatch(/^Because \*\*it\*\* is\s+⚠️ I was restarted\.$/);
    });

    test('has the note once, however often that is repeated', async () => {
      await using seat = await reply(({ channel }) => channel('help'));
      const { message, replies } = seat;
      for (let times = 0; times < 3; times += 1) await message.keep?.('⚠️ Again.', [retry]);
      expect(replies()[0]?.text).toMatch(/^Because \*\*it\*\* is\s+⚠️ Again\.$/);
      expect(replies()[0]?.buttons).toEqual(['Try again']);
    });

    test('loses its buttons alone, where there is no note', async () => {
      await using seat = await reply(({ channel }) => channel('help'));
      const { message, replies } = seat;
      await message.keep?.('', []);
      expect(replies()).toMatchObject([{ text: 'Because **it** is', buttons: [] }]);
      await message.keep?.('⚠️ I was restarted.', [retry]);
      await message.keep?.('', []);
      expect(replies()[0]?.text).toMatch(/^Because \*\*it\*\* is\s+⚠️ I was restarted\.$/);
      expect(replies()[0]?.buttons).toEqual([]);
    });

    test('can be edited afterwards', async () => {
      await using seat = await reply(({ channel }) => channel('help'));
      const { message, replies } = seat;
      await message.keep?.('⚠️ I was restarted.', [retry]);
      await message.edit({ markdown: 'Because it is so.' });
      expect(replies()).toMatchObject([{ text: 'Because it is so.', buttons: [] }]);
    });

    test('is gone where somebody has deleted it', async () => {
      await using seat = await reply(({ channel }) => channel('help'));
      const { message } = seat;
      await message.remove();
      await expect(message.keep?.('⚠️', [retry])).rejects.toMatchObject({ kind: 'gone' });
    });
  });
}
