import { isPassingRefusal, isRefusal } from '../../conversation/errors.ts';
import { retry } from '../../../shared/primitives/retry.ts';
import { inTime, type Sleep, sleep as sleepFor } from '../../../shared/primitives/time.ts';
import type { OwnMessages, Result, Results } from '../invocation.ts';
import type { Log } from '../../../shared/primitives/log.ts';

/** Where a command's results are shown; each one replaces the one before. */
export interface ResultTarget {
  /**
   * `isLast`: nothing follows, so it must not wait for a long rate limit.
   * @throws {PlatformError}
   */
  show(result: Result, isLast?: boolean): Promise<void>;
  /** Min milliseconds between this text and the next. The last text does not wait for it. */
  minIntervalMs(): number;
  /** The messages that show it, if the bot can edit them at any later time. */
  messages?(): OwnMessages | undefined;
  /**
   * Removes what shows it.
   * @throws {PlatformError}
   */
  clear?(): Promise<void>;
}

/**
 * Shows results to everyone, and what concerns only the requester to them alone. A result takes the
 * place of the one before, even where another one saw that.
 * @param first where something stands already
 */
export function createSharedTarget(
  targets: { shared: ResultTarget; own: ResultTarget },
  first: keyof typeof targets = 'shared',
): ResultTarget {
  let current = targets[first];
  return {
    async show(result, isLast) {
      const next = result.isPrivate ? targets.own : targets.shared;
      if (next !== current) await clear(current);
      current = next;
      await next.show(result, isLast);
    },
    minIntervalMs: () => current.minIntervalMs(),
    messages: () => current.messages?.(),
  };
}

/** What can't be removed stays. */
async function clear(target: ResultTarget): Promise<void> {
  try {
    await target.clear?.();
  } catch (error) {
    if (isPassingRefusal(error)) throw error;
  }
}

/** A rate limit that lasts longer closes a target. */
const maxLimitMs = 60_000;

/** Whether the way to show something is closed for good, or for long. */
export function isClosed(error: unknown): boolean {
  if (isRefusal(error, 'rate_limited')) return (error.retryAfterMs ?? 0) > maxLimitMs;
  return isRefusal(error, 'uneditable', 'gone', 'forbidden');
}

/** Max tries for the last text: the platform may be busy for a while. */
const maxTries = 4;
const retryMs = 1_000;
/** The max delay between retries of a failing target. */
const maxRetryMs = 60_000;

/**
 * Shows each result in place of the one before, no faster than the target allows: intermediate
 * results may be skipped, the last is always shown. Resolves once it is.
 * @throws {PlatformError}
 */
export async function showResults(
  results: Results,
  target: ResultTarget,
  sleep: Sleep,
): Promise<void> {
  let isShown = false;
  try {
    await showAll(results, target, sleep);
    isShown = true;
  } finally {
    await results.ended?.(isShown);
  }
}

async function showAll(results: Results, target: ResultTarget, sleep: Sleep): Promise<void> {
  const ended = new AbortController();
  let newest: Result = { markdown: '' };
  let shown = newest;
  let showing: Promise<void> | undefined;
  let failures = 0;

  /**
   * Shows the newest result, then newer ones after each interval, until none is left or all have
   * arrived.
   */
  async function showNewest(): Promise<void> {
    while (!isSame(newest, shown) && !ended.signal.aborted) {
      const result = newest;
      try {
        await target.show(result);
        shown = result;
        failures = 0;
        const messages = target.messages?.();
        if (messages) await results.shownIn?.(messages);
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
      if (result.isInterim && target.minIntervalMs() === Infinity) continue;
      newest = result;
      showing ??= showNewest();
    }
  } finally {
    ended.abort();
    await showing;
  }
  if (!isSame(newest, shown)) await showLast(newest, target, sleep);
}

/** Buttons get new ids each time, so only results without buttons can be the same. */
function isSame(a: Result, b: Result): boolean {
  return a === b || (a.markdown === b.markdown && isPlain(a) && isPlain(b));
}

function isPlain({ buttons = [], files = [] }: Result): boolean {
  return buttons.length === 0 && files.length === 0;
}

async function showLast(result: Result, target: ResultTarget, sleep: Sleep): Promise<void> {
  await retry(() => target.show(result, true), {
    sleep,
    waitMs: (error, failures) =>
      failures < maxTries && isPassingRefusal(error) ? waitAfter(error) : undefined,
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

/** The running commands. */
export interface RunningCommands {
  readonly count: number;
  /** Tracks a command until it has ended, and logs if its result could not be shown. */
  start(task: Promise<void>, command: string): void;
  /**
   * Runs a command that is a message, and tracks it like `start`. Resolves when it has ended or the
   * journal has a row for it; never rejects.
   */
  finish(run: (kept: () => void) => Promise<void>, command: string): Promise<void>;
  /** Resolves once no command is running, at the latest after five seconds. */
  idle(): Promise<void>;
}

/** How long running commands have at shutdown to show how they ended. */
const graceMs = 5_000;

export function createRunningCommands(log: Log, platform: string): RunningCommands {
  const running = new Set<Promise<void>>();
  function track(task: Promise<void>, command: string): Promise<void> {
    const guarded = task
      .catch((error: unknown) =>
        log.warn({ err: error, command }, `a result was not shown in ${platform}`),
      )
      .finally(() => running.delete(guarded));
    running.add(guarded);
    return guarded;
  }

  async function ended(): Promise<void> {
    while (running.size > 0) await Promise.all(running);
  }

  return {
    get count() {
      return running.size;
    },
    start: (task, command) => void track(task, command),
    async finish(run, command) {
      const kept = Promise.withResolvers<void>();
      await Promise.race([track(run(kept.resolve), command), kept.promise]);
    },
    async idle() {
      await inTime(ended(), graceMs, sleepFor);
    },
  };
}
