import type { Sleep } from './sleep.ts';

/** When to retry a task. */
export interface RetryOptions {
  /** Milliseconds to wait after a failure, counted from 1; undefined gives up. */
  waitMs(error: unknown, failures: number): number | undefined;
  sleep: Sleep;
  /** Ends a wait. */
  signal?: AbortSignal;
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
