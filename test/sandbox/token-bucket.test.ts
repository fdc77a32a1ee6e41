import { expect, test } from 'vitest';
import { createTokenBucket, createTokenBuckets } from '../../src/sandbox/token-bucket.ts';
import { createClock } from './clock.ts';

test('a burst passes, then one call for each refilled token', () => {
  const clock = createClock();
  const bucket = createTokenBucket({ capacity: 3, perSecond: 2, now: clock.now });
  expect([bucket.take(), bucket.take(), bucket.take()].map(({ remaining }) => remaining)).toEqual([
    2, 1, 0,
  ]);

  const refused = bucket.take();
  expect(refused.taken).toBe(false);
  expect(refused.wait).toBe(500);
  expect(refused.full).toBe(1500);

  clock.advance(499);
  expect(bucket.take().taken).toBe(false);
  clock.advance(1);
  expect(bucket.take().taken).toBe(true);
  expect(bucket.take().taken).toBe(false);
});

test('after exactly the wait it names, a bucket has a token, at any rate', () => {
  for (const perSecond of [1 / 60, 50 / 60, 0.3, 7]) {
    const clock = createClock();
    const bucket = createTokenBucket({ capacity: 1, perSecond, now: clock.now });
    bucket.take();
    clock.advance(bucket.take().wait);
    expect(bucket.take().taken).toBe(true);
  }
});

test('a bucket never holds more than its capacity', () => {
  const clock = createClock();
  const bucket = createTokenBucket({ capacity: 2, perSecond: 10, now: clock.now });
  clock.advance(60_000);
  expect([bucket.take(), bucket.take(), bucket.take()].map(({ taken }) => taken)).toEqual([
    true,
    true,
    false,
  ]);
});

test('each key has a bucket of its own', () => {
  const buckets = createTokenBuckets(createClock().now);
  const options = { capacity: 1, perSecond: 1 };
  expect(buckets.take('a', options).taken).toBe(true);
  expect(buckets.take('a', options).taken).toBe(false);
  expect(buckets.take('b', options).taken).toBe(true);
});
