import { retry } from '../../../shared/primitives/retry.ts';
import { type Sleep, sleep as realSleep } from '../../../shared/primitives/sleep.ts';
import { isRefusal, type PlatformErrorKind } from '../platform-error.ts';

/** Waits before each retry of a write that failed for a temporary reason. */
const waitsMs = [250, 500, 1000, 2000, 4000];

/** The limit for a platform's Retry-After, because the thread's next question waits as well. */
export const maxWaitMs = 60_000;

interface RetryWriteOptions {
  /** The kinds of errors that are temporary. */
  passing: readonly PlatformErrorKind[];
  signal: AbortSignal;
  sleep?: Sleep;
}

/**
 * Retries a write that no later one replaces, while it fails for a temporary reason. It may have
 * been carried out, so it must be one that can be repeated. An abort ends the wait between two
 * tries.
 * @throws {PlatformError}
 * @throws {Error} from `sleep` when the signal aborts
 */
export function retryWrite<Result>(
  write: () => Promise<Result>,
  { passing, signal, sleep = realSleep }: RetryWriteOptions,
): Promise<Result> {
  return retry(write, {
    sleep,
    signal,
    waitMs(error, failures) {
      const waitMs = waitsMs[failures - 1];
      if (waitMs === undefined || !isRefusal(error, ...passing)) return undefined;
      return Math.max(waitMs, Math.min(error.retryAfterMs ?? 0, maxWaitMs));
    },
  });
}
