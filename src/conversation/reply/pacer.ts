import type { WriteBudget } from '../ports.ts';
import { monotonicMs } from '../../primitives/monotonic.ts';
import { maxTimerMs } from '../../primitives/sleep.ts';

/**
 * The urgency of a write, highest first: the first text of a reply; its last, which people wait
 * for; an interim one, which may be skipped because a newer one follows.
 */
export type Urgency = 'first' | 'final' | 'interim';

/**
 * Schedules the writes of all replies, so that together they stay within the platforms' rate
 * limits.
 */
export interface Pacer {
  /**
   * Resolves when one write may be made on the budget. Called for every write: the caller then
   * writes the newest text, so that nothing stale is queued. `since` (ms) is when the oldest text
   * not yet visible arrived: the stalest reply goes first. Resolves with false when the platform
   * blocks the budget for longer than `maxBlockedMs`.
   */
  permit(budget: WriteBudget, request: PermitRequest): Promise<boolean>;
  /** The platform refused a write on this budget: grants none until `retryAfterMs` have passed. */
  refused(budget: WriteBudget, retryAfterMs: number): void;
  /** Milliseconds until the platform accepts writes on the budget again; 0 if it does now. */
  blockedMs(budget: WriteBudget): number;
  /** A reply uses the budget from now on: one write is reserved for its end. */
  join(budget: WriteBudget): Disposable;
}

export interface PermitRequest {
  urgency: Urgency;
  since: number;
  signal?: AbortSignal;
  /** By default, the request waits however long the platform blocks the budget. */
  maxBlockedMs?: number;
}

interface Waiter extends PermitRequest {
  settle(isGranted: boolean): void;
}

interface Ledger {
  budget: WriteBudget;
  /** When the writes in the current window were granted, oldest first. */
  granted: number[];
  lastInterim: number;
  blockedUntil: number;
  /** Replies whose last write is still to come. */
  open: number;
  waiting: Waiter[];
  timer: NodeJS.Timeout | undefined;
}

const order: Record<Urgency, number> = { first: 0, final: 1, interim: 2 };

/** Readers hardly notice edits more frequent than this. */
const shortestGapMs = 500;

/**
 * This many concurrent replies double that interval: they share the process, and writes are its
 * main cost.
 */
const crowd = 500;

/**
 * Most replies end within this time, in which all replies together may use a whole window's writes.
 */
const typicalReplyMs = 8_000;

/** Min share of a budget that is reserved, for replies that start and end at the same time. */
const minReserve = 1 / 5;

/** Max share that is reserved, so that replies still grow visibly. */
const maxReserve = 4 / 5;

