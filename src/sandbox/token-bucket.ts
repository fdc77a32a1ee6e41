import { createLru } from '../shared/primitives/cache.ts';

/** The result of asking a bucket for a token. */
interface Draw {
  /** Whether there was a token. If not, nothing is used up. */
  taken: boolean;
  /** Whole tokens left. */
  remaining: number;
  /** Whole ms until there is a token again; 0 while there is one. */
  wait: number;
  /** Whole ms until the bucket is full. */
  full: number;
}

/** Tokens that refill steadily up to a capacity, so that short bursts pass. */
export interface TokenBucket {
  take(): Draw;
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
      const taken = tokens >= 1 - 1e-9;
      if (taken) tokens = Math.max(0, tokens - 1);
      return {
        taken,
        remaining: Math.floor(tokens + 1e-9),
        wait: Math.max(0, Math.ceil((1 - 1e-9 - tokens) / perMillisecond)),
        full: Math.ceil((capacity - tokens) / perMillisecond),
      };
    },
  };
}

/** Buckets by key; each is created full when its key first appears. */
export interface TokenBuckets {
  take(key: string, options: Omit<BucketOptions, 'now'>): Draw;
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
