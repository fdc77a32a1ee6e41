import type { Urgency } from './ledger.ts';
import type { Thread } from '../thread.ts';
import type { Pacer } from './pacer.ts';
import type { ReplyContents } from './reply-contents.ts';

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

/** Without a whole paragraph after that time, the reply begins with sentences. */
const firstParagraphMs = 600;

/** Where there are no edits for one more reply, its text is posted in parts, each of them final. */
export class GrowthByMessages implements Growth {
  readonly isByMessages = true;
  readonly #contents: ReplyContents;
  readonly #place: Disposable;
  readonly #timer: NodeJS.Timeout;

  /** @param options.beginSooner called when no paragraph has come: sentences may be shown now */
  constructor(options: {
    thread: Thread;
    pacer: Pacer;
    contents: ReplyContents;
    hasBegun(): boolean;
    beginSooner(): void;
  }) {
    const { thread, pacer, contents, hasBegun, beginSooner } = options;
    this.#contents = contents;
    this.#place = pacer.join(thread.budgets.post);
    contents.limitTo('paragraphs');
    this.#timer = setTimeout(() => {
      if (hasBegun()) return;
      contents.limitTo('sentences');
      beginSooner();
    }, firstParagraphMs);
  }

  urgency(isFirst: boolean): Urgency {
    return isFirst ? 'opening' : 'further';
  }

  mayStream(): boolean {
    return false;
  }

  caughtUp(): void {
    this.#contents.settle();
    this.#contents.limitTo('paragraphs');
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#place[Symbol.dispose]();
  }
}
