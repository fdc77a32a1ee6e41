import { LRUCache } from 'lru-cache';
import { sum } from './sum.ts';

/**
 * A map of at most `max` entries, which drops the least recently used. Entries are counted as sizes:
 * with its own `max`, LRUCache would allocate room for all of them at once, in each of two dozen maps.
 */
export function createLru<Value extends {}, Key extends {} = string>(
  max: number,
): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
}

/** The overhead of a small array of numbers. */
const arrayBytes = 200;

/** The memory of arrays of numbers, as the size of a cache's entry. */
export function bytesOf(...arrays: readonly ArrayBufferView[]): number {
  return sum(arrays.map(({ byteLength }) => byteLength + arrayBytes));
}

/** The value of a key, read and added if it is not there. */
export function remember<Value extends {}>(
  cache: LRUCache<string, Value>,
  key: string,
  read: () => Value,
): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const value = read();
  cache.set(key, value);
  return value;
}
