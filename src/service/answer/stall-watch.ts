import type { StartTimer } from '../start-timer.ts';

/** A step took too long. */
export class StallError extends Error {
  override name = 'StallError';
}

/** Aborts work that has stalled. */
export interface StallWatch {
  /** Aborts with the caller's reason, or with a StallError. */
  signal: AbortSignal;
  /** Waits for one step. If it takes longer than `ms`, `signal` aborts, and the step must fail. */
  during<Result>(ms: number, step: Promise<Result>): Promise<Result>;
}

/** Each step has its own timeout, so work that makes progress can take as long as it needs. */
export function createStallWatch(signal: AbortSignal, startTimer: StartTimer): StallWatch {
  const stall = new AbortController();

  return {
    signal: AbortSignal.any([signal, stall.signal]),
    async during(ms, step) {
      const callOff = startTimer(ms, () =>
        stall.abort(new StallError(`Nothing came for ${ms} ms`)),
      );
      try {
        return await step;
      } finally {
        callOff();
      }
    },
  };
}
