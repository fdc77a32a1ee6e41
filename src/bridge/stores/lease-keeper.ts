import { randomUUID } from 'node:crypto';
import type { Log } from '../../shared/primitives/log.ts';
import { monotonicMs, sleep } from '../../shared/primitives/time.ts';
import {
  type Fence,
  type Lease,
  type LeaseListener,
  type Leases,
  LostLeaseError,
} from '../conversation/leases.ts';
import type { Notifications } from '../../shared/stores/notifications.ts';
import type { LeaseStore } from './lease-store.ts';

/** What processes say to each other. */
const freed = 'free';
const handed = 'row ';
/** How often processes report that they are alive. */
export interface LeaseTimes {
  beatMs: number;
  /** A process that was silent for this long counts as dead. */
  ttlMs: number;
  /** No request to a platform begins this shortly before that. */
  marginMs: number;
}

/** So that it has surely ended by then. */
const afterEndMs = 10;

const usualTimes: LeaseTimes = { beatMs: 1_000, ttlMs: 4_000, marginMs: 1_000 };

/** The leases of a process that shares its store. Disposing gives them away. */
export interface LeaseKeeper extends Leases, AsyncDisposable {
  /** The scopes that this process holds. */
  held(): string[];
}

interface Held extends Lease {
  fence: Fence;
  losing: AbortController;
}

