import { AsyncLocalStorage } from 'node:async_hooks';
import type { Workspace } from './address.ts';

/** What this process may work on, where several share a store. */
export interface Leases {
  /** The id of this process among them; undefined if it is alone. */
  readonly process: string | undefined;
  /** How many processes are alive, with this one. */
  readonly count: number;
  /** Whether a process is alive, as far as is known. */
  isAlive(process: string): boolean;
  /** The lease of what happens in a workspace; undefined if another process has it, or none yet. */
  leaseOf(place: Workspace): Lease | undefined;
  /** The lease of a scope; undefined if another process has it, or none yet. */
  leaseIn(scope: string): Lease | undefined;
  /** Says which scope a workspace of a platform belongs to; by default each is one. */
  divide(platform: string, scopeOf: (workspace: string) => string | undefined): void;
  /**
   * Gives a platform scopes in place of those that it had; while processes hold some of these, they
   * stay unless `isRequired`. Resolves with those that the platform has, once this process has its share.
   * @throws {Error} when the store is down
   */
  settle(platform: string, scopes: readonly string[], isRequired: boolean): Promise<string[]>;
  /** Tells which scopes this process holds whenever they have changed. */
  onChange(listener: (held: readonly string[]) => void): void;
  /** Has the process that holds a row's lease work on it. Never rejects. */
  hand(row: string): void;
  /** What the scheduler is told. */
  listen(listener: LeaseListener): void;
}

export interface LeaseListener {
  /** Another process hands over a row, which may be anybody's. */
  handed(row: string): void;
  /** There are new leases, so that what is due in them is this process's now. */
  taken(): void;
  /** Whether nothing is being worked on in a scope. */
  isIdle(scope: string): boolean;
}

/** The right to work on all that happens in one place. */
export interface Lease {
  /** Where its epoch is stored; undefined if no other process can take it. */
  readonly fence: Fence | undefined;
  /** Whether a write that begins now reaches the platform before another process takes over. */
  readonly isValid: boolean;
  /** Aborted when a write under way has to end, so that it does not arrive after that. */
  readonly ended: AbortSignal;
  /** Aborted with a LostLeaseError once another process may have it. */
  readonly lost: AbortSignal;
}

/** What each write of the lease's work is checked against. */
export interface Fence {
  scope: string;
  epoch: number;
}

/** Another process works on this now: what was begun here is left to it. */
export class LostLeaseError extends Error {
  override readonly name = 'LostLeaseError';

  constructor(scope: string) {
    super(`Another process works on ${scope} now.`);
  }
}

/** Whether a call to a platform was not made, or ended early, because the lease was lost. */
export function isLostLease(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Slack's client has what ended a request in `original`.
  const original = 'original' in error && error.original;
  return error instanceof LostLeaseError || isLostLease(error.cause ?? original);
}

const never = new AbortController().signal;
const sole: Lease = { fence: undefined, isValid: true, ended: never, lost: never };

/** The leases of a process that does not share its store. */
export const allLeases: Leases = {
  process: undefined,
  count: 1,
  isAlive: () => false,
  leaseOf: () => sole,
  leaseIn: () => sole,
  divide() {},
  settle: async (_, scopes) => [...scopes],
  onChange() {},
  hand() {},
  listen() {},
};

const current = new AsyncLocalStorage<Lease>();

/** Runs work that only the holder of a lease may do: its writes fail when the lease is lost. */
export function withLease<Result>(lease: Lease, work: () => Promise<Result>): Promise<Result> {
  return lease.fence ? current.run(lease, work) : work();
}

/** Aborted once another process may do what is being done here; undefined outside of `withLease`. */
export function lostSignal(): AbortSignal | undefined {
  return current.getStore()?.lost;
}

/** What writes are checked against in the store; undefined outside of `withLease`. */
export function currentFence(): Fence | undefined {
  return current.getStore()?.fence;
}

/**
 * Checks a request that is about to be sent to a platform. Returns what ends it: its own signal, or the
 * end of the lease.
 * @throws {LostLeaseError} when another process may have taken over what it is about
 */
export function underLease(own: AbortSignal | null | undefined): AbortSignal | undefined {
  const lease = current.getStore();
  if (!lease?.fence) return own ?? undefined;
  if (!lease.isValid) throw new LostLeaseError(lease.fence.scope);
  return own ? AbortSignal.any([own, lease.ended]) : lease.ended;
}
