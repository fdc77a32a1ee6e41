import type { PlatformError } from '../errors.ts';
import { maxWaitMs, type Thread, type WriteBudget } from '../thread.ts';
import type { GrowingMessage } from './growing-message.ts';
import type { Urgency } from './ledger.ts';
import type { Pacer, Permit } from './pacer.ts';

/** A write that a reply wants to make. */
export interface WantedWrite {
  /** The place of its message. */
  index: number;
  /** Whether its content is final, as far as is known. */
  last: boolean;
  urgency: Urgency;
  /** When the oldest text came that it would show. */
  since: number;
}

/** A permit on a budget; `isNew` for a new message. */
export interface WritePermit extends Permit {
  budget: WriteBudget;
  isNew: boolean;
}

interface WritePermitsOptions {
  thread: Thread;
  pacer: Pacer;
  /** The messages that exist. */
  written: readonly GrowingMessage[];
  /** When the reply began. */
  beganAt: number;
  /** Aborted when nothing more is written. */
  signal: AbortSignal;
  /** Called when others' first texts go before this one's, which waits. */
  onLinedUp?(): void;
}

/** The last text waits so long for an edit; then it becomes a new message, where that is sooner. */
const editPatienceMs = 1_500;

/** Why waits end. The default reason of `abort` has a stack, which is slow to create. */
const isLast = new Error('The last text is known');

/** Finds the budget of each write of a reply, and waits until the pacer permits it. */
export class WritePermits {
  readonly #options: WritePermitsOptions;
  readonly #hurry = new AbortController();
  #isLinedUp = false;
  #isHeldBack = false;

  constructor(options: WritePermitsOptions) {
    this.#options = options;
  }

  /** Whether the first message waits for its permit. */
  get isLinedUp(): boolean {
    return this.#isLinedUp;
  }

  /** Whether the platform accepts no further message for long: the last one says so meanwhile. */
  get isHeldBack(): boolean {
    return this.#isHeldBack;
  }

  /** How many replies in the channel show their first text before this one. */
  countAhead(): number {
    const { thread, pacer, written, beganAt } = this.#options;
    return written.length > 0 ? 0 : pacer.countAhead(thread.budgets.post, beganAt);
  }

  /** A write that waits is given up, because the last text is known, which is more urgent. */
  hurry(): void {
    this.#hurry.abort(isLast);
  }

  /**
   * Waits until a message may be written: undefined if meanwhile something else is to be written.
   * @throws {Error} the signal's reason
   */
  async request(wanted: WantedWrite): Promise<WritePermit | undefined> {
    try {
      return await this.#find(wanted);
    } catch {
      this.#options.signal.throwIfAborted();
      // The reply has ended: the write is requested again as a final one.
      return undefined;
    }
  }

  #find(wanted: WantedWrite): Promise<WritePermit | undefined> {
    const { written } = this.#options;
    const message = written[wanted.index];
    if (!message) return this.#toPost(wanted);
    // A message above others keeps its place.
    const mayMove = wanted.urgency === 'final' && wanted.index === written.length - 1;
    return mayMove
      ? this.#toEditOrReplace(message, wanted)
      : this.#permit(message.budget(wanted.last), wanted);
  }

  /** Before the last text waits for long, the messages that exist say why. */
  async #toPost(wanted: WantedWrite): Promise<WritePermit | undefined> {
    const { thread, written } = this.#options;
    const canSayWhy = wanted.urgency === 'final' && written.length > 0 && !this.#isHeldBack;
    const patienceMs = canSayWhy ? maxWaitMs : undefined;
    const permit = await this.#permit(thread.budgets.post, wanted, { patienceMs, isNew: true });
    this.#isHeldBack = !permit;
    return permit;
  }

  /** Where the last text would wait for an edit, it becomes a new message. */
  async #toEditOrReplace(
    message: GrowingMessage,
    wanted: WantedWrite,
  ): Promise<WritePermit | undefined> {
    const { thread, pacer } = this.#options;
    const { post } = thread.budgets;
    const edit = message.budget(wanted.last);
    const patienceMs = message.appends ? maxWaitMs : editPatienceMs;
    const permit = await this.#permit(edit, wanted, { patienceMs });
    if (permit) return permit;
    // Where all calls wait alike, a new message is no sooner.
    const isNew = pacer.waitMs(post) + patienceMs < pacer.waitMs(edit);
    const sooner = isNew ? post : edit;
    // Where that takes longer than expected, it is chosen again.
    const expectedMs = pacer.waitMs(sooner) + patienceMs;
    return this.#permit(sooner, wanted, { patienceMs: expectedMs, isNew });
  }

  async #permit(
    budget: WriteBudget,
    { urgency, since }: WantedWrite,
    { patienceMs, isNew = false }: { patienceMs?: number; isNew?: boolean } = {},
  ): Promise<WritePermit | undefined> {
    const { pacer, written, beganAt, signal, onLinedUp } = this.#options;
    const isFirst = written.length === 0;
    this.#isLinedUp = isFirst;
    if (this.countAhead() > 0) onLinedUp?.();
    try {
      const permit = await pacer.permit(budget, {
        urgency,
        since: isFirst ? beganAt : since,
        signal: urgency === 'final' ? signal : this.#hurry.signal,
        maxWaitMs: patienceMs,
      });
      return permit && { ...permit, budget, isNew };
    } finally {
      this.#isLinedUp = false;
    }
  }
}

/** Tells the pacer that a write on the budget was refused by a rate limit. */
export function noteLimit(pacer: Pacer, budget: WriteBudget, error: PlatformError): void {
  const limited = error.isGlobal ? (budget.within ?? budget) : budget;
  pacer.refused(limited, error.retryAfterMs ?? 1000, error);
}
