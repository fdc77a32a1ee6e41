import { isRefusal } from '../conversation/platform-error.ts';
import { createCache } from '../../shared/primitives/cache.ts';

/** What is known of a key. */
export interface Found<Value> {
  /** Undefined if there is none, or if none was ever found. */
  value: Value | undefined;
  /**
   * Whether it could not be looked up; the value is then the one found before, unless that is too old
   * or Slack refuses to tell.
   */
  isFailed: boolean;
}

/** Finds the value of a key. Never rejects. */
export type LookUp<Value> = (key: string) => Promise<Found<Value>>;

const maxKept = 2_000;
const anHourMs = 60 * 60 * 1000;
/** That there is no value is known for a shorter time. */
const missingMs = 60 * 1000;
/** What failed is tried again soon, but not by everybody at once; after a rate limit, when it ends. */
const failedMs = 5 * 1000;

/**
 * Caches found values for `freshMs` (an hour by default), at most 2,000 of them: beyond that, the
 * least recently used one is dropped.
 * @param find may reject with a PlatformError. If Slack is in trouble or limits the rate, the
 * look-up keeps the value found before, for an hour more; after any other refusal, there is none.
 */
export function createLookUp<Value>(
  find: (key: string) => Promise<Value | undefined>,
  { freshMs = anHourMs, now }: { freshMs?: number; now: () => number },
): LookUp<Value> {
  type Timed = Found<Value> & { freshMs: number; foundMs: number };
  const freshMsOf = (found: Timed) => found.freshMs;
  const cache = createCache<Timed>({ max: maxKept, freshMs, freshMsOf, now });

  const load = async (key: string, before?: Promise<Timed>): Promise<Timed> => {
    try {
      const value = await find(key);
      const until = value === undefined ? missingMs : freshMs;
      return { value, isFailed: false, freshMs: until, foundMs: now() };
    } catch (error) {
      if (!isRefusal(error, 'failed', 'rate_limited')) {
        return { value: undefined, isFailed: true, freshMs: missingMs, foundMs: now() };
      }
      const { retryAfterMs = failedMs } = error;
      const { value, foundMs = now() } = (await before) ?? {};
      const isTooOld = now() - foundMs > freshMs + anHourMs;
      return {
        value: isTooOld ? undefined : value,
        isFailed: true,
        freshMs: retryAfterMs,
        foundMs,
      };
    }
  };

  return (key) => cache.get(key, (before) => load(key, before));
}
