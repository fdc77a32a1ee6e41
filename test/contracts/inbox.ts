import { beforeEach, describe, expect, test } from 'vitest';
import type { Inbox } from '../../src/bridge/conversation/inbox/inbox.ts';
import {
  type InboxRow,
  laneOf,
  toReceivedRow,
  type TurnState,
  turnStates,
} from '../../src/bridge/conversation/inbox/row.ts';

/** Where turns are stored: each store made of one sees what the others wrote. */
export interface InboxBacking {
  createStore(): Inbox;
  /** Lets time pass, at whose end expired rows are deleted. */
  advance(ms: number): Promise<void>;
  /** Spoils the stored value of a row, as a fault of the disk or another version might. */
  spoil(id: string, value: string): Promise<void>;
}

const dayMs = 24 * 60 * 60 * 1000;
const channel = { platform: 'fake', workspace: 'W', channel: 'C' };
const thread = { ...channel, thread: 'T' };

/** The row of a message whose question is in a state. */
function createTurn(id: string, state: TurnState = 'accepted'): InboxRow {
  const author = { id: 'U1', name: 'Ada' };
  return { ...toReceivedRow({ ...channel, id }), state, address: thread, author, query: 'Why?' };
}

/**
 * What the core relies on to do once what must happen once.
 * @param open a fresh, empty backing, called once for each test
 */
