/** Calls `onEnd` after some milliseconds, unless the returned function is called before. */
export type StartTimer = (ms: number, onEnd: () => void) => () => void;

/** Waits some milliseconds; rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<unknown>;

/**
 * A timer that costs next to nothing to call off: one is started for every delta of every reply,
 * and an aborted sleep would leave an error with its stack behind each time.
 *
 * @param sleep what tests wait by instead
 */
export function createStartTimer(sleep?: Sleep): StartTimer {
  if (sleep) return (ms, onEnd) => sleepThen(sleep, ms, onEnd);
  return (ms, onEnd) => {
    const timer = setTimeout(onEnd, ms);
    return () => clearTimeout(timer);
  };
}

function sleepThen(sleep: Sleep, ms: number, onEnd: () => void): () => void {
  const over = new AbortController();
  sleep(ms, over.signal).then(
    () => over.signal.aborted || onEnd(),
    () => undefined,
  );
  return () => over.abort();
}