export function createPacer(options: { now?: () => number } = {}): Pacer {
  const { now = monotonicMs } = options;
  const ledgers = new Map<string, Ledger>();
  /** Streaming replies on all budgets together. */
  let streaming = 0;

  function ledgerOf(budget: WriteBudget): Ledger {
    const known = ledgers.get(budget.key);
    if (known) {
      // The figure may have changed since.
      known.budget = budget;
      return known;
    }
    const ledger: Ledger = {
      budget,
      granted: [],
      lastInterim: Number.NEGATIVE_INFINITY,
      blockedUntil: 0,
      open: 0,
      waiting: [],
      timer: undefined,
    };
    ledgers.set(budget.key, ledger);
    return ledger;
  }

  function permit(budget: WriteBudget, request: PermitRequest): Promise<boolean> {
    const { signal } = request;
    signal?.throwIfAborted();
    const ledger = ledgerOf(budget);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { ...request, settle };
      signal?.addEventListener('abort', giveUp, { once: true });
      ledger.waiting.push(waiter);
      serve(ledger);

      function settle(isGranted: boolean): void {
        signal?.removeEventListener('abort', giveUp);
        resolve(isGranted);
      }
      function giveUp(): void {
        ledger.waiting = ledger.waiting.filter((each) => each !== waiter);
        reject(signal?.reason);
        serve(ledger);
      }
    });
  }

  function serve(ledger: Ledger): void {
    clearTimeout(ledger.timer);
    ledger.timer = undefined;
    refuseImpatient(ledger);
    ledger.waiting.sort((a, b) => order[a.urgency] - order[b.urgency] || a.since - b.since);
    for (let head = ledger.waiting[0]; head; head = ledger.waiting[0]) {
      const wait = timeUntilFree(ledger, head.urgency, now(), streaming) - now();
      if (wait > 0) {
        ledger.timer = setTimeout(() => serve(ledger), Math.min(wait, maxTimerMs));
        return;
      }
      ledger.waiting.shift();
      ledger.granted.push(now());
      if (head.urgency === 'interim') ledger.lastInterim = now();
      head.settle(true);
    }
    if (ledger.open === 0) forgetWhenSpent(ledger);
  }

  function refuseImpatient(ledger: Ledger): void {
    const blockedMs = ledger.blockedUntil - now();
    if (blockedMs <= 0) return;
    const { yes = [], no = [] } = Object.groupBy(ledger.waiting, ({ maxBlockedMs = Infinity }) =>
      blockedMs > maxBlockedMs ? 'yes' : 'no',
    );
    ledger.waiting = no;
    for (const waiter of yes) waiter.settle(false);
  }

  /** Drops a ledger once its writes no longer count, so that ended threads take no memory. */
  function forgetWhenSpent(ledger: Ledger): void {
    const end = Math.max(
      ledger.blockedUntil,
      (ledger.granted.at(-1) ?? -Infinity) + ledger.budget.windowMs,
    );
    const wait = Math.max(0, end - now());
    ledger.timer = setTimeout(
      () => {
        if (ledger.open > 0 || ledger.waiting.length > 0) return;
        if (wait > maxTimerMs) forgetWhenSpent(ledger);
        else ledgers.delete(ledger.budget.key);
      },
      Math.min(wait, maxTimerMs),
    );
    ledger.timer.unref();
  }

  function refused(budget: WriteBudget, retryAfterMs: number): void {
    const ledger = ledgerOf(budget);
    ledger.blockedUntil = Math.max(ledger.blockedUntil, now() + retryAfterMs);
    serve(ledger);
  }

  function join(budget: WriteBudget): Disposable {
    const ledger = ledgerOf(budget);
    ledger.open += 1;
    streaming += 1;
    let left = false;
    return {
      [Symbol.dispose]() {
        if (left) return;
        left = true;
        ledger.open -= 1;
        streaming -= 1;
        serve(ledger);
      },
    };
  }

  function blockedMs({ key }: WriteBudget): number {
    return Math.max(0, (ledgers.get(key)?.blockedUntil ?? 0) - now());
  }

  return { permit, refused, blockedMs, join };
}

/** The earliest time (ms) at which a write of this urgency may be made. */
function timeUntilFree(ledger: Ledger, urgency: Urgency, now: number, streaming: number): number {
  const { writes, windowMs } = ledger.budget;
  ledger.granted = ledger.granted.filter((time) => time > now - windowMs);
  const used = ledger.granted.length;
  const usable = urgency === 'interim' ? writes - reserved(ledger) : writes;
  const nthOldest = ledger.granted[used - usable];
  const windowFree = nthOldest === undefined ? now : nthOldest + windowMs;
  const free = Math.max(ledger.blockedUntil, windowFree);
  if (urgency !== 'interim') return free;
  return Math.max(free, ledger.lastInterim + interimGap(ledger, usable, streaming));
}

/** How many writes are reserved for the ends of replies. */
function reserved({ budget, open }: Ledger): number {
  const { writes } = budget;
  const wanted = Math.max(open, writes * minReserve);
  return Math.floor(Math.min(wanted, writes * maxReserve));
}

/**
 * Milliseconds between interim writes on a budget, given the number of streaming replies. A short
 * window's writes are spread evenly. A long window starts with writes as frequent as readers
 * notice, because most replies end long before the window does; the more writes are used, the more
 * evenly the rest is spread until the first ones expire. The more replies share the budget, the
 * later that starts.
 */
function interimGap(
  { budget, granted, lastInterim, open }: Ledger,
  usable: number,
  streaming: number,
): number {
  const { windowMs } = budget;
  if (windowMs <= typicalReplyMs) return windowMs / usable;
  const replies = Math.max(1, open);
  const unnoticed = shortestGapMs * (1 + streaming / crowd);
  const fastest = Math.max(unnoticed / replies, typicalReplyMs / usable);
  const [oldest = Infinity] = granted;
  if (lastInterim < oldest) return fastest;
  const used = granted.length;
  const evenly = (oldest + windowMs - lastInterim) / Math.max(1, usable - used);
  return Math.max(fastest, evenly * Math.min(1, used / usable) ** replies);
}
