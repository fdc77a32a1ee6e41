import { beforeEach, describe, expect, test } from 'vitest';
import type { KeyedStore } from '../../src/bridge/conversation/keyed-store.ts';

interface Value {
  count: number;
  said?: string[];
}

/**
 * What a store of values by key has in addition to Keyv's contract: changes in one step.
 * @param open a fresh, empty store, and another one on the same values
 */
export function describeKeyedStore(
  name: string,
  open: () => Promise<{ store: KeyedStore<Value>; other: KeyedStore<Value> }>,
): void {
  describe(`${name} as a store of changes`, () => {
    let store: KeyedStore<Value>;
    let other: KeyedStore<Value>;
    beforeEach(async () => {
      ({ store, other } = await open());
    });

    const count = (value: Value | undefined): Value => ({ count: (value?.count ?? 0) + 1 });

    test('a value is created, changed and deleted', async () => {
      expect(await store.update('key', count)).toEqual({ before: undefined, after: { count: 1 } });
      expect(await store.update('key', count)).toEqual({
        before: { count: 1 },
        after: { count: 2 },
      });
      expect(await store.get('key')).toEqual({ count: 2 });
      expect(await store.update('key', () => undefined)).toEqual({
        before: { count: 2 },
        after: undefined,
      });
      expect(await store.get('key')).toBeUndefined();
      expect(await store.update('key', (value) => value)).toEqual({
        before: undefined,
        after: undefined,
      });
    });

    test('a change sees what was set, and what it makes is read and listed', async () => {
      await store.set('key', { count: 1, said: ['“naïve”', '日本語 😀', ':base64:'] });
      await store.update('key', (value) => value && { ...value, count: 2 });
      const expected = { count: 2, said: ['“naïve”', '日本語 😀', ':base64:'] };
      expect(await other.get('key')).toEqual(expected);
      expect(await Array.fromAsync(other.entries())).toEqual([['key', expected]]);
    });

    test('the keys that go on after a prefix are listed alone', async () => {
      for (const key of ['a:b', 'a:b:', 'a:b:\u{10FFFE}', 'a:b:1', 'a:b;', 'a:B:1', 'a'])
        await store.set(key, { count: 1 });
      const keys = (await Array.fromAsync(other.entries('a:b:'))).map(([key]) => key);
      expect(keys.toSorted()).toEqual(['a:b:1', 'a:b:\u{10FFFE}']);
    });

    test('only the value of the key changes', async () => {
      await store.set('one', { count: 1 });
      await store.update('two', count);
      expect(await store.get('one')).toEqual({ count: 1 });
    });

    test('of many changes at once, none is lost', async () => {
      const stores = Array.from({ length: 50 }, (_, index) => (index % 2 ? store : other));
      const updates = await Promise.all(stores.map((each) => each.update('key', count)));
      expect(await store.get('key')).toEqual({ count: 50 });
      const seen = updates.map(({ after }) => after?.count ?? 0).toSorted((a, b) => a - b);
      expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    });

    test('a change that throws changes nothing', async () => {
      await store.set('key', { count: 1 });
      const broken = store.update('key', () => {
        throw new Error('broken');
      });
      await expect(broken).rejects.toThrow('broken');
      expect(await store.get('key')).toEqual({ count: 1 });
      expect((await store.update('key', count)).after).toEqual({ count: 2 });
    });
  });
}
