import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Inbox } from '../../../../src/bridge/conversation/inbox/inbox.ts';
import { type InboxRow, toReceivedRow } from '../../../../src/bridge/conversation/inbox/row.ts';
import {
  createScheduler,
  type Handler,
} from '../../../../src/bridge/conversation/inbox/scheduler.ts';
import { createQueue } from '../../../../src/shared/primitives/queue.ts';
import { openStore, type Store } from '../../../../src/bridge/stores/open-store.ts';
import { allLeases, type Leases } from '../../../../src/bridge/conversation/leases.ts';
import { createMemoryLog } from '../../../fixtures/memory-log.ts';
import { patience } from '../../../fixtures/patience.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const channel = { platform: 'fake', workspace: 'W', channel: 'C' };

let store: Store;
beforeEach(async () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  });
  store = await openStore('memory:');
});
afterEach(async () => {
  vi.useRealTimers();
  await store[Symbol.asyncDispose]();
});

/** Lets time pass in steps, after each of which the store has done what it was asked. */
async function pass(seconds: number, step = 0.5): Promise<void> {
  for (let left = seconds; left > 0; left -= step) {
    for (let looks = 0; looks < 10; looks += 1) await store.inbox.backlog();
    await vi.advanceTimersByTimeAsync(step * 1_000);
  }
  await store.inbox.backlog();
}

function rowOf(id: string): InboxRow {
  return { ...toReceivedRow({ ...channel, id }), thread: 'T' };
}

/** A scheduler on the store; another one on it is the process started again. */
function create(message: Handler, inbox: Inbox = store.inbox, leases: Leases = allLeases) {
  const log = createMemoryLog();
  const closing = new AbortController();
  const scheduler = createScheduler({
    inbox,
    hasPlatform: () => true,
    leases,
    closing: closing.signal,
    log,
  });
  scheduler.handle({ message });
  const start = async () => {
    await scheduler.start();
    scheduler.connected('fake');
  };
  const insertAndTake = async (row: InboxRow) => {
    await scheduler.insert(row);
    void scheduler.take(row);
  };
  return {
    ...scheduler,
    start,
    startUnconnected: scheduler.start,
    insertAndTake,
    log,
    close: () => closing.abort(),
  };
}

/** Works on the rows of a thread one after another, and remembers which. */
function createWorker() {
  const lane = createQueue();
  const worked: string[] = [];
  const handler: Handler = async (row, { ready }) => {
    await lane.run('T', async () => {
      await ready;
      worked.push(row.messageId);
      await store.inbox.update(row.id, { state: 'handled' });
    });
  };
  return { handler, worked };
}

const failing: Handler = async () => {
  throw new Error('away');
};

