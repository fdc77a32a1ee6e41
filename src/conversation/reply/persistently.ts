import { isRefusal, type PlatformErrorKind } from '../platform-error.ts';

/** How long to wait before a write that failed for a passing reason is tried again. */
const waitsMs = [250, 500, 1000, 2000, 4000];

/** However long a platform wants it: the thread's next question waits as well. */
const longestWaitMs = 60_000;

/**
 * Repeats a write that nothing else takes the place of, while it is refused for a passing reason:
 * better twice than not at all. @throws {PlatformError}
 */
export async function persistently<Result>(
  write: () => Promise<Result>,
  ...passing: PlatformErrorKind[]
): Promise<Result> {
  for (const waitMs of waitsMs) {
    let retryAfterMs = 0;
    try {
      return await write();
    } catch (error) {
      if (!isRefusal(error, ...passing)) throw error;
      retryAfterMs = error.retryAfterMs ?? 0;
    }
    const delayMs = Math.max(waitMs, Math.min(retryAfterMs, longestWaitMs));
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
  return write();
}
