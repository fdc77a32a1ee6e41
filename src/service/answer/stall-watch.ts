import type { StartTimer } from '../start-timer.ts';

/** A step took too long. */
export class StallError extends Error {
  override name = 'StallError';
}

/** Aborts work that has stalled. */
export interface StallWatch {
  /** Aborts with the caller's reason, or with a StallError. */
  signal: AbortSignal;
  /** Aborts the signal in `ms`, unless the next call comes first. */
  expectWithin(ms: number): void;
  /** Nothing is expected now. */
  callOff(): void;
}

/** One limit runs at a time, so work that makes progress can take as long as it needs. */
export function createStallWatch(signal: AbortSignal, startTimer: StartTimer): StallWatch {
  const stall = new AbortController();
  let callOff = () => {};

  return {
    signal: AbortSignal.any([signal, stall.signal]),
    expectWithin(ms) {
      callOff();
      callOff = startTimer(ms, () => stall.abort(new StallError(`Nothing came for ${ms} ms`)));
    },
    callOff: () => callOff(),
  };
}
