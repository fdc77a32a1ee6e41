import { expect, test } from 'vitest';
import { parseRetryAfterMs, retry } from '../../../src/shared/primitives/retry.ts';

/** A task that fails this often, and the waits. */
function createTask(failures: number) {
  const waited: number[] = [];
  let tries = 0;
  return {
    waited,
    tries: () => tries,
    async task() {
      tries += 1;
      if (tries <= failures) throw new Error(`failure ${tries}`);
      return 'done';
    },
    sleep: async (ms: number) => void waited.push(ms),
  };
}

test('a task is retried after each wait until it succeeds', async () => {
  const { task, sleep, waited, tries } = createTask(2);
  const waitMs = (error: unknown, failures: number) =>
    error instanceof Error && error.message === `failure ${failures}` ? failures * 10 : undefined;
  expect(await retry(task, { sleep, waitMs })).toBe('done');
  expect([tries(), waited]).toEqual([3, [10, 20]]);
});

test('a task that is given up fails with its last error', async () => {
  const { task, sleep, waited, tries } = createTask(5);
  const waitMs = (_: unknown, failures: number) => (failures < 3 ? 1 : undefined);
  await expect(retry(task, { sleep, waitMs })).rejects.toThrow('failure 3');
  expect([tries(), waited]).toEqual([3, [1, 1]]);
});

test('aborting the wait ends the retries', async () => {
  const { task, tries } = createTask(5);
  const stop = new AbortController();
  const sleep = async (_: number, signal?: AbortSignal) => {
    stop.abort(new Error('stopped'));
    signal?.throwIfAborted();
  };
  const waiting = retry(task, { sleep, waitMs: () => 1, signal: stop.signal });
  await expect(waiting).rejects.toThrow('stopped');
  expect(tries()).toBe(1);
});

test.each([
  ['7', 7_000],
  ['0.5', 500],
  ['Wed, 25 Nov 2026 12:00:09 GMT', 9_000],
  ['Wed, 25 Nov 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  ['', undefined],
])('Retry-After: %s asks to wait for %s ms', (header, ms) => {
  expect(parseRetryAfterMs(header, Date.UTC(2026, 10, 25, 12))).toBe(ms);
});
