import { expect, test } from 'vitest';
import { createChanges } from '../../src/sandbox/changes.ts';

interface Change {
  count: number;
}

const isOver = (least: number) => (change: Change) => change.count > least;

test('listeners hear everything until they leave', () => {
  const changes = createChanges<Change>();
  const heard: number[] = [];
  const leave = changes.subscribe(({ count }) => heard.push(count));
  changes.announce({ count: 1 });
  changes.announce({ count: 2 });
  leave();
  changes.announce({ count: 3 });
  expect(heard).toEqual([1, 2]);
});

test('waiting resolves with the first change that fits', async () => {
  const changes = createChanges<Change>();
  const waiting = changes.waitFor(isOver(1));
  for (const count of [1, 2, 3]) changes.announce({ count });
  expect(await waiting).toEqual({ count: 2 });
});

test('waiting too long fails and says what was seen instead', async () => {
  const changes = createChanges<Change>();
  const waiting = changes.waitFor(isOver(9), { timeout: 1 });
  changes.announce({ count: 7 });
  await expect(waiting).rejects.toThrow('{"count":7}');
});

test('waiting ends with its signal, before or later', async () => {
  const changes = createChanges<Change>();
  const stop = new AbortController();
  const waiting = changes.waitFor(isOver(0), { signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(changes.waitFor(isOver(0), { signal: stop.signal })).rejects.toThrow('enough');
});

test('a predicate that throws rejects the wait, not the announcement', async () => {
  const changes = createChanges<Change>();
  const waiting = changes.waitFor(() => {
    throw new Error('bad predicate');
  });
  changes.announce({ count: 1 });
  await expect(waiting).rejects.toThrow('bad predicate');
});
