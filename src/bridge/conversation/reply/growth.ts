import type { Urgency } from './ledger.ts';

/**
 * How a reply grows until it ends, chosen when its first text arrives: by edits or by messages.
 * Disposing of it gives up its places in the pacer's budgets.
 */
export interface Growth extends Disposable {
  /** Whether messages stay as they were posted, and what follows gets further ones. */
  readonly isByMessages: boolean;
  /** The urgency of a write; `isFirst` if nothing is shown yet. */
  urgency(isFirst: boolean): Urgency;
  /** Whether a new message may be a stream; asked for each. */
  mayStream(): boolean;
  /** The messages show all that is to be shown by now. */
  caughtUp(): void;
}
