import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPacer, type Urgency } from '../../src/conversation/pacer.ts';
import type { WriteBudget } from '../../src/conversation/ports.ts';

const discord: WriteBudget = { key: 'discord', writes: 5, windowMs: 5000 };
const slack: WriteBudget = { key: 'slack', writes: 50, windowMs: 60_000 };

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

  it('spreads the interim writes of a short window evenly, and keeps one back for the end', async () => {
    const { ask, given, pacer } = observe(discord);
    using _ = pacer.join(discord);
    for (let write = 1; write <= 4; write += 1) void ask(`w${write}`, 'interim');
    await vi.advanceTimersByTimeAsync(3800);
    await ask('end', 'final');
    expect(given).toEqual(['w1 at 0', 'w2 at 1.25', 'w3 at 2.5', 'w4 at 3.75', 'end at 3.8']);
  });

  it('spends a long window generously at first, then sparingly, and never runs dry', async () => {
    const { pacer } = observe(slack);
    using _ = pacer.join(slack);
    const times: number[] = [];
    const start = Date.now();
    const stop = new AbortController();
    const writer = (async () => {
      for (;;) {
        await pacer.permit(slack, { urgency: 'interim', since: 0, signal: stop.signal });
        times.push(Date.now() - start);
      }
    })().catch(() => {});
    await vi.advanceTimersByTimeAsync(60_000);
    stop.abort();
    await writer;
    const within = (ms: number) => times.filter((time) => time <= ms).length;
    expect(within(8000)).toBeGreaterThan(14);
    expect(within(60_000)).toBeLessThan(50);
    expect(within(60_000)).toBeGreaterThan(within(30_000));
  });

  it('puts first writes before final ones, and those before the stalest reply', async () => {
    const { ask, given, pacer } = observe(discord);
    pacer.refused(discord, 1000);
    void ask('fresh', 'interim', 20);
    void ask('stale', 'interim', 10);
    void ask('end', 'final');
    void ask('first', 'first');
    await vi.advanceTimersByTimeAsync(5000);
    expect(given.map((each) => each.split(' ')[0])).toEqual(['first', 'end', 'stale', 'fresh']);
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

  it('shares a budget fairly between a long reply and short ones', async () => {
    const { pacer } = observe(discord);
    const writes = new Map<string, number>();
    const stop = new AbortController();
    const replies = ['long', 'a', 'b'].map(async (name) => {
      using _ = pacer.join(discord);
      for (;;) {
        const since = Date.now();
        await pacer.permit(discord, { urgency: 'interim', since, signal: stop.signal });
        writes.set(name, (writes.get(name) ?? 0) + 1);
      }
    });
    await vi.advanceTimersByTimeAsync(60_000);
    stop.abort();
    await Promise.allSettled(replies);
    const counts = [...writes.values()];
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });
});