describe('a row', () => {
  it('that was inserted but not yet taken is not claimed', async () => {
    const { handler, worked } = createWorker();
    const { insert, start, release } = create(handler);
    await start();
    const row = rowOf('1');
    await insert(row);
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    expect(worked).toEqual([]);
    release(row.id);
    await pass(60, 10);
    expect(worked).toEqual(['1']);
  });

  it('that fails is tried again with growing waits, until a step succeeds', async () => {
    const tries: number[] = [];
    const began = Date.now();
    const { start, insertAndTake } = create(async ({ id }) => {
      tries.push((Date.now() - began) / 1_000);
      if (tries.length === 5) await store.inbox.update(id, { state: 'accepted' });
      if (tries.length < 6) throw new Error('away');
      await store.inbox.update(id, { state: 'handled' });
    });
    await start();
    const row = rowOf('1');
    await insertAndTake(row);
    await pass(14);
    expect(await store.inbox.get(row.id)).toMatchObject({ attempts: 4, failingSince: began });
    await pass(5);
    // The step to `accepted` was taken: its failure is the first one.
    expect(tries).toEqual([0, 1, 3, 7, 15, 16]);
    const { attempts, failingSince } = (await store.inbox.get(row.id)) ?? {};
    expect({ attempts, failingSince }).toEqual({ attempts: 0, failingSince: undefined });
  });

  it('waits at most five minutes between its tries, also where failures can’t be stored', async () => {
    const tries: number[] = [];
    const inbox: Inbox = {
      ...store.inbox,
      update: async () => {
        throw new Error('database or disk is full');
      },
    };
    const { start, insertAndTake } = create(async () => {
      tries.push(Date.now());
      throw new Error('away');
    }, inbox);
    await start();
    await insertAndTake(rowOf('1'));
    const expected = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300];
    for (const wait of expected) await pass(wait, wait);
    await pass(10, 1);
    const waits = tries.slice(1).map((at, index) => (at - (tries[index] ?? 0)) / 1_000);
    expect(waits).toEqual(expected);
  });

  it('has waits of its own, whatever others fail', async () => {
    const tries: Record<string, number[]> = { 1: [], 2: [] };
    const began = Date.now();
    const { start, insertAndTake } = create(async ({ messageId }) => {
      tries[messageId]?.push((Date.now() - began) / 1_000);
      throw new Error('away');
    });
    await start();
    await insertAndTake(rowOf('1'));
    await pass(0.5);
    await insertAndTake(rowOf('2'));
    await pass(9.5);
    expect(tries).toEqual({ 1: [0, 1, 3, 7], 2: [0.5, 1.5, 3.5, 7.5] });
  });

  it('that fails for a day is set aside, with a line in the log', async () => {
    const { start, insertAndTake, log } = create(failing);
    await start();
    const row = rowOf('1');
    await insertAndTake(row);
    await vi.advanceTimersByTimeAsync(dayMs - minuteMs);
    expect(await store.inbox.get(row.id)).toMatchObject({ state: 'received' });
    await vi.advanceTimersByTimeAsync(6 * minuteMs);
    expect(await store.inbox.get(row.id)).toMatchObject({ state: 'handled' });
    expect(log.lines.at(-1)).toMatchObject({
      fields: { row: row.id },
      message: expect.stringContaining('set aside'),
    });
  });

  it('that nobody works on is taken within a minute', async () => {
    const { handler, worked } = createWorker();
    const { start } = create(handler);
    await start();
    await store.inbox.insert(rowOf('1'));
    await vi.advanceTimersByTimeAsync(minuteMs);
    expect(worked).toEqual(['1']);
  });

  it('that is done while what is due is read is not worked on as it was', async () => {
    const done = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    const tries: string[] = [];
    const inbox: Inbox = {
      ...store.inbox,
      async claimDue(now) {
        const found = await store.inbox.claimDue(now);
        if (found.rows.length > 0) await read.promise;
        return found;
      },
    };
    const { start, insertAndTake } = create(async ({ id }) => {
      tries.push(id);
      await done.promise;
      await store.inbox.update(id, { state: 'handled' });
    }, inbox);
    await start();
    const row = rowOf('1');
    await insertAndTake(row);
    await vi.advanceTimersByTimeAsync(minuteMs);
    done.resolve();
    await vi.advanceTimersByTimeAsync(100);
    read.resolve();
    await vi.advanceTimersByTimeAsync(minuteMs);
    expect(tries).toEqual([row.id]);
  });
});

/** The leases of one of several processes, and how it hears of rows that are handed over. */
function createHandedLeases() {
  const hears = Promise.withResolvers<(row: string) => void>();
  const leases: Leases = {
    ...allLeases,
    process: 'this',
    listen: ({ handed }) => hears.resolve(handed),
  };
  return { hears, leases };
}

it('what another process has stored of a thread goes before what came later', async () => {
  const { hears, leases } = createHandedLeases();
  const { handler, worked } = createWorker();
  const { start, insertAndTake, idle } = create(handler, store.inbox, leases);
  await start();
  // Its word that it has stored the first one is still on the way.
  await store.inbox.insert(rowOf('1'));
  await store.inbox.insert({ ...rowOf('elsewhere'), thread: 'other' });
  await insertAndTake(rowOf('2'));
  await vi.waitFor(() => expect(worked).toEqual(['1', '2']), patience);
  (await hears.promise)(rowOf('1').id);
  await idle();
  expect(worked).toEqual(['1', '2']);
});

it('what a process whose clock is ahead hands over does not wait for the next sweep', async () => {
  const { hears, leases } = createHandedLeases();
  const { handler, worked } = createWorker();
  const { start, insertAndTake } = create(handler, store.inbox, leases);
  await start();
  const hear = await hears.promise;
  const soon = Date.now() + 400;
  const message = { ...rowOf('1'), createdAt: soon, dueAt: soon };
  await store.inbox.insert(message);
  // This one comes later, by any clock of its own.
  await insertAndTake(rowOf('2'));
  hear(message.id);
  await vi.waitFor(() => expect(worked).toEqual(['1', '2']), patience);

  const changed = { ...rowOf('3'), state: 'accepted' as const, dueAt: Date.now() + 400 };
  await store.inbox.insert(changed);
  hear(changed.id);
  await pass(1);
  expect(worked).toEqual(['1', '2', '3']);
});

