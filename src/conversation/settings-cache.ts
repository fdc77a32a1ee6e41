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
const mostKept = 1_000;

/** Keeps in memory what was read and written, for a thousand keys at most. */
export function createCachedStore<Value>(
  store: KeyedStore<Value>,
  now: () => number,
): CachedStore<Value> {
  const kept = new Map<string, { value: Promise<Value | undefined>; until: number }>();

  function keep(key: string, value: Promise<Value | undefined>): void {
    kept.delete(key);
    kept.set(key, { value, until: now() + freshMs });
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
  }

  function getAnew(key: string): Promise<Value | undefined> {
    const value = store.get(key);
    keep(key, value);
    value.catch(() => {
      if (kept.get(key)?.value === value) kept.delete(key);
    });
    return value;
  }

  return {
    get(key) {
      const known = kept.get(key);
      return known && known.until > now() ? known.value : getAnew(key);
    },
    getAnew,
    async set(key, value) {
      await store.set(key, value);
      keep(key, Promise.resolve(value));
    },
  };
}
