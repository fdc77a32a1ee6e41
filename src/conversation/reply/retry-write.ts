import { retry } from '../../primitives/retry.ts';
import { sleep } from '../../primitives/sleep.ts';
import { isRefusal, type PlatformErrorKind } from '../platform-error.ts';

/** How long to wait before a write that failed for a passing reason is tried again. */
const waitsMs = [250, 500, 1000, 2000, 4000];

/** However long a platform wants it: the thread's next question waits as well. */
const maxWaitMs = 60_000;

/**
 * Retries a write that nothing else takes the place of, while it is refused for a passing reason:
 * better twice than not at all. An abort ends the wait between two tries.
 * @throws {PlatformError}
 * @throws {Error} what `sleep` rejects with when the signal aborts
 */
export function retryWrite<Result>(
  write: () => Promise<Result>,
  { passing, signal }: { passing: readonly PlatformErrorKind[]; signal: AbortSignal },
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
