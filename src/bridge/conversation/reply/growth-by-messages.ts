import type { Thread } from '../thread.ts';
import type { Growth } from './growth.ts';
import type { Urgency } from './ledger.ts';
import type { Pacer } from './pacer.ts';
import type { ReplyContents } from './reply-contents.ts';

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
