import { expect, test } from 'vitest';
import { createCapacity } from '../../../../src/bridge/conversation/turns/capacity.ts';
import { othersGoOn } from '../../../fixtures/memory-store.ts';

const { signal } = new AbortController();

/** Turns that run until they are ended. */
function open(max: number) {
  let places = max;
  const capacity = createCapacity(() => places);
  const running: { workspace: string; end(): void }[] = [];
  const ended: Promise<void>[] = [];
  const count = (workspace: string) =>
    running.filter((each) => each.workspace === workspace).length;
  return {
    capacity,
    count,
    allow: (max: number) => void (places = max),
    async ask(workspace: string, turns = 1) {
      for (let turn = 0; turn < turns; turn += 1) {
        const task = async () => {
          const { promise, resolve } = Promise.withResolvers<void>();
          const entry = { workspace, end: resolve };
          running.push(entry);
          await promise;
          running.splice(running.indexOf(entry), 1);
        };
        ended.push(capacity.run(workspace, signal, task));
      }
      await othersGoOn();
    },
    async end(workspace: string) {
      running.find((each) => each.workspace === workspace)?.end();
      await othersGoOn();
    },
    async [Symbol.asyncDispose]() {
      while (running.length > 0) {
        running[0]?.end();
        await othersGoOn();
      }
      await Promise.all(ended);
    },
  };
}

test('a workspace alone gets all places', async () => {
  await using turns = open(4);
  await turns.ask('A', 10);
  expect(turns.count('A')).toBe(4);
});

test('where several ask, none holds all places while others wait', async () => {
  await using turns = open(4);
  await turns.ask('A', 10);
  await turns.ask('B', 2);
  await turns.end('A');
  expect([turns.count('A'), turns.count('B')]).toEqual([3, 1]);
  await turns.end('A');
  await turns.end('A');
  expect([turns.count('A'), turns.count('B')]).toEqual([2, 2]);
  await turns.end('B');
  await turns.end('B');
  expect([turns.count('A'), turns.count('B')]).toEqual([3, 0]);
  await turns.ask('C');
  expect(turns.count('C')).toBe(1);
});

test('one that asks much does not keep others from waiting', async () => {
  await using turns = open(1);
  await turns.ask('A', 1);
  await turns.ask('B', 8);
  expect(turns.capacity.isFull('B')).toBe(true);
  expect(turns.capacity.isFull('A')).toBe(false);
});

test('those that wait take turns', async () => {
  await using turns = open(1);
  await turns.ask('A', 3);
  await turns.ask('B', 1);
  await turns.end('A');
  await turns.end('A');
  expect(turns.count('B')).toBe(1);
});

test('one that gives up waiting takes no place', async () => {
  await using turns = open(1);
  const given = new AbortController();
  await turns.ask('A');
  const gaveUp = turns.capacity.run('A', given.signal, async () => {});
  await turns.ask('A');
  given.abort(new Error('It was stopped.'));
  await expect(gaveUp).rejects.toThrow('It was stopped.');
  await turns.end('A');
  expect(turns.count('A')).toBe(1);
});

test('what waits begins in all places that another process has left', async () => {
  await using turns = open(1);
  await turns.ask('A', 6);
  turns.allow(4);
  await turns.end('A');
  expect(turns.count('A')).toBe(4);
});
