import { createCache } from '../primitives/cache.ts';
import type { KeyedStore } from './ports.ts';

/** A store whose values are asked for all the time, and rarely change. */
export interface CachedStore<Value> {
  /** What is stored, or was half a minute ago. Rejects where the store is down. */
  get(key: string): Promise<Value | undefined>;
  /** What is stored now. */
  getAnew(key: string): Promise<Value | undefined>;
  set(key: string, value: Value): Promise<void>;
}

/** What another process changed is seen after this time. */
const freshMs = 30_000;
const maxKept = 1_000;

/** Keeps in memory what was read and written, for a thousand keys at most. */
export function createCachedStore<Value>(
  store: KeyedStore<Value>,
  now: () => number,
): CachedStore<Value> {
  const cache = createCache<Value | undefined>({ max: maxKept, freshMs, now });

  return {
    get: (key) => cache.get(key, () => store.get(key)),
    getAnew(key) {
      const value = store.get(key);
      cache.set(key, value);
      return value;
    },
    async set(key, value) {
      await store.set(key, value);
      cache.set(key, Promise.resolve(value));
    },
  };
}
