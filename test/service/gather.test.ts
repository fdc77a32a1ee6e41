import { expect, test } from 'vitest';
import { toGathered } from '../../src/service/gather.ts';

/** Deltas, one each turn of the event loop, and then `end`. */
async function* createDeltas(deltas: string[], end: () => string = () => 'end') {
  for (const delta of deltas) {
    await new Promise((resolve) => setImmediate(resolve));
    yield delta;
  }
  return end();
}

test('gives a waiting reader each delta, and the outcome', async () => {
  const gathered = toGathered(createDeltas(['a', 'b', 'c']));
  expect(await gathered.next()).toEqual({ done: false, value: 'a' });
  expect(await gathered.next()).toEqual({ done: false, value: 'b' });
  expect(await gathered.next()).toEqual({ done: false, value: 'c' });
  expect(await gathered.next()).toEqual({ done: true, value: 'end' });
});

test('joins deltas that arrive while the reader is busy', async () => {
  let ended = () => {};
  const allCame = new Promise<void>((resolve) => (ended = resolve));
  const deltas = createDeltas(['a', 'b', 'c', 'd'], () => {
    ended();
    return 'end';
  });
  const gathered = toGathered(deltas);
  expect(await gathered.next()).toEqual({ done: false, value: 'a' });
  await allCame;
  expect(await gathered.next()).toEqual({ done: false, value: 'bcd' });
  expect(await gathered.next()).toEqual({ done: true, value: 'end' });
});

test('lets deltas wait for a reader who is far behind', async () => {
  let given = 0;
  async function* pour() {
    for (;;) {
      given += 1000;
      yield 'x'.repeat(1000);
      await new Promise((resolve) => setImmediate(resolve));
      if (given > 1_000_000) return;
    }
  }
  const gathered = toGathered(pour());
  await gathered.next();
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(given).toBeLessThan(20_000);
  const { value } = await gathered.next();
  expect(String(value).length).toBeGreaterThan(15_000);
  await gathered.return(undefined);
});

test('throws a failure after the deltas before it', async () => {
  const gathered = toGathered(
    createDeltas(['a'], () => {
      throw new Error('broken');
    }),
  );
  expect((await gathered.next()).value).toBe('a');
  await expect(gathered.next()).rejects.toThrow('broken');
});

test('ends the deltas when its reader leaves', async () => {
  let hasEnded = false;
  async function* pour() {
    try {
      for (;;) yield 'x'.repeat(10_000);
    } finally {
      hasEnded = true;
    }
  }
  const gathered = toGathered(pour());
  await gathered.next();
  await gathered.return(undefined);
  expect(hasEnded).toBe(true);
});
