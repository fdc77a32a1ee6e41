import { createCache } from '../primitives/cache.ts';

/** Finds the value of a key; undefined if it is unknown. Never rejects. */
export type LookUp<Found> = (key: string) => Promise<Found | undefined>;

const maxKept = 2_000;
const freshMs = 60 * 60 * 1000;
/** Misses are looked up again sooner. */
const missingMs = 60 * 1000;

/**
 * Caches found values for an hour, at most 2,000 of them: beyond that, the least recently used one
 * is dropped. `find` must not reject.
 */
export function createLookUp<Found>(find: LookUp<Found>, now: () => number): LookUp<Found> {
  const cache = createCache<Found | undefined>({ max: maxKept, freshMs, missingMs, now });
  return (key) => cache.get(key, () => find(key));
}
