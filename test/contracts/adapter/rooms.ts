import { describe, expect, test } from 'vitest';
import type { ThreadAddress } from '../../../src/bridge/conversation/address.ts';
import type { OpenSeat, Seat } from './seat.ts';

/** Who reads a conversation. */
export function describeRooms(open: OpenSeat): void {
  const at = ({ platform, workspace }: Seat, channel: string): ThreadAddress => ({
    platform: platform.name,
    workspace,
    channel,
    thread: channel,
  });

  describe('rooms', () => {
    test('a public channel is one, and so are its threads, opened or not', async () => {
      await using seat = await open();
      const { core, mention, platform } = seat;
      const id = seat.channel('general');
      await seat.say('ada', { channel: id }, `${mention} Why?`);
      const { thread } = await core.messages.next();
      const room = { id, isPublic: true };
      expect(await platform.rooms.of(thread.address)).toEqual(room);
      await thread.post({ markdown: 'So.' });
      expect(await platform.rooms.of(thread.address)).toEqual(room);
    });

    test('in a channel that not everyone can see are those who can', async () => {
      await using seat = await open();
      const { rooms } = seat.platform;
      const address = at(seat, seat.openPrivate());
      const room = { id: address.channel, isPublic: false };
      expect(await rooms.of(address)).toEqual(room);
      const isIn = (person: string) => rooms.has(address, room, person);
      expect(await isIn(seat.person('ada').id)).toBe(true);
      expect(await isIn(seat.person('linus').id)).toBe(false);
      expect(await isIn('1')).toBe(false);
    });

    test('a direct message proves itself only', async () => {
      await using seat = await open();
      const { core, platform } = seat;
      const id = seat.direct('ada');
      await seat.say('ada', { channel: id }, 'Hello');
      const { address } = (await core.messages.next()).thread;
      const room = { id, isPublic: false, isDirect: true } as const;
      expect(await platform.rooms.of(address)).toEqual(room);
      expect(await platform.rooms.has(address, room, seat.person('ada').id)).toBe(false);
    });

    test('a channel that does not exist has no room', async () => {
      await using seat = await open();
      const { rooms } = seat.platform;
      const address = at(seat, '1');
      expect(await rooms.of(address)).toBeUndefined();
      expect(await rooms.has(address, { id: '1', isPublic: false }, '1')).toBe(false);
    });
  });
}
