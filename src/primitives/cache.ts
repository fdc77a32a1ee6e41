import { LRUCache } from 'lru-cache';

/** Keeps values that take a while to get, each for a time. */
export interface Cache<Value> {
  /**
   * The value of a key. Where none is fresh it is loaded, once for all who ask meanwhile; `load` is
   * given the value that was kept before. A value that fails to load is forgotten.
   */
  get(key: string, load: (before?: Promise<Value>) => Promise<Value>): Promise<Value>;
  set(key: string, value: Promise<Value>): void;
}

export interface CacheOptions {
  /** Of more values than this, the one least recently used is forgotten. */
  max: number;
  freshMs: number;
  /** How long it is known that there is none, where `undefined` was loaded. Default: `freshMs`. */
  missingMs?: number;
  now: () => number;
}

/** A cache of promises, by a clock of the caller's. */
export function createCache<Value>(options: CacheOptions): Cache<Value> {
  const { max, freshMs, missingMs = freshMs, now } = options;
  const kept = new LRUCache<string, { value: Promise<Value>; until: number }>({ max });

  function set(key: string, value: Promise<Value>): void {
    const entry = { value, until: now() + freshMs };
    kept.set(key, entry);
    value.then(
      (found) => {
        if (found === undefined) entry.until = now() + missingMs;
      },
      () => {
        if (kept.peek(key) === entry) kept.delete(key);
      },
    );
  }

  return {
    get(key, load) {
      const known = kept.get(key);
      if (known && known.until > now()) return known.value;
      const value = load(known?.value);
      set(key, value);
      return value;
    },
    set,
  };
}
