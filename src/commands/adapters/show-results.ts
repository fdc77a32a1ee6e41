import { isRefusal } from '../../conversation/platform-error.ts';
import { retry } from '../../primitives/retry.ts';
import type { Sleep } from '../../primitives/sleep.ts';
import type { Result } from '../invocation.ts';

/** Where the result of a command is shown; what is shown next takes the place of it. */
export interface ResultTarget {
  /** @throws {PlatformError} */
  show(result: Result): Promise<void>;
  /** Milliseconds to leave between this text and the next, unless that is the last. */
  minIntervalMs(): number;
}

/** How often the last text is tried; in between it may be the platform that is too busy. */
const maxTries = 4;
const retryMs = 1_000;
/** A target that keeps failing is retried ever more slowly, up to this. */
const maxRetryMs = 60_000;

/**
 * Shows each text in place of the one before, no faster than the target allows: in between the
 * newest wins, and the last is always shown. Resolves once it is.
 * @throws {PlatformError}
 */
export async function showResults(
  results: AsyncIterable<Result>,
  target: ResultTarget,
  sleep: Sleep,
): Promise<void> {
  const ended = new AbortController();
  let newest: Result = { markdown: '' };
  let shown = newest;
  let showing: Promise<void> | undefined;
  let failures = 0;

  /** Shows what there is; what comes meanwhile is shown after the gap, unless all has ended then. */
  async function showNewest(): Promise<void> {
    while (!isSame(newest, shown) && !ended.signal.aborted) {
      const result = newest;
      try {
        await target.show(result);
        shown = result;
        failures = 0;
        await pause(target.minIntervalMs(), sleep, ended.signal);
      } catch (error) {
        const slower = Math.min(retryMs * 2 ** failures, maxRetryMs);
        failures += 1;
        await pause(Math.max(waitAfter(error), slower), sleep, ended.signal);
      }
    }
    showing = undefined;
  }

  try {
    for await (const result of results) {
      newest = result;
      showing ??= showNewest();
    }
  } finally {
    ended.abort();
    await showing;
  }
  if (!isSame(newest, shown)) await showLast(newest, target, sleep);
}

/** Buttons do something else each time they are offered, so only plain texts can be the same. */
function isSame(a: Result, b: Result): boolean {
  return a === b || (a.markdown === b.markdown && isPlain(a) && isPlain(b));
}

function isPlain({ buttons = [], files = [] }: Result): boolean {
  return buttons.length === 0 && files.length === 0;
}

async function showLast(result: Result, target: ResultTarget, sleep: Sleep): Promise<void> {
  await retry(() => target.show(result), {
    sleep,
    waitMs: (error, failures) =>
      failures < maxTries && isRefusal(error, 'rate_limited', 'failed')
        ? waitAfter(error)
        : undefined,
  });
}

function waitAfter(error: unknown): number {
  return (isRefusal(error, 'rate_limited') ? error.retryAfterMs : undefined) ?? retryMs;
}

async function pause(ms: number, sleep: Sleep, ended: AbortSignal): Promise<void> {
  if (ended.aborted) return;
  if (ms === Infinity) {
    const { promise, resolve } = Promise.withResolvers<void>();
    ended.addEventListener('abort', () => resolve(), { once: true });
    return promise;
  }
  await sleep(ms, ended).catch(() => undefined);
}
