import { retry } from '../../primitives/retry.ts';
import { sleep } from '../../primitives/sleep.ts';
import { isRefusal, type PlatformErrorKind } from '../platform-error.ts';

/** How long to wait before a write that failed for a passing reason is tried again. */
const waitsMs = [250, 500, 1000, 2000, 4000];

/** However long a platform wants it: the thread's next question waits as well. */
const longestWaitMs = 60_000;

/**
 * Repeats a write that nothing else takes the place of, while it is refused for a passing reason:
 * better twice than not at all.
 * @throws {PlatformError}
 */
export function persistently<Result>(
  write: () => Promise<Result>,
  ...passing: PlatformErrorKind[]
): Promise<Result> {
  return retry(write, {
    sleep,
    waitMs(error, failures) {
      const waitMs = waitsMs[failures - 1];
      if (waitMs === undefined || !isRefusal(error, ...passing)) return undefined;
      return Math.max(waitMs, Math.min(error.retryAfterMs ?? 0, longestWaitMs));
    },
  });
}
