import type { Log } from '../../../shared/primitives/log.ts';
import type { PlatformError } from '../errors.ts';
import type { WriteBudget } from '../thread.ts';
import { maxTimerMs, monotonicMs } from '../../../shared/primitives/time.ts';
import {
  accept,
  createLedger,
  grant,
  hasRoom,
  type Ledger,
  refuse,
  respond,
  spentUntil,
  timeUntilFree,
  type Urgency,
} from './ledger.ts';

/**
 * Schedules the writes of all replies, so that together they stay within the platforms' rate
 * limits. docs/pacing.md has the rules.
 */
export interface Pacer {
  /**
   * Resolves when one write may be made on the budget, and on those it is within. Called for every
   * write: the caller then writes the newest text, so that nothing stale is queued. Of equally
   * urgent writes, the one with the lowest `since` (ms) goes first. Resolves with undefined where it
   * would have to wait for longer than `maxWaitMs`.
   */
  permit(budget: WriteBudget, request: PermitRequest): Promise<Permit | undefined>;
  /** The platform accepted a write on this budget: refusals in a row have come to an end. */
  accepted(budget: WriteBudget): void;
  /**
   * The platform refused a write on this budget: grants none until `retryAfterMs` have passed, and
   * with each refusal in a row twice as long, up to five minutes.
   */
  refused(budget: WriteBudget, retryAfterMs: number, cause?: PlatformError): void;
  /** Milliseconds until a last text could be written on the budget; 0 if it can now. */
  waitMs(budget: WriteBudget): number;
  /** How many replies wait on the budget to show their first text before one that waits since then. */
  countAhead(budget: WriteBudget, since: number): number;
  /** A reply uses the budget from now on: one write is reserved for its end. */
  join(budget: WriteBudget): Disposable;
  /** Whether the budget has `each` writes for one more reply, and for all that use it already. */
  hasRoom(budget: WriteBudget, each: number): boolean;
}

interface PermitRequest {
  urgency: Urgency;
  since: number;
  signal?: AbortSignal;
  /** By default, the request waits however long it takes. */
  maxWaitMs?: number;
}

/** Permission for one write. Dispose of it when the platform has responded, or if nothing is written. */
export type Permit = Disposable;

interface Waiter extends PermitRequest {
  calls: number;
  settle(isGranted: boolean): void;
}

/** A budget with those that wait for it. The budgets of a platform form a tree. */
interface Desk {
  ledger: Ledger;
  within: Desk | undefined;
  /** Desks within this one: it is kept for as long as they are. */
  inner: number;
  waiting: Waiter[];
  /** Stands in the line of `within` for the first in the own line. */
  deputy: Waiter | undefined;
  timer: NodeJS.Timeout | undefined;
}

const order: Record<Urgency, number> = { final: 0, first: 1, opening: 2, interim: 3, further: 3 };

function byUrgency(a: Waiter, b: Waiter): number {
  return order[a.urgency] - order[b.urgency] || a.since - b.since;
}

/** People notice that nothing is written for so long: the log says why. */
const longWaitMs = 60_000;