/** Resolves once it has said for the first time that it is alive. */
export async function createLeaseKeeper(
  store: LeaseStore,
  options: { notifications: Notifications; log: Log; times?: LeaseTimes },
): Promise<LeaseKeeper> {
  const { notifications, log, times = usualTimes } = options;
  const { beatMs, ttlMs, marginMs } = times;
  const closing = new AbortController();
  const divisions = new Map<string, (workspace: string) => string | undefined>();
  const listeners: LeaseListener[] = [];
  const changed: ((held: readonly string[]) => void)[] = [];
  let id = randomUUID();
  let alive: string[] = [id];
  let held = new Map<string, Held>();
  /** Scopes that the store may not know yet. */
  const unknown = new Set<string>();
  const known = new Set<string>();
  /** By `monotonicMs`. */
  let validUntilMs = 0;
  /** Aborted then, unless that is put off before. */
  let ending = new AbortController();
  let endTimer: NodeJS.Timeout | undefined;
  let wake = Promise.withResolvers<void>();
  let nextBeatMs = beatMs;
  let lastBeatMs = monotonicMs();
  let judgesFromMs = 0;
  let last = Promise.resolve();

  function createHeld(fence: Fence): Held {
    const losing = new AbortController();
    return {
      fence,
      losing,
      lost: losing.signal,
      get ended() {
        return AbortSignal.any([ending.signal, losing.signal]);
      },
      get isValid() {
        return !losing.signal.aborted && monotonicMs() < validUntilMs;
      },
    };
  }

  /** Applies to this process what the store says. */
  function hold(fences: readonly Fence[]): { isNew: boolean; isLess: boolean } {
    const next = new Map<string, Held>();
    for (const fence of fences) {
      const before = held.get(fence.scope);
      const isSame = before?.fence.epoch === fence.epoch;
      next.set(fence.scope, isSame ? before : createHeld(fence));
    }
    const lost = [...held.values()].filter((each) => next.get(each.fence.scope) !== each);
    const isNew = [...next.values()].some((each) => held.get(each.fence.scope) !== each);
    held = next;
    for (const { fence, losing } of lost) losing.abort(new LostLeaseError(fence.scope));
    return { isNew, isLess: lost.length > 0 };
  }

  /** Beats follow one another. */
  function beatInTurn(): Promise<void> {
    const next = last.then(() => beat());
    last = next.catch(() => {});
    return next;
  }

  /** @param before what it held until it was taken for dead: others come back for theirs as well */
  async function beat(before: readonly string[] = []): Promise<void> {
    const since = monotonicMs();
    const added = [...unknown];
    nextBeatMs = beatMs;
    // A process that was silent for long can't judge the others: all of them may have been cut off.
    if (since - lastBeatMs > ttlMs / 2) judgesFromMs = since + ttlMs;
    const mayJudge = since >= judgesFromMs;
    const { wasAlive, scopes, ...found } = await store.beat(id, ttlMs, { scopes: added, mayJudge });
    lastBeatMs = since;
    for (const scope of added) known.add(scope);
    for (const scope of added) unknown.delete(scope);
    if (!wasAlive) return beatAnew();
    alive = found.alive;
    // A process that dies is noticed at once, not only at the next beat.
    nextBeatMs = Math.min(beatMs, Math.max(0, found.endsInMs) + afterEndMs);
    remainValid(since + ttlMs - marginMs);
    const share = Math.ceil(scopes / Math.max(1, alive.length));
    const missing = Math.min(share - found.held.length, before.length || Infinity);
    const taken = missing > 0 ? await store.take(id, missing, before) : [];
    const extra = taken.length > 0 ? [] : findIdle(found.held, -missing);
    const kept = found.held.filter(({ scope }) => !extra.includes(scope));
    const { isNew, isLess } = hold([...kept, ...taken]);
    if (isNew || isLess) log.info({ scopes: held.size, processes: alive.length }, 'leases changed');
    if (isNew) for (const { taken } of listeners) taken();
    if (isNew || isLess) tellChange();
    if (extra.length === 0) return;
    // Only now that nothing is done in them any more.
    await store.giveAway(id, extra);
    notifications.send(freed);
  }

  function remainValid(untilMs: number): void {
    validUntilMs = untilMs;
    clearTimeout(endTimer);
    if (ending.signal.aborted) ending = new AbortController();
    const end = () => ending.abort(new LostLeaseError('what this one worked on'));
    endTimer = setTimeout(end, untilMs - monotonicMs());
  }

  /** Leases that are held again by then were never lost. */
  async function beatAnew(): Promise<void> {
    log.warn({ scopes: held.size }, 'other processes considered this one dead: it starts over');
    const before = [...held.keys()];
    hold([]);
    id = randomUUID();
    try {
      await store.enter(id, ttlMs);
      await beat(before);
    } finally {
      tellChange();
    }
  }

  function tellChange(): void {
    const scopes = [...held.keys()];
    for (const listener of changed) listener(scopes);
  }

  /** The scopes beyond its share in which nothing is being done. */
  function findIdle(fences: readonly Fence[], count: number): string[] {
    if (count <= 0) return [];
    const idle = fences.filter(({ scope }) => listeners.every(({ isIdle }) => isIdle(scope)));
    return idle.slice(0, count).map(({ scope }) => scope);
  }

  async function repeat(): Promise<void> {
    while (!closing.signal.aborted) {
      const awake = wake.promise;
      await Promise.race([sleep(nextBeatMs, closing.signal).catch(() => {}), awake]);
      wake = Promise.withResolvers();
      if (closing.signal.aborted) return;
      try {
        await beatInTurn();
      } catch (error) {
        log.warn({ err: error }, 'this process could not report that it is alive: trying again');
      }
    }
  }

  function add(scope: string): void {
    if (known.has(scope) || unknown.has(scope)) return;
    unknown.add(scope);
    wake.resolve();
  }

  notifications.listen((word) => {
    if (word === undefined || word === freed) wake.resolve();
    const row = word?.startsWith(handed) ? word.slice(handed.length) : undefined;
    for (const listener of listeners) {
      if (row !== undefined) listener.handed(row);
      // Some rows may have been handed over in vain.
      else if (word === undefined) listener.taken();
    }
  });
  await store.enter(id, ttlMs);
  await beatInTurn();
  const repeated = repeat();
  return {
    get process() {
      return id;
    },
    get count() {
      return alive.length;
    },
    isAlive: (process) => process === id || alive.includes(process),
    leaseOf({ platform, workspace }) {
      const divide = divisions.get(platform);
      if (divide) return held.get(divide(workspace) ?? '');
      const scope = `${platform}:${workspace}`;
      const lease = held.get(scope);
      if (!lease) add(scope);
      return lease;
    },
    leaseIn: (scope) => held.get(scope),
    divide: (platform, of) => void divisions.set(platform, of),
    async settle(platform, scopes, isRequired) {
      const settled = await store.settle(platform, scopes, isRequired);
      await beatInTurn();
      return settled;
    },
    onChange: (listener) => void changed.push(listener),
    hand: (row) => notifications.send(`${handed}${row}`),
    listen: (listener) => void listeners.push(listener),
    held: () => [...held.keys()],
    async [Symbol.asyncDispose]() {
      closing.abort();
      await repeated;
      clearTimeout(endTimer);
      // What may still run here writes nothing once others have them.
      hold([]);
      try {
        await store.leave(id);
        notifications.send(freed);
      } catch (error) {
        log.warn({ err: error }, 'leases could not be given away: they will expire');
      }
    },
  };
}
