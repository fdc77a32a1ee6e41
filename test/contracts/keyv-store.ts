import { Keyv } from 'keyv';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { KeyvAdapter } from '../../src/shared/stores/keyv-store.ts';

/** Where values lie: every adapter made of one sees what the others wrote. */
export interface KeyvBacking {
  createAdapter(): KeyvAdapter;
}

const start = Date.UTC(2026, 0, 1);

const values: [kind: string, value: unknown][] = [
  ['text', 'a reply'],
  ['empty text', ''],
  ['text of many scripts', 'naïve 日本語 😀 \u0000 \r\n\t " \\'],
  ['a lone surrogate', '\ud800'],
  ['text that looks like the serializer’s own', ':base64:aGk='],
  ['text that looks like JSON', '{"value":1}'],
  ['zero', 0],
  ['a fraction', -1.5],
  ['a large number', Number.MAX_SAFE_INTEGER],
  ['true', true],
  ['false', false],
  ['null', null],
  ['an empty list', []],
  ['an empty object', {}],
  ['something nested', { turns: [{ id: '1', done: false, reply: null }, [1, [2]]] }],
  ['a bigint', 2n ** 80n],
  ['bytes', Buffer.from([0, 1, 127, 128, 255])],
  ['bytes in an object', { file: Buffer.from('hello') }],
];

const lookalikes = ['a', 'A', 'a ', ' a', 'ab', '1', '01', '1.0', 'é', 'e\u0301', '日本語', '😀'];
const wildcards = ['%', '_', 'a%', 'a_', 'a*', 'a?', '[a]', 'a:b', 'a::b', ':a', 'a/../b'];
const quotes = ["'; DROP TABLE keyv; --", '"quoted"', 'back\\slash', 'line\nbreak'];
const oddities = ['nul\u0000a', 'nul\u0000b', '__proto__', 'constructor', 'k'.repeat(10_000)];
const keys = [...lookalikes, ...wildcards, ...quotes, ...oddities];

/**
 * What Keyv 6 documents for a storage adapter.
 * @param open a fresh, empty backing, called once for each test
 */
