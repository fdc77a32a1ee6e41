import { createLru } from '../shared/primitives/cache.ts';

/** Tokens that refill steadily up to a capacity, so that short bursts pass. */
export interface TokenBucket {
  /** Takes a token and returns 0, or else how many ms it takes until there is one again. */
  take(): number;
}

/** The size of a bucket, and how fast it fills. */
export interface BucketOptions {
  capacity: number;
  perSecond: number;
  now: () => number;
}

/** A bucket of `capacity` tokens, initially full, that gains `perSecond` tokens a second. */
export function createTokenBucket({ capacity, perSecond, now }: BucketOptions): TokenBucket {
  const perMillisecond = perSecond / 1000;
  let tokens = capacity;
  let filledAt = now();
  return {
    take() {
      const time = now();
      tokens = Math.min(capacity, tokens + Math.max(0, time - filledAt) * perMillisecond);
      filledAt = time;
      // Refilling adds fractions. The tolerance keeps a full wait from ending just short of a
      // token.
      const missing = 1 - 1e-9 - tokens;
      if (missing > 0) return Math.ceil(missing / perMillisecond);
      tokens = Math.max(0, tokens - 1);
      return 0;
    },
  };
}

/** Buckets by key; each is created full when its key first appears. */
export interface TokenBuckets {
  take(key: string, options: Omit<BucketOptions, 'now'>): number;
}

const maxBuckets = 10_000;

/**
 * Buckets by key. Beyond ten thousand, the least recently used one is dropped: it has long been
 * full again.
 */
export function createTokenBuckets(now: () => number): TokenBuckets {
  const buckets = createLru<TokenBucket>(maxBuckets);
  return {
    take(key, options) {
      const bucket = buckets.get(key) ?? createTokenBucket({ ...options, now });
      buckets.set(key, bucket);
      return bucket.take();
    },
  };
}
