import type { Sleep } from '../../shared/primitives/time.ts';
import { StallError } from './answer-errors.ts';

/**
 * Aborts work that stalls: each step has its own limit, so work that makes progress takes as long as
 * it needs.
 * @param sleep what tests use instead of a timer
 */
export function createStallWatch(signal: AbortSignal, sleep?: Sleep) {
  const stall = new AbortController();
  let callOff = () => {};

  return {
    /** Aborts with the caller's reason, or with a StallError. */
    signal: AbortSignal.any([signal, stall.signal]),
    /** Aborts the signal in `ms`, unless the next call comes first. */
    expectWithin(ms: number) {
      callOff();
      const onEnd = () => stall.abort(new StallError(`Nothing came for ${ms} ms`));
      callOff = sleep ? sleepThen(sleep, ms, onEnd) : startTimer(ms, onEnd);
    },
    /** Stops the running limit. */
    callOff: () => callOff(),
  };
}

/** Cheap to cancel: an aborted sleep would create an error with a stack for every delta of every reply. */
function startTimer(ms: number, onEnd: () => void): () => void {
  const timer = setTimeout(onEnd, ms);
  return () => clearTimeout(timer);
}

function sleepThen(sleep: Sleep, ms: number, onEnd: () => void): () => void {
  const over = new AbortController();
  sleep(ms, over.signal).then(
    () => over.signal.aborted || onEnd(),
    () => undefined,
  );
  return () => over.abort();
}
