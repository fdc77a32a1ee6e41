import { expect, test } from 'vitest';
import { createTokenBucket, createTokenBuckets } from '../../src/sandbox/token-bucket.ts';
import { createClock } from './clock.ts';

test('a burst passes, then one call for each refilled token', () => {
  const clock = createClock();
  const bucket = createTokenBucket({ capacity: 3, perSecond: 2, now: clock.now });
  expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([0, 0, 0, 500]);

  clock.advance(499);
  expect(bucket.take()).toBe(1);
  clock.advance(1);
  expect([bucket.take(), bucket.take()]).toEqual([0, 500]);
});

test('after exactly the wait it names, a bucket has a token, at any rate', () => {
  for (const perSecond of [1 / 60, 50 / 60, 0.3, 7]) {
    const clock = createClock();
    const bucket = createTokenBucket({ capacity: 1, perSecond, now: clock.now });
    bucket.take();
    clock.advance(bucket.take());
    expect(bucket.take()).toBe(0);
  }
});

test('a bucket never holds more than its capacity', () => {
  const clock = createClock();
  const bucket = createTokenBucket({ capacity: 2, perSecond: 10, now: clock.now });
  clock.advance(60_000);
  expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([0, 0, 100]);
});

test('each key has a bucket of its own', () => {
  const buckets = createTokenBuckets(createClock().now);
  const options = { capacity: 1, perSecond: 1 };
  expect(buckets.take('a', options)).toBe(0);
  expect(buckets.take('a', options)).toBe(1000);
  expect(buckets.take('b', options)).toBe(0);
});
