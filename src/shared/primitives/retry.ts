import { type Sleep, sleep } from './time.ts';

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

/** The ms in a Retry-After header, which has seconds or a date (RFC 9110, 10.2.3); undefined without one. */
export function parseRetryAfterMs(header: string, nowMs: number): number | undefined {
  const ms = /^\d+(?:\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
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

interface TryingOptions {
  /** Ends a wait. */
  signal: AbortSignal;
  onFirstFailure(error: unknown): void;
  /** Failures are counted from 1; by default there is no end. */
  mayRetry?(error: unknown, failures: number): boolean;
}

/** A task that is tried until it succeeds. Neither promise rejects. */
export interface Trying {
  /** Resolves once the task has succeeded or failed for the first time. */
  tried: Promise<void>;
  /** Resolves once it has succeeded or will not be tried again. */
  done: Promise<void>;
}

/** Runs a task until it succeeds or `mayRetry` gives up, with growing waits. */
export function keepTrying(
  task: () => Promise<unknown>,
  { signal, onFirstFailure, mayRetry = () => true }: TryingOptions,
): Trying {
  const tried = Promise.withResolvers<void>();
  const waitMs = (error: unknown, failures: number) => {
    if (failures === 1) onFirstFailure(error);
    tried.resolve();
    return mayRetry(error, failures) ? growingWaitMs(failures) : undefined;
  };
  const ended = retry(task, { waitMs, sleep, signal }).then(
    () => tried.resolve(),
    () => tried.resolve(),
  );
  return { tried: tried.promise, done: ended };
}
