import { randomUUID } from 'node:crypto';
import type { Log } from '../../shared/primitives/log.ts';
import { monotonicMs, sleep } from '../../shared/primitives/time.ts';
import type { Workspace } from '../conversation/address.ts';
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
/** When processes say that they are alive. */
export interface LeaseTimes {
  beatMs: number;
  /** One that was silent for so long is taken for dead. */
  ttlMs: number;
  /** No request to a platform begins so shortly before that. */
  marginMs: number;
}

const usualTimes: LeaseTimes = { beatMs: 1_000, ttlMs: 4_000, marginMs: 1_000 };

/** The leases of a process that shares its store. Disposing gives them away. */
export interface LeaseKeeper extends Leases, AsyncDisposable {
  /** The scopes that this process holds. */
  held(): string[];
  /** Says which scope a workspace of a platform belongs to; by default each is one. */
  divide(platform: string, scopeOf: (workspace: string) => string | undefined): void;
  /** Makes scopes known that nothing has happened in yet. */
  add(scopes: readonly string[]): void;
  /** Tells whenever the scopes that this process holds have changed. */
  onChange(listener: () => void): void;
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
  const changed: (() => void)[] = [];
  let id = randomUUID();
  let alive: string[] = [id];
  let held = new Map<string, Held>();
  /** Scopes that the store may not know yet. */
  const unknown = new Set<string>();
  const known = new Set<string>();
  /** By `monotonicMs`. */
  let validUntilMs = 0;
  let wake = Promise.withResolvers<void>();

  function createHeld(fence: Fence): Held {
    const losing = new AbortController();
    return {
      fence,
      losing,
      lost: losing.signal,
      get isValid() {
        return !losing.signal.aborted && monotonicMs() < validUntilMs;
      },
    };
  }

  /** Makes what the store says so here. */
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

  async function beat(): Promise<void> {
    const since = monotonicMs();
    const added = [...unknown];
    const { wasAlive, scopes, ...found } = await store.beat(id, ttlMs, added);
    for (const scope of added) known.add(scope);
    for (const scope of added) unknown.delete(scope);
    if (!wasAlive && held.size > 0) {
      log.warn({ scopes: held.size }, 'others took this process for dead: it begins anew');
      hold([]);
      id = randomUUID();
      return beat();
    }
    alive = found.alive;
    validUntilMs = since + ttlMs - marginMs;
    const share = Math.ceil(scopes / Math.max(1, alive.length));
    const missing = share - found.held.length;
    const taken = missing > 0 ? await store.take(id, missing) : [];
    const extra = taken.length > 0 ? [] : await giveExtra(found.held, -missing);
    const kept = found.held.filter(({ scope }) => !extra.includes(scope));
    const { isNew, isLess } = hold([...kept, ...taken]);
    if (isNew || isLess) log.info({ scopes: held.size, processes: alive.length }, 'leases changed');
    if (isNew) for (const { taken } of listeners) taken();
    if (isNew || isLess) for (const listener of changed) listener();
  }

  /** Gives away what is more than its share, as long as nothing is being done there. */
  async function giveExtra(fences: readonly Fence[], count: number): Promise<string[]> {
    if (count <= 0) return [];
    const idle = fences.filter(({ scope }) => listeners.every(({ isIdle }) => isIdle(scope)));
    const scopes = idle.slice(0, count).map(({ scope }) => scope);
    if (scopes.length === 0) return [];
    await store.giveAway(id, scopes);
    notifications.send(freed);
    return scopes;
  }

  async function repeat(): Promise<void> {
    while (!closing.signal.aborted) {
      const awake = wake.promise;
      await Promise.race([sleep(beatMs, closing.signal).catch(() => {}), awake]);
      wake = Promise.withResolvers();
      if (closing.signal.aborted) return;
      try {
        await beat();
      } catch (error) {
        log.warn({ err: error }, 'this process could not say that it is alive: it will repeat it');
      }
    }
  }

  function scopeOf({ platform, workspace }: Workspace): string | undefined {
    const divide = divisions.get(platform);
    return divide ? divide(workspace) : `${platform}:${workspace}`;
  }

  function add(scopes: readonly string[]): void {
    const added = scopes.filter((scope) => !known.has(scope) && !unknown.has(scope));
    for (const scope of added) unknown.add(scope);
    if (added.length > 0) wake.resolve();
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
  await beat();
  const repeated = repeat();
  return {
    get process() {
      return id;
    },
    get count() {
      return alive.length;
    },
    isAlive: (process) => process === id || alive.includes(process),
    leaseOf(place) {
      const scope = scopeOf(place);
      if (scope === undefined) return undefined;
      const lease = held.get(scope);
      if (!lease) add([scope]);
      return lease;
    },
    hand: (row) => notifications.send(`${handed}${row}`),
    listen: (listener) => void listeners.push(listener),
    held: () => [...held.keys()],
    divide: (platform, of) => void divisions.set(platform, of),
    add,
    onChange: (listener) => void changed.push(listener),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await repeated;
      try {
        await store.leave(id);
        notifications.send(freed);
      } catch (error) {
        log.warn({ err: error }, 'leases could not be given away: they end by themselves');
      }
    },
  };
}
