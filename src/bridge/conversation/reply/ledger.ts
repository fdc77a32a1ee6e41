import { growingWaitMs } from '../../../shared/primitives/retry.ts';
import type { WriteBudget } from '../thread.ts';

/**
 * The urgency of a write, highest first: the last text of a reply, which people wait for; the first
 * text of one that grows by edits; the first part of one that grows by further messages; an edit in
 * between, which may be skipped because a newer one follows, and, with equal rank, a further message.
 */
export type Urgency = 'final' | 'first' | 'opening' | 'interim' | 'further';

/** The writes that were made on a budget, and those that it still has. */
export interface Ledger {
  budget: WriteBudget;
  /** When the platform responded to the writes that still count, oldest first. */
  responded: number[];
  /** Writes whose response is still to come. */
  underWay: number;
  /** When the last write was granted that is neither the first nor the last of a reply. */
  lastInterim: number;
  blockedUntil: number;
  /** How often in a row the platform has refused a write. */
  refusals: number;
  /** Replies whose last write on the budget is still to come. */
  open: number;
}

/** Readers hardly notice edits more frequent than this. */
const shortestGapMs = 500;

/**
 * This many concurrent replies double that interval: they share the process, and writes are its
 * main cost.
 */
const crowd = 100;

/**
 * Most replies end within this time, in which all replies together may use a whole window's writes.
 */
const typicalReplyMs = 8_000;

/** Min share of a budget that is reserved, for replies that start and end at the same time. */
const minReserve = 1 / 5;

/** Max share that is reserved, so that replies still grow visibly. */
const maxReserve = 4 / 5;

/**
 * Share of a short window that first texts may use where more replies are open than it has writes:
 * the line of those that begin would take each write as it is freed, and replies end meanwhile.
 */
const firstShare = 9 / 10;

/** Share of a long window that further messages may use: replies that are yet to come need the rest. */
const furtherShare = 1 / 3;

/** Refusals in a row make the wait longer, up to this; a longer Retry-After counts as it is. */
const maxGrownWaitMs = 5 * 60_000;

/** A platform rarely takes longer to respond to the write that the others wait for. */
const probeMs = 1_000;

export function createLedger(budget: WriteBudget): Ledger {
  return {
    budget,
    responded: [],
    underWay: 0,
    lastInterim: -Infinity,
    blockedUntil: 0,
    refusals: 0,
    open: 0,
  };
}

/** Notes a write that is about to be made. */
export function grant(ledger: Ledger, urgency: Urgency, calls: number, now: number): void {
  ledger.underWay += calls;
  if (urgency === 'interim' || urgency === 'further') ledger.lastInterim = now;
}

/**
 * Notes the response to a write. The write counts for a window from now on: the platform counts it
 * from its arrival, which can't be later.
 */
export function respond(ledger: Ledger, calls: number, now: number): void {
  ledger.underWay -= calls;
  for (let call = 0; call < calls; call += 1) ledger.responded.push(now);
}

/**
 * Notes that the platform refused a write. It gets none until `retryAfterMs` have passed, and with
 * each refusal in a row twice as long. Those that arrive during the wait are of the same burst.
 */
export function refuse(ledger: Ledger, retryAfterMs: number, now: number): void {
  if (now >= ledger.blockedUntil) ledger.refusals += 1;
  const grown = growingWaitMs(ledger.refusals, { firstMs: retryAfterMs, maxMs: maxGrownWaitMs });
  ledger.blockedUntil = Math.max(ledger.blockedUntil, now + Math.max(retryAfterMs, grown));
}

/** Notes that the platform accepted a write: the next refusal is the first again. */
export function accept(ledger: Ledger): void {
  ledger.refusals = 0;
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
  if (isProbing(ledger)) return Math.max(ledger.blockedUntil, now + probeMs);
  const used = countUsed(ledger, now);
  const usable = countUsable(ledger, urgency);
  const position = used - usable + ahead;
  // Beyond those with a response, writes wait for others that are under way or still to be granted.
  const freed = position < 0 ? undefined : (ledger.responded[position] ?? now);
  const free = Math.max(ledger.blockedUntil, freed === undefined ? now : freed + windowMs);
  if (urgency !== 'interim' && urgency !== 'further') return free;
  return Math.max(free, ledger.lastInterim + interimGap(ledger, usable, streaming));
}

/** After a refusal, one write finds out whether the platform accepts more; the others wait for it. */
function isProbing({ refusals, underWay }: Ledger): boolean {
  return refusals > 0 && underWay > 0;
}

/** Whether one more reply, and each that is open already, still has `each` writes. */
export function hasRoom(ledger: Ledger, each: number, now: number): boolean {
  const { writes, windowMs } = ledger.budget;
  const blockedMs = ledger.blockedUntil - now;
  // The writes of a short window are back before the reply ends.
  if (isShort(windowMs)) return isShort(blockedMs);
  return blockedMs <= 0 && countUsed(ledger, now) + (ledger.open + 1) * each <= writes;
}

/** Until when (ms) what was written counts, at the earliest. */
export function spentUntil(ledger: Ledger, now: number): number {
  const { budget, responded, underWay, blockedUntil } = ledger;
  const last = underWay > 0 ? now : (responded.at(-1) ?? -Infinity);
  return Math.max(blockedUntil, last + budget.windowMs);
}

function countUsed(ledger: Ledger, now: number): number {
  const { responded, budget } = ledger;
  if ((responded[0] ?? now) <= now - budget.windowMs) {
    ledger.responded = responded.filter((time) => time > now - budget.windowMs);
  }
  return ledger.responded.length + ledger.underWay;
}

function countUsable(ledger: Ledger, urgency: Urgency): number {
  const { writes, windowMs } = ledger.budget;
  if (urgency === 'final') return writes;
  if (urgency === 'first') return isCrowded(ledger) ? Math.ceil(writes * firstShare) : writes;
  const unreserved = writes - reserved(ledger);
  if (urgency !== 'further' || isShort(windowMs)) return unreserved;
  return Math.max(1, Math.min(unreserved, Math.floor(writes * furtherShare)));
}

/** Whether more replies share a short window than it has writes. */
function isCrowded({ budget, open }: Ledger): boolean {
  return isShort(budget.windowMs) && open > budget.writes;
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
  { budget, responded, underWay, lastInterim, open }: Ledger,
  usable: number,
  streaming: number,
): number {
  const { windowMs } = budget;
  const replies = Math.max(1, open);
  const unnoticed = (shortestGapMs * (1 + streaming / crowd)) / replies;
  if (isShort(windowMs)) return Math.max(unnoticed, windowMs / usable);
  const fastest = Math.max(unnoticed, typicalReplyMs / usable);
  const [oldest = Infinity] = responded;
  if (lastInterim < oldest) return fastest;
  const used = responded.length + underWay;
  const evenly = (oldest + windowMs - lastInterim) / Math.max(1, usable - used);
  return Math.max(fastest, evenly * Math.min(1, used / usable) ** replies);
}

/** Whether a window is over before a typical reply is. */
function isShort(windowMs: number): boolean {
  return windowMs <= typicalReplyMs;
}
