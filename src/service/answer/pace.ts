import type { Sleep } from '../../primitives/sleep.ts';

/** The speed at which finished sentences are shown, so that people see the reply grow. */
export interface Pace {
  /** Delay between two words. */
  deltaMs: number;
  /** Rejects when the signal aborts. */
  sleep: Sleep;
}

/** The text word by word, each with its white space. */
export async function* toPaced(
  text: string,
  { deltaMs, sleep }: Pace,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  for (const [word] of text.matchAll(/\s+(?:\S+\s?)?|\S+\s?/gu)) {
    signal.throwIfAborted();
    yield word;
    if (deltaMs > 0) await sleep(deltaMs, signal);
  }
}
