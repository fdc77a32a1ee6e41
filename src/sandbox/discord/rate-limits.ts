import { createHash } from 'node:crypto';
import { createLru } from '../../shared/primitives/cache.ts';

/** A number of requests per window, in ms. */
export interface RateLimit {
  requests: number;
  per: number;
}

/** For all requests of a bot: https://docs.discord.com/developers/topics/rate-limits#global-rate-limit */
export const globalLimit: RateLimit = { requests: 50, per: 1_000 };

/** The state of a limit after a request. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** When the window ends, in ms since the epoch. */
  resetAt: number;
  /** Seconds until then. */
  resetAfter: number;
}

/**
 * Counts requests in windows, by key. A window starts with the first request after the previous one
 * ends.
 */
export interface RateLimits {
  take(key: string, limit: RateLimit): Allowance;
}

const maxWindows = 10_000;

export function createRateLimits(now: () => number): RateLimits {
  const windows = createLru<{ used: number; resetAt: number }>(maxWindows);
  return {
    take(key, { requests: limit, per }) {
      const known = windows.get(key);
      const window = known && known.resetAt > now() ? known : { used: 0, resetAt: now() + per };
      windows.set(key, window);
      const allowed = window.used < limit;
      if (allowed) window.used += 1;
      const { used, resetAt } = window;
      const resetAfter = (resetAt - now()) / 1000;
      return { allowed, limit, remaining: limit - used, resetAt, resetAfter };
    },
  };
}

/** The rate limit headers: https://docs.discord.com/developers/topics/rate-limits#header-format */
export function renderLimitHeaders(
  route: string,
  { limit, remaining, resetAt, resetAfter }: Allowance,
): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': (resetAt / 1000).toFixed(3),
    'x-ratelimit-reset-after': resetAfter.toFixed(3),
    'x-ratelimit-bucket': createHash('sha256').update(route).digest('hex').slice(0, 32),
  };
}

/** The headers of a 429: whom the limit is for. */
export function renderRetryHeaders(
  seconds: number,
  scope: 'user' | 'global' | 'shared',
): Record<string, string> {
  return {
    'retry-after': String(Math.ceil(seconds)),
    'x-ratelimit-scope': scope,
    ...(scope === 'global' && { 'x-ratelimit-global': 'true' }),
  };
}

/** The body of a 429: https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit */
export function renderLimited(seconds: number, isGlobal = false): object {
  return { message: 'You are being rate limited.', retry_after: seconds, global: isGlobal };
}
