import { expect, test } from 'vitest';
import { createCache } from '../../../src/shared/primitives/cache.ts';

function createCounted(options: { max?: number; freshMsOf?: (value?: string) => number } = {}) {
  const clock = { ms: 0 };
  const cache = createCache<string | undefined>({
    max: 2,
    freshMs: 100,
    now: () => clock.ms,
    ...options,
  });
  const loaded: string[] = [];
  const load = (key: string, value: string | undefined = key) =>
    cache.get(key, async () => {
      loaded.push(key);
      return value;
    });
  return { clock, cache, loaded, load };
}

test('a value is loaded once for concurrent callers, and again once it is stale', async () => {
  const { clock, load, loaded } = createCounted();
  expect(await Promise.all([load('a'), load('a')])).toEqual(['a', 'a']);
  clock.ms = 99;
  await load('a');
  expect(loaded).toEqual(['a']);
  clock.ms = 100;
  await load('a');
  expect(loaded).toEqual(['a', 'a']);
});

test('a value can decide how long it stays fresh', async () => {
  const freshMsOf = (value?: string) => (value === undefined ? 10 : 100);
  const { clock, cache, loaded } = createCounted({ freshMsOf });
  const find = () =>
    cache.get('a', async () => {
      loaded.push('a');
      return undefined;
    });
  await find();
  clock.ms = 9;
  expect(await find()).toBeUndefined();
  expect(loaded).toHaveLength(1);
  clock.ms = 10;
  await find();
  expect(loaded).toHaveLength(2);
});

test('the least recently used value is dropped when there are too many', async () => {
  const { load, loaded } = createCounted({ max: 2 });
  await load('a');
  await load('b');
  await load('a');
  await load('c');
  await load('a');
  expect(loaded).toEqual(['a', 'b', 'c']);
  await load('b');
  expect(loaded).toEqual(['a', 'b', 'c', 'b']);
});

test('a value that fails to load is dropped, unless another was set meanwhile', async () => {
  const { cache, load, loaded } = createCounted();
  await expect(cache.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(await load('a')).toBe('a');
  const slow = Promise.withResolvers<string>();
  const asked = cache.get('b', () => slow.promise);
  cache.set('b', Promise.resolve('set'));
  slow.reject(new Error('down'));
  await expect(asked).rejects.toThrow('down');
  expect(await load('b')).toBe('set');
  expect(loaded).toEqual(['a']);
});

test('a load gets the stale value', async () => {
  const { clock, cache } = createCounted();
  await cache.get('a', async (before) => `first after ${await before}`);
  clock.ms = 100;
  expect(await cache.get('a', async (before) => `second after ${await before}`)).toBe(
    'second after first after undefined',
  );
});