export function describeKeyvStore(name: string, open: () => Promise<KeyvBacking>): void {
  describe(`${name} as a Keyv store`, () => {
    let backing: KeyvBacking;
    let keyv: Keyv<unknown>;

    const createKeyv = (namespace: string) =>
      new Keyv<unknown>({ store: backing.createAdapter(), namespace });

    beforeEach(async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: start });
      backing = await open();
      keyv = createKeyv('sessions');
    });

    afterEach(() => {
      vi.useRealTimers();
    });

    test('declares that it takes an absolute expiry', () => {
      const adapter = backing.createAdapter();
      expect(adapter.capabilities?.expires).toBe(true);
      expect(new Keyv({ store: adapter }).store).toBe(adapter);
    });

    describe('values', () => {
      test('keeps every kind of value', async () => {
        for (const [kind, value] of values) {
          expect([kind, await keyv.set('key', value)]).toEqual([kind, true]);
          expect([kind, await keyv.get('key')]).toEqual([kind, value]);
          expect([kind, await keyv.has('key')]).toEqual([kind, true]);
          await keyv.delete('key');
        }
      });

      test('keeps a large value', async () => {
        const value = 'ä😀'.repeat(500_000);
        await keyv.set('key', value);
        expect((await keyv.get('key')) === value).toBe(true);
      });

      test('has nothing under a key never set', async () => {
        expect(await keyv.get('key')).toBeUndefined();
        expect(await keyv.has('key')).toBe(false);
      });

      test('replaces what was there', async () => {
        await keyv.set('key', 'old');
        await keyv.set('key', { new: true });
        expect(await keyv.get('key')).toEqual({ new: true });
      });

      test('gives each adapter what another wrote', async () => {
        await keyv.set('key', 'value');
        expect(await createKeyv('sessions').get('key')).toBe('value');
      });
    });

    describe('keys', () => {
      test('keeps every key apart, whatever its characters', async () => {
        await Promise.all(keys.map(async (key, index) => keyv.set(key, index)));
        expect(await keyv.getMany(keys)).toEqual(keys.map((_, index) => index));
        expect(new Map(await readAll(keyv))).toEqual(new Map(keys.map((key, i) => [key, i])));
      });

      test('deletes each and no other', async () => {
        await keyv.setMany(keys.map((key) => ({ key, value: 'kept' })));
        for (const key of keys) {
          expect([key, await keyv.delete(key)]).toEqual([key, true]);
          expect([key, await keyv.hasMany(keys)]).toEqual([key, keys.map((each) => each !== key)]);
          await keyv.set(key, 'kept');
        }
      });
    });

    describe('deleting', () => {
      test('tells whether there was something', async () => {
        await keyv.set('key', 'value');
        expect(await keyv.delete('key')).toBe(true);
        expect(await keyv.delete('key')).toBe(false);
        expect(await keyv.get('key')).toBeUndefined();
      });

      test('tells it for each of many', async () => {
        await keyv.set('a', 1);
        await keyv.set('c', 3);
        expect(await keyv.deleteMany(['a', 'b', 'c', 'a'])).toEqual([true, false, true, false]);
        expect(await keyv.hasMany(['a', 'c'])).toEqual([false, false]);
      });
    });

    describe('many', () => {
      test('keeps more than a thousand keys, in the order asked for', async () => {
        const many = Array.from({ length: 1_100 }, (_, index) => `key ${index}`);
        const written = await keyv.setMany(many.map((key) => ({ key, value: { key } })));
        expect(written).toEqual(many.map(() => true));

        const asked = ['missing', ...many.toReversed()];
        const expected = [undefined, ...many.toReversed().map((key) => ({ key }))];
        expect(await keyv.getMany(asked)).toEqual(expected);
        expect(await keyv.hasMany(asked)).toEqual(asked.map((key) => key !== 'missing'));
        const entries = await readAll(keyv);
        expect(entries).toHaveLength(many.length);
        expect(new Set(entries.map(([key]) => key))).toEqual(new Set(many));

        expect(await keyv.deleteMany(asked)).toEqual(asked.map((key) => key !== 'missing'));
        expect(await readAll(keyv)).toEqual([]);
      });

      test('takes none', async () => {
        expect(await keyv.setMany([])).toEqual([]);
        expect(await keyv.getMany([])).toEqual([]);
        expect(await keyv.hasMany([])).toEqual([]);
        expect(await keyv.deleteMany([])).toEqual([]);
      });

      test('lets the last of equal keys win', async () => {
        await keyv.setMany([
          { key: 'key', value: 'first' },
          { key: 'key', value: 'last' },
        ]);
        expect(await keyv.get('key')).toBe('last');
      });

      test('takes sets at the same time', async () => {
        const numbers = Array.from({ length: 50 }, (_, index) => index);
        await Promise.all(numbers.map(async (number) => keyv.set(`key ${number}`, number)));
        await Promise.all(numbers.map(async (number) => keyv.set('shared', number)));
        expect(await keyv.getMany(numbers.map((n) => `key ${n}`))).toEqual(numbers);
        expect(numbers).toContain(await keyv.get('shared'));
      });
    });

    describe('expiry', () => {
      test('keeps a value for its ttl and no longer', async () => {
        await keyv.set('key', 'value', 1_000);
        vi.setSystemTime(start + 999);
        expect(await keyv.get('key')).toBe('value');
        expect(await keyv.has('key')).toBe(true);

        vi.setSystemTime(start + 1_001);
        expect(await keyv.get('key')).toBeUndefined();
        expect(await keyv.has('key')).toBe(false);
        expect(await keyv.delete('key')).toBe(false);
      });

      test('keeps each of many for its own ttl', async () => {
        await keyv.setMany([
          { key: 'short', value: 1, ttl: 1_000 },
          { key: 'long', value: 2, ttl: 2_000 },
          { key: 'endless', value: 3 },
        ]);
        vi.setSystemTime(start + 1_500);
        const all = ['short', 'long', 'endless'];
        expect(await keyv.getMany(all)).toEqual([undefined, 2, 3]);
        expect(await keyv.hasMany(all)).toEqual([false, true, true]);
        expect(await readAll(keyv)).toEqual(
          expect.arrayContaining([
            ['long', 2],
            ['endless', 3],
          ]),
        );
        expect(await readAll(keyv)).toHaveLength(2);
      });

      test('starts anew when a value is set again', async () => {
        await keyv.set('longer', 1, 1_000);
        await keyv.set('endless', 1, 1_000);
        vi.setSystemTime(start + 900);
        await keyv.set('longer', 2, 1_000);
        await keyv.set('endless', 2);
        vi.setSystemTime(start + 1_800);
        expect(await keyv.getMany(['longer', 'endless'])).toEqual([2, 2]);
        vi.setSystemTime(start + 1_901);
        expect(await keyv.getMany(['longer', 'endless'])).toEqual([undefined, 2]);
      });

      test('is enforced by the adapter itself, by an absolute time', async () => {
        const adapter = backing.createAdapter();
        await adapter.set('key', 'value', start + 1_000);
        await adapter.setMany([{ key: 'other', value: 'value', expires: start + 1_000 }]);
        expect(await adapter.getMany(['key', 'other'])).toEqual(['value', 'value']);

        vi.setSystemTime(start + 1_001);
        expect(await adapter.get('key')).toBeUndefined();
        expect(await adapter.getMany(['key', 'other'])).toEqual([undefined, undefined]);
        expect(await adapter.has('key')).toBe(false);
        expect(await adapter.hasMany(['key', 'other'])).toEqual([false, false]);
        expect(await readAll(adapter)).toEqual([]);
      });

      test('takes a time gone by for a value not there', async () => {
        const adapter = backing.createAdapter();
        await adapter.set('key', 'old');
        await adapter.set('key', 'new', start - 1);
        expect(await adapter.get('key')).toBeUndefined();
      });
    });

    describe('namespaces', () => {
      // Names that a wildcard or a mere prefix would take for each other.
      const namespaces = ['s', 'ss', 's_', 's%', 'S'];

      async function fill(): Promise<Keyv<unknown>[]> {
        const keyvs = namespaces.map(createKeyv);
        await Promise.all(keyvs.map(async (each) => each.set('key', each.namespace)));
        return keyvs;
      }

      test('keep equal keys apart', async () => {
        for (const each of await fill()) {
          expect(await each.get('key')).toBe(each.namespace);
          expect(await readAll(each)).toEqual([['key', each.namespace]]);
        }
      });

      test('are deleted from one at a time', async () => {
        const [first, ...others] = await fill();
        expect(await first?.delete('key')).toBe(true);
        for (const each of others) expect(await each.has('key')).toBe(true);
      });

      test('are cleared one at a time', async () => {
        for (const namespace of namespaces) {
          const keyvs = await fill();
          await createKeyv(namespace).clear();
          const kept = await Promise.all(keyvs.map((each) => each.has('key')));
          expect(kept).toEqual(namespaces.map((each) => each !== namespace));
        }
      });

      test('are all cleared where none is named', async () => {
        const keyvs = await fill();
        await backing.createAdapter().clear();
        for (const each of keyvs) expect(await readAll(each)).toEqual([]);
      });

      test('can be changed on the adapter', async () => {
        const adapter = backing.createAdapter();
        adapter.namespace = 'one';
        await adapter.set('key', 'value');
        adapter.namespace = 'two';
        expect(await adapter.get('key')).toBeUndefined();
        adapter.namespace = 'one';
        expect(await adapter.get('key')).toBe('value');
      });
    });

    describe('iterating', () => {
      test('bears changes on the way', async () => {
        const many = Array.from({ length: 250 }, (_, index) => `key ${index}`);
        await keyv.setMany(many.map((key) => ({ key, value: key })));
        const seen: unknown[] = [];
        for await (const [key] of keyv.iterator()) {
          seen.push(key);
          await keyv.delete(key);
        }
        expect(seen).toHaveLength(many.length);
        expect(new Set(seen)).toEqual(new Set(many));
        expect(await readAll(keyv)).toEqual([]);
      });

      test('goes on twice at a time, and may be left early', async () => {
        await keyv.setMany([
          { key: 'a', value: 1 },
          { key: 'b', value: 2 },
        ]);
        const seen: unknown[] = [];
        for await (const [outer] of keyv.iterator()) {
          seen.push(outer, (await readAll(keyv)).length);
          break;
        }
        expect(seen).toEqual([expect.stringMatching(/^[ab]$/), 2]);
        expect(await keyv.set('c', 3)).toBe(true);
      });
    });

    test('can be disconnected', async () => {
      await expect(keyv.disconnect()).resolves.toBeUndefined();
    });
  });
}

async function readAll(source: Pick<KeyvAdapter, 'iterator'>): Promise<[unknown, unknown][]> {
  const entries: [unknown, unknown][] = [];
  for await (const [key, value] of source.iterator?.() ?? []) entries.push([key, value]);
  return entries;
}
