import { expect, test } from 'vitest';
import { createFairQueue } from '../../../src/shared/jobs/open-jobs.ts';

function createQueue(maxPerOwner = 9) {
  const queue = createFairQueue(maxPerOwner);
  const running = new Map<string, string>();
  return {
    add(owner: string, ...jobs: [key: string, bytes: number][]) {
      for (const [key, bytes] of jobs) queue.add({ owner, key, bytes });
    },
    remove: queue.remove,
    /** Starts the next one. */
    start() {
      const job = queue.take(running);
      if (job) running.set(job.key, job.owner);
      return job?.key;
    },
    end: (key = '') => running.delete(key),
    /** The order in which all are done, one at a time. */
    order() {
      const keys: string[] = [];
      for (let key = this.start(); key !== undefined; key = this.start()) {
        keys.push(key);
        this.end(key);
      }
      return keys.join(' ');
    },
  };
}

test('owners take turns, however much one of them adds first', () => {
  const queue = createQueue();
  queue.add('anna', ['a1', 1], ['a2', 1], ['a3', 1], ['a4', 1]);
  queue.add('bert', ['b1', 1], ['b2', 1]);
  queue.add('cleo', ['c1', 1]);
  expect(queue.order()).toBe('a1 b1 c1 a2 b2 a3 a4');
});

test('the owner with the fewest running comes first, and none has more than its share', () => {
  const queue = createQueue(2);
  queue.add('anna', ['a1', 1], ['a2', 1], ['a3', 1]);
  expect([queue.start(), queue.start(), queue.start()]).toEqual(['a1', 'a2', undefined]);
  queue.add('bert', ['b1', 1], ['b2', 1]);
  expect(queue.start()).toBe('b1');
  queue.end('a1');
  queue.end('a2');
  expect([queue.start(), queue.start()]).toEqual(['a3', 'b2']);
});

test('small jobs go before large ones, which get every fourth turn', () => {
  const queue = createQueue();
  queue.add('anna', ['large', 900], ['huge', 999]);
  queue.add('anna', ...Array.from({ length: 7 }, (_, at): [string, number] => [`s${at}`, at]));
  expect(queue.order()).toBe('s0 s1 s2 large s3 s4 s5 huge s6');
});

test('a job that is removed is not done; one that is still running waits until it has ended', () => {
  const queue = createQueue();
  queue.add('anna', ['a1', 1], ['a2', 1]);
  queue.remove('a1');
  expect(queue.start()).toBe('a2');
  queue.add('anna', ['a2', 1]);
  expect(queue.start()).toBeUndefined();
  queue.end('a2');
  expect(queue.start()).toBe('a2');
});
