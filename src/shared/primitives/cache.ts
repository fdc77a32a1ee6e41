import { LRUCache } from 'lru-cache';

/** Caches values that are slow to load. */
export interface Cache<Value> {
  /**
   * The value of a key. If the cache holds no fresh one, it is loaded, once for all concurrent
   * callers; `load` gets the stale value. A value that fails to load is dropped.
   */
  get(key: string, load: (before?: Promise<Value>) => Promise<Value>): Promise<Value>;
  set(key: string, value: Promise<Value>): void;
  /** Drops a value: what is being loaded now is not kept either. */
  delete(key: string): void;
  clear(): void;
}

/** Runs a task once for all concurrent callers with the same key. */
export type OnceAtATime<Value> = (key: string, run: () => Promise<Value>) => Promise<Value>;

export function createOnceAtATime<Value>(): OnceAtATime<Value> {
  const running = new Map<string, Promise<Value>>();
  return (key, run) => {
    const known = running.get(key);
    if (known) return known;
    const started = run().finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
}

export interface CacheOptions<Value> {
  /** Above this many values, the least recently used one is dropped. */
  max: number;
  freshMs: number;
  /** How long a loaded value stays fresh, if that depends on it. Default: `freshMs`. */
  freshMsOf?: (value: Value) => number;
  now: () => number;
}

interface Entry<Value> {
  value: Promise<Value>;
  until: number;
}

/** A cache of promises that runs on the caller's clock. */
export function createCache<Value>(options: CacheOptions<Value>): Cache<Value> {
  const { max, freshMs, freshMsOf = () => freshMs, now } = options;
  const kept = createLru<Entry<Value>>(max);

  function set(key: string, value: Promise<Value>): void {
    const entry = { value, until: now() + freshMs };
    kept.set(key, entry);
    void settle(key, entry);
  }

  async function settle(key: string, entry: Entry<Value>): Promise<void> {
    try {
      entry.until = now() + freshMsOf(await entry.value);
    } catch {
      if (kept.peek(key) === entry) kept.delete(key);
    }
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
    delete: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}

/**
 * A map of at most `max` entries, which drops the least recently used. Entries are counted as sizes:
 * with its own `max`, LRUCache would allocate room for all of them at once, in each of two dozen maps.
 */
export function createLru<Value extends {}, Key extends {} = string>(
  max: number,
): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
}
