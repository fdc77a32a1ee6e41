import type { Sleep } from '../../../shared/primitives/sleep.ts';

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
