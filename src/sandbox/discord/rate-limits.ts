import { createHash } from 'node:crypto';
import { createLru } from '../../shared/primitives/cache.ts';

/** A number of requests per window, in ms. */
export interface RateLimit {
  requests: number;
  per: number;
}

/** The state of a limit after a request. */
export interface Allowance {
  allowed: boolean;
  /** Whether the global limit rejected the request. */
  global: boolean;
  limit: number;
  remaining: number;
  /** When the window ends, in ms since the epoch. */
  resetAt: number;
}

/** The parts of a request that limits depend on. */
interface LimitedRequest {
  /** The method and route; each has its own limit. */
  route: string;
  /** The channel, server or webhook: https://docs.discord.com/developers/topics/rate-limits */
  major: string;
  limit: RateLimit;
  /** Whether it counts towards the global limit. */
  counted: boolean;
}

/**
 * Counts requests in windows. A window starts with the first request after the previous one ends.
 */
export interface RateLimits {
  take(request: LimitedRequest): Allowance;
}

const globalLimit: RateLimit = { requests: 50, per: 1_000 };
const maxWindows = 10_000;

interface Window {
  used: number;
  resetAt: number;
}

export function createRateLimits(now: () => number): RateLimits {
  const windows = createLru<Window>(maxWindows);

  function currentWindow(key: string, { per }: RateLimit): Window {
    const known = windows.get(key);
    if (known && known.resetAt > now()) return known;
    const window = { used: 0, resetAt: now() + per };
    windows.set(key, window);
    return window;
  }

  return {
    take({ route, major, limit, counted }) {
      const all = currentWindow('', globalLimit);
      const { resetAt } = all;
      if (counted && all.used >= globalLimit.requests) {
        return { allowed: false, global: true, limit: globalLimit.requests, remaining: 0, resetAt };
      }
      if (counted) all.used += 1;
      const window = currentWindow(`${route} ${major}`, limit);
      const allowed = window.used < limit.requests;
      if (allowed) window.used += 1;
      const remaining = limit.requests - window.used;
      const { requests } = limit;
      return { allowed, global: false, limit: requests, remaining, resetAt: window.resetAt };
    },
  };
}

/** The rate limit headers: https://docs.discord.com/developers/topics/rate-limits#header-format */
export function renderLimitHeaders(
  route: string,
  { limit, remaining, resetAt, allowed, global }: Allowance,
  now: number,
): Record<string, string> {
  const wait = Math.max(0, resetAt - now) / 1000;
  const refused = {
    'retry-after': String(Math.ceil(wait)),
    'x-ratelimit-scope': global ? 'global' : 'user',
    ...(global && { 'x-ratelimit-global': 'true' }),
  };
  const standing = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': (resetAt / 1000).toFixed(3),
    'x-ratelimit-reset-after': wait.toFixed(3),
    'x-ratelimit-bucket': createHash('sha256').update(route).digest('hex').slice(0, 32),
  };
  if (allowed) return standing;
  return global ? refused : { ...standing, ...refused };
}

/** The body of a 429: https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit */
export function renderLimited({ resetAt, global }: Allowance, now: number): object {
  const wait = Math.max(0, resetAt - now) / 1000;
  return { message: 'You are being rate limited.', retry_after: wait, global };
}
