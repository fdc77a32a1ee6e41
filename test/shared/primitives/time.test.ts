import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sleep } from '../../../src/shared/primitives/time.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const monthMs = 30 * 24 * 60 * 60 * 1000;

test('a wait can be longer than the longest timer', async () => {
  const ended = vi.fn<() => void>();
  void sleep(monthMs).then(ended);
  await vi.advanceTimersByTimeAsync(monthMs - 1);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toHaveBeenCalledOnce();
});

test('an aborted wait leaves no timer behind', async () => {
  const stop = new AbortController();
  const waiting = sleep(monthMs, stop.signal);
  await vi.advanceTimersByTimeAsync(1_000);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  expect(vi.getTimerCount()).toBe(0);
});
