import { beforeEach, describe, expect, test } from 'vitest';
import type { Coordinator } from '../../src/conversation/ports.ts';

/** Where claims lie: every coordinator made of one sees what the others took. */
export interface CoordinatorBacking {
  createCoordinator(): Coordinator;
  /** Lets time pass. */
  advance(ms: number): void | Promise<void>;
}

const lookalikes = ['a', 'A', 'a ', 'a%', '_', '*', 'a:b', 'é', 'e\u0301', '😀'];
const oddities = ["'; DROP TABLE claims; --", 'nul\u0000a', 'nul\u0000b', 'k'.repeat(1_000)];
const keys = [...lookalikes, ...oddities];

/**
 * What the core relies on to do once what must happen once.
 * @param open a fresh, empty backing, called once for each test
 */
export function describeCoordinator(name: string, open: () => CoordinatorBacking): void {
  describe(`${name} as a coordinator`, () => {
    let backing: CoordinatorBacking;
    let coordinator: Coordinator;
    let other: Coordinator;

    beforeEach(() => {
      backing = open();
      coordinator = backing.createCoordinator();
      other = backing.createCoordinator();
    });

    describe('a claim', () => {
      test('is for the first who asks', async () => {
        expect(await coordinator.claim('message', 1_000)).toBe(true);
        expect(await coordinator.claim('message', 1_000)).toBe(false);
        expect(await other.claim('message', 1_000)).toBe(false);
      });

      test('is for one of many who ask at the same time', async () => {
        const asked = Array.from({ length: 100 }, async (_, index) =>
          (index % 2 ? coordinator : other).claim('message', 1_000),
        );
        expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1);
      });

      test('keeps every key apart, whatever its characters', async () => {
        for (const key of keys) expect(await coordinator.claim(key, 1_000)).toBe(true);
        for (const key of keys) expect(await other.claim(key, 1_000)).toBe(false);
      });

      test('lasts for its ttl, which a vain try does not lengthen', async () => {
        await coordinator.claim('message', 1_000);
        await backing.advance(999);
        expect(await other.claim('message', 1_000)).toBe(false);
        await backing.advance(1);
        expect(await other.claim('message', 1_000)).toBe(true);
        await backing.advance(999);
        expect(await coordinator.claim('message', 1_000)).toBe(false);
      });
    });

    test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a ttl of %d', async (ttl) => {
      await expect(coordinator.claim('key', ttl)).rejects.toThrow(RangeError);
    });
  });
}
