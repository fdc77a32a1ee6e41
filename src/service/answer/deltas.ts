import type { Sleep } from '../../shared/primitives/time.ts';

/** The speed at which finished sentences are shown, so that people see the reply grow. */
export interface Pace {
  /** Delay between two words. */
  deltaMs: number;
  /** Rejects when the signal aborts. */
  sleep: Sleep;
}

/** Each delta costs about the same, however long it is, so many replies at once get fewer. */
const repliesPerWord = 8;
const maxWords = 8;

/**
 * Returns a function that yields a text word by word, each with its white space. While many texts are
 * shown, each gets several words at a time, at the same speed.
 */
export function createPacing({ deltaMs, sleep }: Pace) {
  let running = 0;

  return async function* toPaced(text: string, signal: AbortSignal): AsyncGenerator<string, void> {
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

/**
 * Holds back a high surrogate until its low surrogate arrives, so that each delta can be encoded
 * separately. Empty deltas are dropped.
 */
export async function* toWholeCharacters<Outcome>(
  deltas: AsyncGenerator<string, Outcome>,
): AsyncGenerator<string, Outcome> {
  let held = '';
  try {
    for (;;) {
      const { done, value } = await deltas.next();
      if (done) {
        if (held !== '') yield held.toWellFormed();
        return value;
      }
      const text = held + value;
      const last = text.charCodeAt(text.length - 1);
      const isCut = last >= 0xd800 && last <= 0xdbff;
      held = isCut ? text.slice(-1) : '';
      const whole = isCut ? text.slice(0, -1) : text;
      if (whole !== '') yield whole.toWellFormed();
    }
  } finally {
    await deltas.return(undefined as Outcome);
  }
}
