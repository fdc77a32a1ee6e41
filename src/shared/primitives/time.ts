import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** Waits for some milliseconds, or rejects when the signal aborts. Tests pass their own. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<unknown>;

/** Longer timers fire at once: nodejs.org/api/timers.html#settimeoutcallback-delay-args */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * Waits with the global timer, which tests can replace with a fake clock, unlike `node:timers/promises`.
 * @throws {unknown} the signal's reason when it aborts
 */
export const sleep: Sleep = async (ms, signal) => {
  let leftMs = ms;
  for (; leftMs > maxTimerMs; leftMs -= maxTimerMs) await wait(maxTimerMs, signal);
  await wait(leftMs, signal);
};

/** Waits with a timer that does not keep the process alive. */
export const sleepUnref: Sleep = (ms, signal) => delay(ms, undefined, { ref: false, signal });

async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * Milliseconds on a clock that can't be set, for waits, rate windows and everything else that measures
 * time. Times that are stored or shown use `Date.now`.
 */
export const monotonicMs = (): number => performance.now();

/**
 * Runs a task that has to end within some milliseconds, on the global timer. When they have passed,
 * the task's signal aborts with a `TimeoutError`, like `AbortSignal.timeout`. When the caller's signal
 * aborts, it aborts with the same reason.
 */
export async function withTimeLimit<Result>(
  ms: number,
  signal: AbortSignal,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new DOMException(`Not done within ${ms} ms`, 'TimeoutError'));
  }, ms);
  try {
    return await task(AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The result of a task, or undefined if it takes longer than `ms`, because platforms wait only so
 * long for some responses. Rejects as the task does.
 */
export async function inTime<Value>(
  task: Promise<Value>,
  ms: number,
  sleep: Sleep,
): Promise<Value | undefined> {
  const done = new AbortController();
  const late = sleep(ms, done.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([task, late]);
  } finally {
    done.abort();
  }
}

/** The result of a task, or an error from `onLate` if it takes longer than `ms`. */
export async function within<Result>(
  ms: number,
  task: Promise<Result>,
  onLate: () => Error,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(onLate()), ms);
  try {
    return await Promise.race([task, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Work that may take long, which pauses at each `yield`. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** How long the work may block the event loop, unless a single step takes longer. */
const maxBlockMs = 5;

/** Does work that may take long, and lets the event loop do other work between steps. */
export async function inSteps<Result>(steps: Steps<Result>): Promise<Result> {
  let since = monotonicMs();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (monotonicMs() - since < maxBlockMs) continue;
    await nextTurn();
    since = monotonicMs();
  }
}

/** Does all the work at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
