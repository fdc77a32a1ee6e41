import { describe, expect, test } from 'vitest';
import type { Button, ButtonAction } from '../../../src/bridge/conversation/thread.ts';
import { type AdapterOptions, type OpenSeat, type Seat, textsOf } from './seat.ts';

const button = (action: ButtonAction, label: string = action): Button => ({
  action,
  label,
  turn: 'turn-1',
});

/** The buttons of replies. */
export function describeButtons(open: OpenSeat): void {
  /** A reply in a thread of Ada's, with these buttons. */
  async function reply(buttons: Button[], options?: AdapterOptions) {
    const seat: Seat = await open(options);
    const { core, mention } = seat;
    await seat.say('ada', { channel: seat.channel('help') }, `${mention} Why?`);
    const { thread } = await core.messages.next();
    const sent = await thread.post({ markdown: 'So.', buttons });
    const { channel, thread: id } = thread.address;
    return Object.assign(seat, { sent, place: { channel, thread: id }, address: thread.address });
  }

  describe('buttons', () => {
    test('a press is told with its turn, person and place, and only they see the answer', async () => {
      const pressed = async () => 'It says **“why”**.';
      await using seat = await reply([button('passages', 'Sources')], { pressed });
      const { core, place, address } = seat;
      expect(await seat.press('linus', place, 'Sources')).toBe(true);
      const by = { ...seat.person('linus'), isManager: false };
      const press = { action: 'passages', turn: 'turn-1', by, place: address };
      expect(await core.presses.next()).toMatchObject(press);
      const answer = await seat.shown('linus', place, /why/);
      expect(answer.text).toBe('It says **“why”**.');
      expect(textsOf(seat.seen('grace', place))).toEqual(['So.']);
    });

    test('where there is nothing to say, nothing is shown', async () => {
      await using seat = await reply([button('stop', 'Stop')]);
      const { core, place } = seat;
      expect(await seat.press('ada', place, 'Stop')).toBe(true);
      const { action, by } = await core.presses.next();
      expect([action, by.isManager]).toEqual(['stop', true]);
      await seat.platform[Symbol.asyncDispose]();
      expect(textsOf(seat.seen('ada', place))).toEqual(['So.']);
    });

    test('buttons change with edits, and go where there are none', async () => {
      await using seat = await reply([button('stop', 'Stop')]);
      const { sent, place } = seat;
      const labels = () => seat.seen('ada', place).map(({ buttons }) => buttons);
      expect(labels()).toEqual([['Stop']]);
      const buttons = [button('retry', 'Try again'), button('passages', 'Sources')];
      await sent.edit({ markdown: 'So it is.', buttons });
      expect(labels()).toEqual([['Try again', 'Sources']]);
      await sent.edit({ markdown: 'So it is.' });
      expect(labels()).toEqual([[]]);
    });
  });
}
