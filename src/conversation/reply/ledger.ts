import type { WriteBudget } from '../ports.ts';

/**
 * The urgency of a write, highest first: the last text of a reply, which people wait for; the first
 * text of one that grows by edits; the first part of one that grows by further messages; an edit in
 * between, which may be skipped because a newer one follows; a further message in between.
 */
export type Urgency = 'final' | 'first' | 'opening' | 'interim' | 'further';

/** The writes that were made on a budget, and those that it still has. */
export interface Ledger {
  budget: WriteBudget;
  /** When the writes in the current window were granted, oldest first. */
  granted: number[];
  /** When the last write was granted that is neither the first nor the last of a reply. */
  lastInterim: number;
  blockedUntil: number;
  /** Replies whose last write on the budget is still to come. */
  open: number;
}

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

/** Share of a long window that further messages may use: replies that are yet to come need the rest. */
const furtherShare = 1 / 3;

export function createLedger(budget: WriteBudget): Ledger {
  return { budget, granted: [], lastInterim: -Infinity, blockedUntil: 0, open: 0 };
}

/** Notes a write. */
export function grant(ledger: Ledger, urgency: Urgency, calls: number, now: number): void {
  for (let call = 0; call < calls; call += 1) ledger.granted.push(now);
  if (urgency === 'interim' || urgency === 'further') ledger.lastInterim = now;
}

/**
 * The earliest time (ms) at which a write may be made.
 *
 * @param ahead how many writes go before it
 * @param streaming replies on all budgets together
 */
export function timeUntilFree(
  ledger: Ledger,
  urgency: Urgency,
  { now, ahead = 0, streaming }: { now: number; ahead?: number; streaming: number },
): number {
  const { windowMs } = ledger.budget;
  const used = countUsed(ledger, now);
  const usable = countUsable(ledger, urgency);
  const position = used - usable + ahead;
  // Beyond those that were granted, writes wait for others that are still to be granted.
  const freed = position < 0 ? undefined : (ledger.granted[position] ?? now);
  const free = Math.max(ledger.blockedUntil, freed === undefined ? now : freed + windowMs);
  if (urgency !== 'interim' && urgency !== 'further') return free;
  return Math.max(free, ledger.lastInterim + interimGap(ledger, usable, streaming));
}

/** Whether one more reply, and each that is open already, still has `each` writes. */
export function hasRoom(ledger: Ledger, each: number, now: number): boolean {
  const { writes, windowMs } = ledger.budget;
  const blockedMs = ledger.blockedUntil - now;
  // The writes of a short window are back before the reply ends.
  if (isShort(windowMs)) return isShort(blockedMs);
  return blockedMs <= 0 && countUsed(ledger, now) + (ledger.open + 1) * each <= writes;
}

/** Until when (ms) what was written counts. */
export function spentUntil({ budget, granted, blockedUntil }: Ledger): number {
  return Math.max(blockedUntil, (granted.at(-1) ?? -Infinity) + budget.windowMs);
}

function countUsed(ledger: Ledger, now: number): number {
  const { granted, budget } = ledger;
  if ((granted[0] ?? now) <= now - budget.windowMs) {
    ledger.granted = granted.filter((time) => time > now - budget.windowMs);
  }
  return ledger.granted.length;
}

function countUsable(ledger: Ledger, urgency: Urgency): number {
  const { writes, windowMs } = ledger.budget;
  if (urgency === 'first' || urgency === 'final') return writes;
  const unreserved = writes - reserved(ledger);
  if (urgency !== 'further' || isShort(windowMs)) return unreserved;
  return Math.max(1, Math.min(unreserved, Math.floor(writes * furtherShare)));
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
  if (isShort(windowMs)) return windowMs / usable;
  const replies = Math.max(1, open);
  const unnoticed = shortestGapMs * (1 + streaming / crowd);
  const fastest = Math.max(unnoticed / replies, typicalReplyMs / usable);
  const [oldest = Infinity] = granted;
  if (lastInterim < oldest) return fastest;
  const used = granted.length;
  const evenly = (oldest + windowMs - lastInterim) / Math.max(1, usable - used);
  return Math.max(fastest, evenly * Math.min(1, used / usable) ** replies);
}

/** Whether a window is over before a typical reply is. */
function isShort(windowMs: number): boolean {
  return windowMs <= typicalReplyMs;
}
