/** What was waited for did not come in its time. */
export class StallError extends Error {
  override name = 'StallError';
}

/** Waits some milliseconds; rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<unknown>;

/** Ends a piece of work of which nothing comes any more. */
export interface StallWatch {
  /** Aborts with the caller's reason, or with a StallError. */
  signal: AbortSignal;
  /** Waits for one step. Where it takes longer than `ms`, `signal` aborts, and the step must fail. */
  during<Result>(ms: number, step: Promise<Result>): Promise<Result>;
}

/** Each step has a time of its own, so work that gets on may last as long as it likes. */
export function createStallWatch(signal: AbortSignal, sleep: Sleep): StallWatch {
  const stall = new AbortController();

  const abortAfter = async (ms: number, inTime: AbortSignal) => {
    try {
      await sleep(ms, inTime);
    } catch {
      return;
    }
    if (!inTime.aborted) stall.abort(new StallError(`Nothing came for ${ms} ms`));
  };

  return {
    signal: AbortSignal.any([signal, stall.signal]),
    async during(ms, step) {
      const inTime = new AbortController();
      void abortAfter(ms, inTime.signal);
      try {
        return await step;
      } finally {
        inTime.abort();
      }
    },
  };
}
