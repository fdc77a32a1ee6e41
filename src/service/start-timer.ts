import type { Sleep } from '../shared/primitives/time.ts';

/** Calls `onEnd` after this many ms, unless the returned function is called first. */
export type StartTimer = (ms: number, onEnd: () => void) => () => void;

/**
 * A timer that is cheap to cancel: every delta of every reply starts one, and an aborted sleep
 * would create an error with a stack each time.
 *
 * @param sleep what tests use instead
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