export function createPacer({ log }: { log?: Log } = {}): Pacer {
  const desks = new Map<string, Desk>();
  /** Streaming replies on all budgets together. */
  let streaming = 0;

  function deskOf(budget: WriteBudget): Desk {
    const known = desks.get(budget.key);
    if (known) {
      // The figure may have changed since.
      known.ledger.budget = budget;
      return known;
    }
    const within = budget.within && deskOf(budget.within);
    if (within) within.inner += 1;
    const desk: Desk = {
      ledger: createLedger(budget),
      within,
      inner: 0,
      waiting: [],
      deputy: undefined,
      timer: undefined,
    };
    desks.set(budget.key, desk);
    return desk;
  }

  function permit(budget: WriteBudget, request: PermitRequest): Promise<Permit | undefined> {
    const { signal } = request;
    signal?.throwIfAborted();
    const desk = deskOf(budget);
    return new Promise((resolve, reject) => {
      const calls = budget.calls ?? 1;
      const waiter: Waiter = { ...request, calls, settle };
      signal?.addEventListener('abort', giveUp, { once: true });
      desk.waiting.push(waiter);
      serve(desk);

      function settle(isGranted: boolean): void {
        signal?.removeEventListener('abort', giveUp);
        resolve(isGranted ? { [Symbol.dispose]: () => release(desk, calls) } : undefined);
      }
      function giveUp(): void {
        leave(desk, waiter);
        reject(signal?.reason);
        serve(desk);
      }
    });
  }

  /** A write is over: what waits can tell now how long. */
  function release(desk: Desk, calls: number): void {
    for (const each of outwards(desk)) {
      respond(each.ledger, calls, monotonicMs());
      if (each.waiting.length > 0) serve(each);
    }
  }

  /** Grants what may be written now, and sets a timer for the rest. */
  function serve(desk: Desk): void {
    clearTimeout(desk.timer);
    if (desk.within && desk.deputy) leave(desk.within, desk.deputy);
    desk.deputy = undefined;
    desk.waiting.sort(byUrgency);
    refuseImpatient(desk);
    for (let head = desk.waiting[0]; head; head = desk.waiting[0]) {
      const wait = freeAt(desk, head.urgency) - monotonicMs();
      if (wait > 0) {
        return setTimer(desk, wait, () => serve(desk));
      }
      if (desk.within) return sendDeputy(desk, desk.within, head);
      settle(desk, head, true);
    }
    if (!isNeeded(desk)) forgetWhenSpent(desk);
  }

  /** The desk is free: its first waiter lines up for the budget that it is within. */
  function sendDeputy(desk: Desk, within: Desk, head: Waiter): void {
    desk.deputy = {
      ...head,
      settle(isGranted) {
        desk.deputy = undefined;
        settle(desk, head, isGranted);
        serve(desk);
      },
    };
    within.waiting.push(desk.deputy);
    serve(within);
  }

  function settle(desk: Desk, waiter: Waiter, isGranted: boolean): void {
    leave(desk, waiter);
    if (isGranted) grant(desk.ledger, waiter.urgency, waiter.calls, monotonicMs());
    waiter.settle(isGranted);
  }

  function leave(desk: Desk, waiter: Waiter): void {
    const index = desk.waiting.indexOf(waiter);
    if (index >= 0) desk.waiting.splice(index, 1);
  }

  function refuseImpatient(desk: Desk): void {
    const impatient = desk.waiting.filter(
      ({ urgency, maxWaitMs = Infinity }, ahead) =>
        maxWaitMs !== Infinity && freeAt(desk, urgency, ahead) - monotonicMs() > maxWaitMs,
    );
    for (const waiter of impatient) settle(desk, waiter, false);
  }

  function freeAt({ ledger }: Desk, urgency: Urgency, ahead = 0): number {
    return timeUntilFree(ledger, urgency, { now: monotonicMs(), ahead, streaming });
  }

  function isNeeded({ ledger, inner, waiting }: Desk): boolean {
    return ledger.open > 0 || inner > 0 || waiting.length > 0;
  }

  /** Drops a budget once its writes no longer count, so that ended threads take no memory. */
  function forgetWhenSpent(desk: Desk): void {
    const wait = spentUntil(desk.ledger, monotonicMs()) - monotonicMs();
    setTimer(desk, Math.max(0, wait), () => {
      if (isNeeded(desk)) return;
      if (spentUntil(desk.ledger, monotonicMs()) > monotonicMs()) forgetWhenSpent(desk);
      else forget(desk);
    });
    desk.timer?.unref();
  }

  function forget({ ledger, within }: Desk): void {
    desks.delete(ledger.budget.key);
    if (!within) return;
    within.inner -= 1;
    serve(within);
  }

  /** A desk has one timer; a newer one takes its place. */
  function setTimer(desk: Desk, ms: number, task: () => void): void {
    clearTimeout(desk.timer);
    desk.timer = setTimeout(task, Math.min(ms, maxTimerMs));
  }

  const chainOf = (budget: WriteBudget) => [...outwards(deskOf(budget))];

  function accepted(budget: WriteBudget): void {
    for (const { ledger } of outwards(deskOf(budget))) accept(ledger);
  }

  function refused(budget: WriteBudget, retryAfterMs: number, cause?: PlatformError): void {
    const desk = deskOf(budget);
    const { ledger } = desk;
    const isNew = monotonicMs() >= ledger.blockedUntil;
    refuse(ledger, retryAfterMs, monotonicMs());
    const waitMs = ledger.blockedUntil - monotonicMs();
    if (isNew && waitMs >= longWaitMs) {
      const fields = { err: cause, budget: budget.key, seconds: Math.round(waitMs / 1000) };
      log?.warn(fields, 'a platform accepts no writes for now: replies wait');
    }
    serve(desk);
  }

  function join(budget: WriteBudget): Disposable {
    const joined = chainOf(budget);
    for (const { ledger } of joined) ledger.open += 1;
    streaming += 1;
    let left = false;
    return {
      [Symbol.dispose]() {
        if (left) return;
        left = true;
        streaming -= 1;
        for (const desk of joined) {
          desk.ledger.open -= 1;
          serve(desk);
        }
      },
    };
  }

  function isRoomy(budget: WriteBudget, each: number): boolean {
    return chainOf(budget).every(({ ledger }) => hasRoom(ledger, each, monotonicMs()));
  }

  function waitMs(budget: WriteBudget): number {
    const waits = chainOf(budget).map((desk) => {
      const ahead = desk.waiting.filter(({ urgency }) => urgency === 'final').length;
      return freeAt(desk, 'final', ahead) - monotonicMs();
    });
    return Math.max(0, ...waits);
  }

  function countAhead(budget: WriteBudget, since: number): number {
    const waiting = desks.get(budget.key)?.waiting ?? [];
    return waiting.filter((waiter) => waiter.since < since).length;
  }

  return { permit, accepted, refused, waitMs, countAhead, join, hasRoom: isRoomy };
}

/** A desk, the one that it is within, and so on. */
function* outwards(inner: Desk): Generator<Desk> {
  for (let desk: Desk | undefined = inner; desk; desk = desk.within) yield desk;
}
