import { createCache } from '../../shared/primitives/cache.ts';

/**
 * A persistent store of JSON values by key. It rejects when it is down, so that it never looks
 * empty.
 */
export interface KeyedStore<Value> {
  get(key: string): Promise<Value | undefined>;
  set(key: string, value: Value, ttl?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /**
   * Reads, changes and writes a value in one atomic step, also among processes. Undefined deletes the
   * value; the same value leaves it as it is, with its time to live. `change` may run several times;
   * only its last run counts. Resolves with the values before and after.
   */
  update(
    key: string,
    change: (value: Value | undefined) => Value | undefined,
    ttl?: number,
  ): Promise<Update<Value>>;
  /** All keys that go on after a prefix, or all keys, with their values; others are not read. */
  entries(prefix?: string): AsyncIterable<[string, Value]>;
  /**
   * Tells which key another process has changed, where several share the store; undefined if it may be
   * any.
   */
  onChange?(listener: (key: string | undefined) => void): void;
}

/** The values of a key before and after a change. */
export interface Update<Value> {
  before: Value | undefined;
  after: Value | undefined;
}

/** A store with a cache, for values that are read often and change rarely. */
interface CachedStore<Value> {
  /**
   * The stored value. A change by another process is seen at once, or half a minute later if no notification
   * of it arrives. Rejects when the store is down.
   */
  get(key: string): Promise<Value | undefined>;
  /** Changes the value stored right now. */
  update: KeyedStore<Value>['update'];
}

/** A notification from another process can get lost. */
const freshMs = 30_000;
const maxKept = 1_000;

/** Caches reads and writes in memory, for at most a thousand keys. */
export function createCachedStore<Value>(
  store: KeyedStore<Value>,
  now: () => number,
): CachedStore<Value> {
  const cache = createCache<Value | undefined>({ max: maxKept, freshMs, now });
  store.onChange?.((key) => (key === undefined ? cache.clear() : cache.delete(key)));

  return {
    get: (key) => cache.get(key, () => store.get(key)),
    async update(key, change, ttl) {
      const update = await store.update(key, change, ttl);
      // Another process may have changed it since: it is read again.
      cache.delete(key);
      return update;
    },
  };
}
