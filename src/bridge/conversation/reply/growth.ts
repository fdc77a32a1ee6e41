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

/**
 * The message appears with the first text, and is edited as the text grows, or is a stream.
 * @param options.since when the reply began
 */
export function growByEdits(options: { thread: Thread; pacer: Pacer; since: number }): Growth {
  const { thread, pacer, since } = options;
  const { edit, stream } = thread.budgets;
  const places = new DisposableStack();
  places.use(pacer.join(edit));

  return {
    isByMessages: false,
    urgency: (isFirst) => (isFirst ? 'first' : 'interim'),
    /** Each stream has a place of its own, and its opening counts as a write. */
    mayStream() {
      if (!stream || !pacer.hasRoom(stream, 1)) return false;
      places.use(pacer.join(stream));
      void pacer
        .permit(stream, { urgency: 'first', since })
        .then((permit) => permit?.[Symbol.dispose]());
      return true;
    },
    caughtUp() {},
    [Symbol.dispose]: () => places.dispose(),
  };
}

/** Without a whole paragraph after that time, the reply begins with sentences. */
const firstParagraphMs = 600;

/**
 * Where there are no edits for one more reply, its text is posted in parts, each of them final.
 * @param options.beginSooner called when no paragraph has come: sentences may be shown now
 */
export function growByMessages(options: {
  thread: Thread;
  pacer: Pacer;
  contents: ReplyContents;
  hasBegun(): boolean;
  beginSooner(): void;
}): Growth {
  const { thread, pacer, contents, hasBegun, beginSooner } = options;
  const place = pacer.join(thread.budgets.post);
  contents.limitTo('paragraphs');
  const timer = setTimeout(() => {
    if (hasBegun()) return;
    contents.limitTo('sentences');
    beginSooner();
  }, firstParagraphMs);

  return {
    isByMessages: true,
    urgency: (isFirst) => (isFirst ? 'opening' : 'further'),
    mayStream: () => false,
    caughtUp() {
      contents.settle();
      contents.limitTo('paragraphs');
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      place[Symbol.dispose]();
    },
  };
}
