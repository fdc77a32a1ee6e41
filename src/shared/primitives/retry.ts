import type { Sleep } from './sleep.ts';

/** When to retry a task. */
export interface RetryOptions {
  /** Milliseconds to wait after a failure, counted from 1; undefined gives up. */
  waitMs(error: unknown, failures: number): number | undefined;
  sleep: Sleep;
  /** Ends a wait. */
  signal?: AbortSignal;
}

/** Milliseconds to wait after a failure, counted from 1: twice as long each time, up to a limit. */
export function growingWaitMs(failures: number, { firstMs = 1_000, maxMs = 60_000 } = {}): number {
  return Math.min(firstMs * 2 ** (failures - 1), maxMs);
}

/**
 * Runs a task until it succeeds or `waitMs` gives up.
 * @throws {unknown} what the last try threw, or from `sleep` when the signal aborts
 */
export async function retry<Result>(
  task: () => Promise<Result>,
  { waitMs, sleep, signal }: RetryOptions,
): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await task();
    } catch (error) {
      const ms = waitMs(error, failures);
      if (ms === undefined) throw error;
      await sleep(ms, signal);
    }
  }
}
