import { expect, test } from 'vitest';
import { silentLog } from '../../fixtures/log.ts';
import { createFairQueue } from '../../../src/service/ingestion/fair-queue.ts';
import { createIngestion } from '../../../src/service/ingestion/ingestion.ts';
import { countReaders } from '../../../src/service/ingestion/ingestion.ts';

function createQueue(maxPerOwner = 9) {
  const queue = createFairQueue(maxPerOwner);
  const running = new Map<string, string>();
  return {
    add(owner: string, ...sources: [uuid: string, bytes: number][]) {
      for (const [uuid, bytes] of sources) queue.add({ owner, uuid, bytes });
    },
    remove: queue.remove,
    /** Starts the next one. */
    start() {
      const source = queue.take(running);
      if (source) running.set(source.uuid, source.owner);
      return source?.uuid;
    },
    end: (uuid = '') => running.delete(uuid),
    /** The order in which all are read, one at a time. */
    order() {
      const uuids: string[] = [];
      for (let uuid = this.start(); uuid !== undefined; uuid = this.start()) {
        uuids.push(uuid);
        this.end(uuid);
      }
      return uuids.join(' ');
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

test('small sources go before large ones, which get every fourth turn', () => {
  const queue = createQueue();
  queue.add('anna', ['large', 900], ['huge', 999]);
  queue.add('anna', ...Array.from({ length: 7 }, (_, at): [string, number] => [`s${at}`, at]));
  expect(queue.order()).toBe('s0 s1 s2 large s3 s4 s5 huge s6');
});

test('a source that is removed is not read; one that is still running waits until it has ended', () => {
  const queue = createQueue();
  queue.add('anna', ['a1', 1], ['a2', 1]);
  queue.remove('a1');
  expect(queue.start()).toBe('a2');
  queue.add('anna', ['a2', 1]);
  expect(queue.start()).toBeUndefined();
  queue.end('a2');
  expect(queue.start()).toBe('a2');
});

test.each([
  [1, 64, 2],
  [2, 64, 3],
  [4, 64, 5],
  [64, 64, 8],
  [8, 3, 3],
  [8, 0.5, 2],
])('%i cores and %f GiB read %i files at once', (cores, gibibytes, readers) => {
  expect(countReaders({ cores, memoryBytes: gibibytes * 1024 ** 3 })).toBe(readers);
});

test('one owner’s sources do not hold up another’s', async () => {
  const begun: string[] = [];
  const goOn = Promise.withResolvers<void>();
  const ingest = async (uuid: string) => {
    begun.push(uuid);
    await goOn.promise;
  };
  await using ingestion = createIngestion({ readers: 3, ingest, log: silentLog });
  for (const uuid of ['a1', 'a2', 'a3', 'a4']) ingestion.add({ owner: 'anna', uuid, bytes: 1 });
  for (const uuid of ['b1', 'b2']) ingestion.add({ owner: 'bert', uuid, bytes: 1 });
  ingestion.cancel('a4');
  await Promise.resolve();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  goOn.resolve();
  await ingestion.settled();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});
