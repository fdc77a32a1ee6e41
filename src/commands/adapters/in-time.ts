import type { Sleep } from '../../primitives/sleep.ts';

/**
 * What a task gives, or undefined where that takes longer than `ms`: platforms wait no longer for
 * some answers. Rejects as the task does.
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