it('while a press is handled, its lease is not given away', async () => {
  const heard = Promise.withResolvers<(scope: string) => boolean>();
  const leases: Leases = { ...allLeases, listen: ({ isIdle }) => heard.resolve(isIdle) };
  const { within } = create(async () => {}, store.inbox, leases);
  const isIdle = await heard.promise;
  const press = Promise.withResolvers<string>();
  const answer = within({ ...rowOf('1'), kind: 'press' }, () => press.promise);
  expect(isIdle('')).toBe(false);
  press.resolve('Thanks.');
  expect(await answer).toBe('Thanks.');
  expect(isIdle('')).toBe(true);
});

it('rows that were worked on leave nothing in memory', async () => {
  const row = rowOf('1');
  const inbox: Inbox = { ...store.inbox, insert: async () => true, get: async () => row };
  const { start, insert, take, takeAgain } = create((_, { ready }) => ready, inbox);
  await start();
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  async function work(times: number): Promise<number> {
    for (let time = 0; time < times; time += 1) {
      await insert(row);
      await take(row);
      await takeAgain(row.id);
    }
    collectGarbage();
    return getHeapStatistics().used_heap_size;
  }
  const before = await work(1_000);
  expect(((await work(10_000)) - before) / 10_000).toBeLessThan(100);
});

describe('at the next start', () => {
  it.each([3, 300])('%i rows go first in their thread, in order of arrival', async (count) => {
    const left = Array.from({ length: count }, (_, index) => `left ${index}`);
    for (const id of left) await store.inbox.insert(rowOf(id));
    const { handler, worked } = createWorker();
    const { start, insertAndTake, idle } = create(handler);
    await start();
    await insertAndTake(rowOf('live'));
    await idle();
    expect(worked).toEqual([...left, 'live']);
  });

  it('they also go first where the store fails at the start', async () => {
    for (const id of ['1', '2']) await store.inbox.insert(rowOf(id));
    let isDown = true;
    const inbox: Inbox = {
      ...store.inbox,
      async claimDue(now) {
        if (isDown) throw new Error('disk I/O error');
        return store.inbox.claimDue(now);
      },
    };
    const { handler, worked } = createWorker();
    const { start, insertAndTake, idle } = create(handler, inbox);
    await start();
    await insertAndTake(rowOf('live'));
    isDown = false;
    await insertAndTake(rowOf('later'));
    await pass(5);
    await idle();
    expect(worked).toEqual(['1', '2', 'live', 'later']);
  });

  it('nothing is worked on before its platform has connected', async () => {
    await store.inbox.insert(rowOf('1'));
    const { handler, worked } = createWorker();
    const { startUnconnected, connected, idle } = create(handler);
    await startUnconnected();
    await vi.advanceTimersByTimeAsync(minuteMs);
    expect(worked).toEqual([]);
    connected('fake');
    await idle();
    expect(worked).toEqual(['1']);
  });
});

describe('after closing', () => {
  it('what waits for its platform waits no longer', async () => {
    const handler = vi.fn<Handler>((_, { ready }) => ready);
    await store.inbox.insert(rowOf('1'));
    const { startUnconnected, idle, close } = create(handler);
    await startUnconnected();
    await pass(1);
    close();
    await idle();
    expect(handler).toHaveBeenCalledOnce();
  });

  it('what waits for what an earlier run left waits no longer, and is not begun', async () => {
    const claimDue = () => Promise.reject(new Error('disk I/O error'));
    const handler = vi.fn<Handler>(failing);
    const { start, insertAndTake, idle, close } = create(handler, { ...store.inbox, claimDue });
    await start();
    await insertAndTake(rowOf('1'));
    close();
    await idle();
    expect(handler).not.toHaveBeenCalled();
  });

  it('nothing is begun, whatever is due or was put off', async () => {
    const handler = vi.fn<Handler>(failing);
    const { start, insertAndTake, takeAgain, close } = create(handler);
    await start();
    const row = rowOf('1');
    await insertAndTake(row);
    await vi.advanceTimersByTimeAsync(100);
    close();
    await takeAgain(row.id);
    await insertAndTake(rowOf('2'));
    await vi.advanceTimersByTimeAsync(60 * minuteMs);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('what was being read meanwhile is left', async () => {
    const read = Promise.withResolvers<void>();
    const inbox: Inbox = {
      ...store.inbox,
      async claimDue(now) {
        const found = await store.inbox.claimDue(now);
        await read.promise;
        return found;
      },
    };
    await store.inbox.insert(rowOf('1'));
    const handler = vi.fn<Handler>(failing);
    const { start, close } = create(handler, inbox);
    const started = start();
    close();
    read.resolve();
    await started;
    await vi.advanceTimersByTimeAsync(60 * minuteMs);
    expect(handler).not.toHaveBeenCalled();
  });
});
