import type { StartTimer } from '../start-timer.ts';

/** What was waited for did not come in its time. */
export class StallError extends Error {
  override name = 'StallError';
}

/** Ends a piece of work of which nothing comes any more. */
export interface StallWatch {
  /** Aborts with the caller's reason, or with a StallError. */
  signal: AbortSignal;
  /** Waits for one step. Where it takes longer than `ms`, `signal` aborts, and the step must fail. */
  during<Result>(ms: number, step: Promise<Result>): Promise<Result>;
}

/** Each step has a time of its own, so work that gets on may last as long as it likes. */
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