export function describeInbox(name: string, open: () => Promise<InboxBacking>): void {
  describe(`${name} as an inbox`, () => {
    let backing: InboxBacking;
    let store: Inbox;
    let other: Inbox;

    beforeEach(async () => {
      backing = await open();
      store = backing.createStore();
      other = backing.createStore();
    });

    test('a message is inserted once, whoever delivers it', async () => {
      const row = toReceivedRow({ ...channel, id: 'M' }, { text: 'Hello' });
      const deliveries = Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? store : other).insert({ ...row, event: { index } }),
      );
      expect((await Promise.all(deliveries)).filter(Boolean)).toHaveLength(1);
      expect(await store.get(row.id)).toEqual(await other.get(row.id));
    });

    test('a row keeps all that is stored, whatever the text', async () => {
      const query = "'; DROP TABLE inbox; --\u0000\ud83d\ude00 é e\u0301";
      const row = { ...createTurn('M'), query, posted: ['1', '2'], feedback: { U1: 'helpful' } };
      await store.insert(row as InboxRow);
      expect(await other.get(row.id)).toEqual(row);
    });

    test('a step is taken by one of those who try', async () => {
      const row = createTurn('M');
      await store.insert(row);
      const tries = Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? store : other).update(row.id, { state: 'asking', session: `${index}` }, [
          'accepted',
        ]),
      );
      const taken = (await Promise.all(tries)).filter((changed) => changed !== undefined);
      expect(taken).toHaveLength(1);
      expect(await other.get(row.id)).toEqual(taken[0]);
    });

    test('a change of a row that is not there, or in another state, changes nothing', async () => {
      const row = createTurn('M', 'ended');
      await store.insert(row);
      expect(await store.update(row.id, { query: 'x' }, ['accepted', 'asking'])).toBeUndefined();
      expect(await store.update('unknown', { query: 'x' })).toBeUndefined();
      expect(await store.get(row.id)).toEqual(row);
    });

    test('a change may depend on more than the state', async () => {
      const row = toReceivedRow({ ...channel, id: 'M' });
      await store.insert(row);
      const isFirst = ({ attempts }: InboxRow) => attempts === 0;
      const tries = [store, other, store].map((each) =>
        each.update(row.id, { attempts: 1 }, isFirst),
      );
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    });

    test('changes that are made to the row as it is now all count', async () => {
      const row = createTurn('M');
      await store.insert(row);
      const people = Array.from({ length: 20 }, (_, index) => `U${index}`);
      const tries = people.map((by, index) =>
        (index % 2 ? store : other).update(row.id, ({ remarks }) => ({
          remarks: { ...remarks, [by]: 'Too long.' },
        })),
      );
      expect(await Promise.all(tries)).not.toContain(undefined);
      const { remarks = {} } = (await store.get(row.id)) ?? {};
      expect(new Set(Object.keys(remarks))).toEqual(new Set(people));
    });

    test('a change can take a field away', async () => {
      const row = toReceivedRow({ ...channel, id: 'M' }, { text: 'Hello' });
      await store.insert(row);
      await store.update(row.id, { state: 'handled', event: undefined });
      expect(await store.get(row.id)).not.toHaveProperty('event');
    });

    test('the rows of a deleted workspace are forgotten', async () => {
      const row = toReceivedRow({ ...channel, id: 'M' });
      await store.insert(row);
      await other.deleteIn(channel);
      expect(await store.get(row.id)).toBeUndefined();
      expect(await store.insert(row)).toBe(true);
    });

    test('the rows that name somebody are found in order of arrival, also among many', async () => {
      const said = (id: string, by: string) => toReceivedRow({ ...channel, id }, { by });
      for (let at = 0; at < 210; at += 1)
        await store.insert(said(`${at}`, at % 70 ? 'b' : 'a%_\\'));
      await store.insert(said('last', 'Cleo'));
      await store.update(said('last', 'Cleo').id, { state: 'handled' });
      const ids = async (...words: string[]) =>
        (await other.naming(words.map((word) => JSON.stringify(word)))).map((row) => row.messageId);
      expect(await ids('a%_\\')).toEqual(['0', '70', '140']);
      expect(await ids('Cleo', 'a%_\\')).toEqual(['0', '70', '140', 'last']);
      expect(await ids('nobody')).toEqual([]);
    });

    test('what has not ended is found in order of arrival', async () => {
      const rows = turnStates.map((state, index) => createTurn(`${9 - index}`, state));
      for (const row of rows) await store.insert(row);
      const unfinished = rows.filter(({ state }) => state !== 'ended' && state !== 'handled');
      expect(await other.claimDue(Date.now())).toEqual({ rows: unfinished, unreadable: [] });
      expect(await other.backlog()).toEqual(
        unfinished
          .map(({ state, createdAt }) => ({ state, open: 1, oldest: createdAt }))
          .toSorted((one, two) => (one.state < two.state ? -1 : 1)),
      );
    });

    test.each([
      ['accepted', true],
      ['ended', true],
      ['handled', false],
      ['received', false],
    ] as const)('a thread whose question is %s', async (state, isOurs) => {
      const { address, query, ...received } = createTurn('M', state);
      await store.insert(state === 'received' ? received : { ...received, address, query });
      expect(await other.hasTurnIn(thread)).toBe(isOurs);
      expect(await other.hasTurnIn({ ...thread, thread: 'T2' })).toBe(false);
    });

    test('what was received in a thread is given in order of arrival, as long as nothing was done', async () => {
      const inThread = (id: string) => ({ ...createTurn(id, 'received'), thread: 'T' });
      const ahead = Date.now() + dayMs;
      const rows = [
        inThread('3'),
        // By a process whose clock is ahead.
        { ...inThread('1'), createdAt: ahead, dueAt: ahead },
        inThread('2'),
      ];
      const [first, second, third] = rows.map((row) => row.id);
      const elsewhere = { ...createTurn('4', 'received'), thread: 'T2' };
      const later = { ...inThread('5'), dueAt: ahead };
      for (const row of [...rows, elsewhere, later]) await store.insert(row);
      const lane = laneOf(inThread('1'));
      const ids = async () => (await other.receivedIn(lane, Date.now())).map(({ id }) => id);
      expect(await ids()).toEqual([first, second, third]);
      await store.update(first ?? '', { state: 'handled' });
      expect(await ids()).toEqual([second, third]);
    });

    test('what is done is kept for thirty days, what is not for ever', async () => {
      const ended = createTurn('1', 'ended');
      const open = createTurn('2', 'asking');
      for (const row of [ended, open]) await store.insert(row);
      await backing.advance(29 * dayMs);
      expect(await store.get(ended.id)).toEqual(ended);
      await backing.advance(2 * dayMs);
      expect(await store.get(ended.id)).toBeUndefined();
      expect(await store.get(open.id)).toEqual(open);
    });

    test.each(['null', '{"id":', '{}', '{"id":"x","state":"unheard of"}'])(
      'a row of %s is set aside, and the others are found',
      async (value) => {
        const [good, bad] = [createTurn('1'), createTurn('2')];
        for (const row of [bad, good]) await store.insert(row);
        await backing.spoil(bad.id, value);
        expect(await store.get(bad.id)).toBeUndefined();
        expect(await store.update(bad.id, { state: 'ended' })).toBeUndefined();
        expect(await store.claimDue(Date.now())).toEqual({ rows: [good], unreadable: [bad.id] });
        expect(await other.claimDue(Date.now())).toEqual({ rows: [good], unreadable: [] });
        expect(await store.insert(bad)).toBe(false);
      },
    );
  });
}
