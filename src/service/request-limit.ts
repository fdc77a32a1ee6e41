/** Limits the requests per owner and window. */
export interface RequestLimit {
  /** Counts a request. */
  take(owner: string): RequestAllowance;
}

interface RequestAllowance {
  isAllowed: boolean;
  /** Max requests at once. */
  limit: number;
  /** The requests that are left. */
  remaining: number;
  /** Seconds until the next request is allowed if it was refused, otherwise until all are. */
  seconds: number;
}

/**
 * A token bucket per owner: it holds `requests` and refills within `seconds`. Owners are as few as
 * keys, so buckets are never removed.
 */
export function createRequestLimit(
  limit: { requests: number; seconds: number },
  now: () => number,
): RequestLimit {
  const buckets = new Map<string, { left: number; atMs: number }>();
  const perMs = limit.requests / (limit.seconds * 1000);

  return {
    take(owner) {
      const atMs = now();
      const bucket = buckets.get(owner) ?? { left: limit.requests, atMs };
      const held = Math.min(limit.requests, bucket.left + (atMs - bucket.atMs) * perMs);
      const isAllowed = held >= 1;
      const left = isAllowed ? held - 1 : held;
      buckets.set(owner, { left, atMs });
      const missing = isAllowed ? limit.requests - left : 1 - left;
      return {
        isAllowed,
        limit: limit.requests,
        remaining: Math.floor(left),
        seconds: Math.ceil(missing / perMs / 1000),
      };
    },
  };
}
