import { createCache } from '../primitives/cache.ts';

/** Finds what a key stands for; undefined where that is not known. Never rejects. */
export type LookUp<Found> = (key: string) => Promise<Found | undefined>;

const maxKept = 2_000;
const freshMs = 60 * 60 * 1000;
/** What was not found is looked up again sooner. */
const missingMs = 60 * 1000;

/**
 * Keeps what was found for an hour; of more than two thousand the one asked for longest ago is
 * forgotten. `find` must not reject.
 */
export function createLookUp<Found>(find: LookUp<Found>, now: () => number): LookUp<Found> {
  const cache = createCache<Found | undefined>({ max: maxKept, freshMs, missingMs, now });
  return (key) => cache.get(key, () => find(key));
}
