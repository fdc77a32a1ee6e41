import type { Sleep } from '../../shared/primitives/sleep.ts';

/** The speed at which finished sentences are shown, so that people see the reply grow. */
export interface Pace {
  /** Delay between two words. */
  deltaMs: number;
  /** Rejects when the signal aborts. */
  sleep: Sleep;
}

/** A text in parts, each with its white space. */
type ToPaced = (text: string, signal: AbortSignal) => AsyncGenerator<string, void>;

/** Each delta costs about the same, however long it is: a crowd's replies get fewer. */
const repliesPerWord = 8;
const maxWords = 8;

/**
 * Shows texts word by word. While many are shown, each gets several words at a time, at the same
 * speed.
 */
export function createPacing({ deltaMs, sleep }: Pace): ToPaced {
  let running = 0;

  return async function* toPaced(text, signal) {
    const words = text.match(/\s+(?:\S+\s?)?|\S+\s?/gu) ?? [];
    running += 1;
    try {
      let shown = 0;
      while (shown < words.length) {
        signal.throwIfAborted();
        const count = Math.min(maxWords, Math.ceil(running / repliesPerWord));
        yield words.slice(shown, shown + count).join('');
        shown += count;
        if (deltaMs > 0) await sleep(count * deltaMs, signal);
      }
    } finally {
      running -= 1;
    }
  };
}
