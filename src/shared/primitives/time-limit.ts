import type { Sleep } from './sleep.ts';

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
