import type { Thread } from '../thread.ts';
import type { Growth } from './growth.ts';
import type { Urgency } from './ledger.ts';
import type { Pacer } from './pacer.ts';

/** A reply that grows by edits has at least this many: one to grow, one to end. */
const minEdits = 2;

/** Edits are few, and all replies of a workspace share them: whether there are enough for one more. */
export function hasEdits({ budgets: { edit, stream } }: Thread, pacer: Pacer): boolean {
  return (stream && pacer.hasRoom(stream, 1)) || pacer.hasRoom(edit, minEdits);
}

/** The message appears with the first text, and is edited as the text grows, or is a stream. */
export class GrowthByEdits implements Growth {
  readonly isByMessages = false;
  readonly #thread: Thread;
  readonly #pacer: Pacer;
  readonly #since: number;
  readonly #places = new DisposableStack();

  /** @param options.since when the reply began */
  constructor(options: { thread: Thread; pacer: Pacer; since: number }) {
    this.#thread = options.thread;
    this.#pacer = options.pacer;
    this.#since = options.since;
    this.#places.use(this.#pacer.join(this.#thread.budgets.edit));
  }

  urgency(isFirst: boolean): Urgency {
    return isFirst ? 'first' : 'interim';
  }

  /** Each stream has a place of its own, and its opening counts as a write. */
  mayStream(): boolean {
    const { stream } = this.#thread.budgets;
    if (!stream || !this.#pacer.hasRoom(stream, 1)) return false;
    this.#places.use(this.#pacer.join(stream));
    void this.#pacer
      .permit(stream, { urgency: 'first', since: this.#since })
      .then((permit) => permit?.[Symbol.dispose]());
    return true;
  }

  caughtUp(): void {}

  [Symbol.dispose](): void {
    this.#places.dispose();
  }
}
