import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Urgency } from '../../../../src/bridge/conversation/reply/ledger.ts';
import {
  createPacer,
  type Pacer,
  type Permit,
} from '../../../../src/bridge/conversation/reply/pacer.ts';
import type { WriteBudget } from '../../../../src/bridge/conversation/thread.ts';

const discord: WriteBudget = { key: 'discord', writes: 5, windowMs: 5000 };
const slack: WriteBudget = { key: 'slack', writes: 50, windowMs: 60_000 };

/** The platform responds at once. */
const release = (permit: Permit | undefined) => permit?.[Symbol.dispose]();

describe('createPacer', () => {
  beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => vi.useRealTimers());

  /** Asks for permits and notes when each was given, in seconds from the start. */
  function observe(budget: WriteBudget, pacer = createPacer()) {
    const start = Date.now();
    const given: string[] = [];
    const ask = (name: string, urgency: Urgency, since = 0, signal?: AbortSignal) =>
      pacer
        .permit(budget, { urgency, since, signal })
        .then(release)
        .then(() => given.push(`${name} at ${(Date.now() - start) / 1000}`));
    return { given, ask, pacer };
  }

  it('gives the first write at once', async () => {
    const { ask, given } = observe(discord);
    await ask('first', 'first');
    expect(given).toEqual(['first at 0']);
  });

  it('never lets a budget be overdrawn', async () => {
    const { ask, given } = observe(discord);
    for (let write = 1; write <= 11; write += 1) void ask(`w${write}`, 'final');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(given.slice(0, 5).every((each) => each.endsWith('at 0'))).toBe(true);
    expect(given.slice(5, 10).every((each) => each.endsWith('at 5'))).toBe(true);
    expect(given[10]).toBe('w11 at 10');
  });

  it('counts a write from its response, because it may have arrived just before', async () => {
    const { ask, given, pacer } = observe(discord);
    const request = { urgency: 'final', since: 0 } as const;
    const slow = await pacer.permit(discord, request);
    const slower = await pacer.permit(discord, request);
    for (let write = 1; write <= 6; write += 1) void ask(`w${write}`, 'final');
    await vi.advanceTimersByTimeAsync(2_000);
    release(slow);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(given.slice(3)).toEqual(['w4 at 5', 'w5 at 5', 'w6 at 5']);
    void ask('w7', 'final');
    void ask('w8', 'final');
    await vi.advanceTimersByTimeAsync(14_000);
    expect(given.slice(6)).toEqual(['w7 at 7', 'w8 at 10']);
    for (let write = 9; write <= 13; write += 1) void ask(`w${write}`, 'final');
    await vi.advanceTimersByTimeAsync(0);
    release(slower);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(given.slice(11)).toEqual(['w12 at 20', 'w13 at 25']);
  });

  it('spreads the interim writes of a short window evenly, and keeps one back for the end', async () => {
    const { ask, given, pacer } = observe(discord);
    using _ = pacer.join(discord);
    for (let write = 1; write <= 4; write += 1) void ask(`w${write}`, 'interim');
    await vi.advanceTimersByTimeAsync(3800);
    await ask('end', 'final');
    expect(given).toEqual(['w1 at 0', 'w2 at 1.25', 'w3 at 2.5', 'w4 at 3.75', 'end at 3.8']);
  });

  /** Asks for one interim write after the other, as a reply that streams does, and notes when. */
  async function stream(pacer: Pacer, budget: WriteBudget, signal: AbortSignal): Promise<number[]> {
    using _ = pacer.join(budget);
    const start = Date.now();
    const times: number[] = [];
    const write = () =>
      pacer.permit(budget, { urgency: 'interim', since: Date.now(), signal }).then(release);
    try {
      for (;;) {
        await write();
        times.push(Date.now() - start);
      }
    } catch {
      return times;
    }
  }

  const gaps = (times: number[]) => times.slice(1).map((time, index) => time - (times[index] ?? 0));

  it('spends a long window quickly at first, then evenly, and never stands still', async () => {
    const stop = new AbortController();
    const streaming = stream(createPacer(), slack, stop.signal);
    await vi.advanceTimersByTimeAsync(180_000);
    stop.abort();
    const times = await streaming;
    expect(times.filter((time) => time <= 8000).length).toBeGreaterThanOrEqual(15);
    expect(Math.max(...gaps(times))).toBeLessThan(4500);
    expect(Math.min(...gaps(times))).toBeGreaterThanOrEqual(500);
  });

  it.each([slack, discord])(
    'spreads $key writes further while a crowd of replies streams elsewhere, and not its last ones',
    async (budget) => {
      const pacer = createPacer();
      using elsewhere = new DisposableStack();
      for (let reply = 0; reply < 299; reply += 1) {
        elsewhere.use(pacer.join({ ...budget, key: `elsewhere ${reply}` }));
      }
      const stop = new AbortController();
      const streaming = stream(pacer, budget, stop.signal);
      await vi.advanceTimersByTimeAsync(7_000);
      const { ask, given } = observe(budget, pacer);
      await ask('end', 'final');
      stop.abort();
      expect(gaps(await streaming)).toEqual([2_000, 2_000, 2_000]);
      expect(given).toEqual(['end at 0']);
    },
  );

  it('lets many replies at once spend the most of a long window while most of them last', async () => {
    const pacer = createPacer();
    const stop = new AbortController();
    const replies = Array.from({ length: 10 }, () => stream(pacer, slack, stop.signal));
    await vi.advanceTimersByTimeAsync(8000);
    stop.abort();
    const writes = (await Promise.all(replies)).map((times) => times.length);
    expect(Math.min(...writes)).toBeGreaterThanOrEqual(3);
    expect(writes.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(40);
  });

  it('has the ends of nine replies at hand after a long one has streamed alone', async () => {
    const { ask, given, pacer } = observe(slack);
    const stop = new AbortController();
    void stream(pacer, slack, stop.signal);
    await vi.advanceTimersByTimeAsync(58_000);
    for (let end = 1; end <= 9; end += 1) void ask(`end ${end}`, 'final');
    await vi.advanceTimersByTimeAsync(0);
    stop.abort();
    expect(given).toHaveLength(9);
  });

  it('keeps back as many writes as replies are open, up to four fifths', async () => {
    const { ask, given, pacer } = observe(slack);
    const places = Array.from({ length: 60 }, () => pacer.join(slack));
    for (let write = 1; write <= 30; write += 1) void ask('interim', 'interim');
    await vi.advanceTimersByTimeAsync(59_000);
    expect(given).toHaveLength(10);
    for (const place of places) place[Symbol.dispose]();
  });

  it('grants a write at once after a pause', async () => {
    const { ask, given } = observe(slack);
    for (let write = 1; write <= 5; write += 1) void ask('before', 'interim');
    await vi.advanceTimersByTimeAsync(10_000);
    const before = given.length;
    void ask('after', 'interim');
    await vi.advanceTimersByTimeAsync(0);
    expect(given).toHaveLength(before + 1);
  });

  it('puts final writes before first ones, and those before the stalest reply', async () => {
    const { ask, given, pacer } = observe(discord);
    pacer.refused(discord, 1000);
    void ask('fresh', 'interim', 20);
    void ask('stale', 'interim', 10);
    void ask('end', 'final');
    void ask('first', 'first');
    await vi.advanceTimersByTimeAsync(5000);
    expect(given.map((each) => each.split(' ')[0])).toEqual(['end', 'first', 'stale', 'fresh']);
  });

  it('waits as long as the platform says after a refusal, and holds up no other budget', async () => {
    const pacer = createPacer();
    const refused = observe(discord, pacer);
    const other = observe(slack, pacer);
    pacer.refused(discord, 2000);
    void refused.ask('w', 'final');
    await other.ask('w', 'final');
    await vi.advanceTimersByTimeAsync(3000);
    expect(other.given).toEqual(['w at 0']);
    expect(refused.given).toEqual(['w at 2']);
  });

  it('waits for a month without asking again, and gives up where that is too long', async () => {
    const { ask, given, pacer } = observe(discord);
    const month = 30 * 24 * 60 * 60;
    pacer.refused(discord, month * 1000);
    expect(pacer.waitMs(discord)).toBe(month * 1000);
    const request = { urgency: 'final', since: 0, maxWaitMs: 60_000 } as const;
    expect(await pacer.permit(discord, request)).toBeUndefined();
    void ask('patient', 'final');
    await vi.advanceTimersByTimeAsync((month - 1) * 1000);
    expect(given).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(given).toEqual([`patient at ${month}`]);
    expect(pacer.waitMs(discord)).toBe(0);
  });

  it('tells those who wait when a refusal comes that is too long for them', async () => {
    const { pacer } = observe(discord);
    for (let write = 0; write < 5; write += 1) {
      await pacer.permit(discord, { urgency: 'final', since: 0 }).then(release);
    }
    const waiting = pacer.permit(discord, { urgency: 'final', since: 0, maxWaitMs: 60_000 });
    pacer.refused(discord, 61_000);
    expect(await waiting).toBeUndefined();
  });

  it('takes an abandoned request out of the line', async () => {
    const { ask, given, pacer } = observe(discord);
    pacer.refused(discord, 1000);
    const abandoned = new AbortController();
    const asked = ask('abandoned', 'interim', 0, abandoned.signal);
    void ask('other', 'interim', 1);
    abandoned.abort(new Error('over'));
    await expect(asked).rejects.toThrow('over');
    await vi.advanceTimersByTimeAsync(1000);
    expect(given).toEqual(['other at 1']);
  });

  describe('with a budget that others share', () => {
    const bot: WriteBudget = { key: 'bot', writes: 10, windowMs: 1000 };
    const channel = (name: string): WriteBudget => ({ ...discord, key: name, within: bot });

    it('overdraws neither, and the most urgent write goes first', async () => {
      const pacer = createPacer();
      const given: string[] = [];
      const start = Date.now();
      const ask = (name: string, urgency: Urgency, since: number) =>
        pacer
          .permit(channel(`c${since % 4}`), { urgency, since })
          .then(release)
          .then(() => given.push(`${name} at ${(Date.now() - start) / 1000}`));
      for (let since = 0; since < 24; since += 1) void ask(`f${since}`, 'first', since);
      void ask('end', 'final', 30);
      await vi.advanceTimersByTimeAsync(900);
      expect(given).toHaveLength(10);
      await vi.advanceTimersByTimeAsync(150);
      expect(given[10]).toBe('end at 1');
      expect(given).toHaveLength(20);
      await vi.advanceTimersByTimeAsync(3_900);
      // Each channel has had its five.
      expect(given).toHaveLength(20);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(given).toHaveLength(25);
    });

    it('lets the others write where one channel is refused, and none where the bot is', async () => {
      const pacer = createPacer();
      pacer.refused(channel('busy'), 3_000);
      const one = observe(channel('busy'), pacer);
      const other = observe(channel('free'), pacer);
      void one.ask('w', 'final');
      await other.ask('w', 'final');
      expect(other.given).toEqual(['w at 0']);
      pacer.refused(bot, 5_000);
      void other.ask('v', 'final');
      await vi.advanceTimersByTimeAsync(4_900);
      expect([one.given, other.given]).toEqual([[], ['w at 0']]);
      await vi.advanceTimersByTimeAsync(200);
      expect([one.given, other.given]).toEqual([['w at 5'], ['w at 0', 'v at 5']]);
    });

    it('counts a write that takes two calls twice', async () => {
      const pacer = createPacer();
      const given: number[] = [];
      for (let write = 0; write < 8; write += 1) {
        const budget = { ...channel(`c${write}`), calls: 2 };
        void pacer.permit(budget, { urgency: 'first', since: write }).then(() => given.push(write));
      }
      await vi.advanceTimersByTimeAsync(0);
      expect(given).toEqual([0, 1, 2, 3, 4]);
    });

    it('counts what all of them write, however long one has waited', async () => {
      const pacer = createPacer();
      await observe(channel('a'), pacer).ask('w', 'final');
      pacer.refused(channel('late'), 3_000);
      const late = observe(channel('late'), pacer);
      void late.ask('w', 'final');
      await vi.advanceTimersByTimeAsync(2_500);
      for (const name of ['b', 'c']) {
        const { ask } = observe(channel(name), pacer);
        for (let write = 0; write < 5; write += 1) void ask('w', 'final');
      }
      await vi.advanceTimersByTimeAsync(2_000);
      expect(late.given).toEqual(['w at 3.5']);
    });

    it('takes an abandoned request out of both lines', async () => {
      const pacer = createPacer();
      pacer.refused(bot, 1_000);
      const abandoned = new AbortController();
      const { ask } = observe(channel('a'), pacer);
      const asked = ask('w', 'final', 0, abandoned.signal);
      abandoned.abort(new Error('over'));
      await expect(asked).rejects.toThrow('over');
      await vi.advanceTimersByTimeAsync(1_000);
      const { ask: askOther, given } = observe(channel('b'), pacer);
      for (let write = 0; write < 5; write += 1) void askOther('w', 'final');
      await vi.advanceTimersByTimeAsync(0);
      expect(given).toHaveLength(5);
    });
  });

  it('has room for a reply while it and all others have two writes', async () => {
    const pacer = createPacer();
    using open = new DisposableStack();
    let joined = 0;
    for (; pacer.hasRoom(slack, 2); joined += 1) open.use(pacer.join(slack));
    expect(joined).toBe(25);
    open.dispose();
    for (let write = 0; write < 40; write += 1) {
      await pacer.permit(slack, { urgency: 'final', since: 0 }).then(release);
    }
    using more = new DisposableStack();
    for (joined = 0; pacer.hasRoom(slack, 2); joined += 1) more.use(pacer.join(slack));
    expect(joined).toBe(5);
    // A short window is over before the reply is.
    expect(pacer.hasRoom(discord, 2)).toBe(true);
  });

  it('has room where a short window is refused for less than a reply takes', () => {
    const pacer = createPacer();
    pacer.refused(discord, 1_000);
    pacer.refused(slack, 1_000);
    expect([discord, slack].map((budget) => pacer.hasRoom(budget, 2))).toEqual([true, false]);
    pacer.refused(discord, 60_000);
    expect(pacer.hasRoom(discord, 2)).toBe(false);
  });

  it('says how long a last text would wait, and how many go first', async () => {
    const { ask, pacer } = observe(discord);
    expect(pacer.waitMs(discord)).toBe(0);
    for (let write = 0; write < 7; write += 1) void ask('w', 'final', write);
    expect(pacer.waitMs(discord)).toBe(5_000);
    expect(pacer.countAhead(discord, 6)).toBe(1);
    expect(pacer.countAhead(slack, 6)).toBe(0);
  });

  it('shares a budget fairly between a long reply and short ones', async () => {
    const { pacer } = observe(discord);
    const writes = new Map<string, number>();
    const stop = new AbortController();
    const replies = ['long', 'a', 'b'].map(async (name) => {
      using _ = pacer.join(discord);
      for (;;) {
        const since = Date.now();
        await pacer
          .permit(discord, { urgency: 'interim', since, signal: stop.signal })
          .then(release);
        writes.set(name, (writes.get(name) ?? 0) + 1);
      }
    });
    await vi.advanceTimersByTimeAsync(60_000);
    stop.abort();
    await Promise.allSettled(replies);
    const counts = [...writes.values()];
    expect(counts).toHaveLength(3);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });
});
