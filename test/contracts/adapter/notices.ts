import { describe, expect, test } from 'vitest';
import type { Notice } from '../../../src/bridge/conversation/platform.ts';
import { type OpenSeat, type Seat, textsOf } from './seat.ts';

/** Messages outside any thread. */
export function describeNotices(open: OpenSeat): void {
  const notify = ({ platform, workspace }: Seat, to: Notice['to'], more: Partial<Notice> = {}) =>
    platform.notify?.({ workspace, to, markdown: '**Hello**', ...more });

  describe('notices', () => {
    test('a notice in a channel pings the people it names, and nobody by its text', async () => {
      await using seat = await open();
      const channel = seat.channel('help');
      const [ada, grace, linus] = (['ada', 'grace', 'linus'] as const).map(
        (name) => seat.person(name).id,
      ) as [string, string, string];
      await notify(
        seat,
        { channel },
        {
          markdown: `**Ada** asks for <!channel> @everyone and <@${linus}>`,
          people: [ada, grace, '!channel', '&1', 'x> <!here', '1> @here'],
        },
      );
      const [notice, ...others] = seat.seen('linus', { channel });
      expect(others).toEqual([]);
      expect(notice?.pings.map((ping) => ping.replaceAll(/[<@>]/g, ''))).toEqual([ada, grace]);
      expect(notice?.text).toContain('**Ada** asks for');
    });

    test('a notice to a person is a direct message, of a long text what fits', async () => {
      await using seat = await open();
      const { id: person } = seat.person('grace');
      await notify(seat, { person }, { markdown: 'word '.repeat(4_000), people: [person] });
      const [notice, ...others] = seat.seen('grace', { channel: seat.direct('grace') });
      expect(others).toEqual([]);
      expect(notice?.text.length).toBeGreaterThan(1_900);
    });

    test('a notice to a person in a channel is seen by nobody else', async () => {
      await using seat = await open();
      const channel = seat.channel('help');
      const { id: person } = seat.person('grace');
      await notify(seat, { person, in: { channel } });
      const places = [{ channel }, { channel: seat.direct('grace') }];
      expect(places.flatMap((place) => textsOf(seat.seen('grace', place)))).toEqual(['**Hello**']);
      expect(seat.seen('ada', { channel })).toEqual([]);
    });

    test('a notice that the platform refuses rejects with the reason', async () => {
      await using seat = await open();
      const refused = notify(seat, { channel: seat.closed });
      await expect(refused).rejects.toMatchObject({ kind: 'forbidden' });
    });
  });
}
