import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTally } from '../../../src/shared/primitives/tally.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('the first of a kind is reported at once, the others once a minute with their count', () => {
  const told: [string, number][] = [];
  const tally = createTally((kind: string, count) => told.push([kind, count]));
  for (let count = 0; count < 1000; count += 1) tally.add('unsigned');
  tally.add('late');
  expect(told.splice(0)).toEqual([
    ['unsigned', 1],
    ['late', 1],
  ]);
  vi.advanceTimersByTime(59_999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told.splice(0)).toEqual([['unsigned', 999]]);
  tally.add('unsigned');
  expect(told).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(told.splice(0)).toEqual([['unsigned', 1]]);
  // After a minute without any, the next is the first again.
  vi.advanceTimersByTime(60_000);
  tally.add('unsigned');
  expect(told).toEqual([['unsigned', 1]]);
});
