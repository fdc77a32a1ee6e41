import { createCache } from '../../shared/primitives/cache.ts';

/**
 * A persistent store of JSON values by key. It rejects when it is down, so that it never looks
 * empty.
 */
export interface KeyedStore<Value> {
  get(key: string): Promise<Value | undefined>;
  set(key: string, value: Value, ttl?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** All keys with their values. */
  entries(): AsyncIterable<[string, Value]>;
}

/** A store with a cache, for values that are read often and change rarely. */
interface CachedStore<Value> {
  /** The stored value, up to half a minute old. Rejects when the store is down. */
  get(key: string): Promise<Value | undefined>;
  /** The value stored right now. */
  getAnew(key: string): Promise<Value | undefined>;
  set(key: string, value: Value): Promise<void>;
}

/** Changes by other processes become visible within this time. */
const freshMs = 30_000;
const maxKept = 1_000;

/** Caches reads and writes in memory, for at most a thousand keys. */
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
