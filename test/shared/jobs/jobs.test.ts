import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Job, JobHandler, Run } from '../../../src/shared/jobs/jobs.ts';
import { openJobs } from '../../../src/shared/jobs/open-jobs.ts';
import type { Database } from '../../../src/shared/stores/database.ts';
import type { DatabasePlace } from '../../../src/shared/stores/open-database.ts';
import { databases, openUntilEnd, postgres, queryBeside } from '../../fixtures/databases.ts';
import { serviceMigrations } from '../../../src/service/store/schema.ts';
import { silentLog } from '../../fixtures/log.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { patience } from '../../fixtures/patience.ts';

function job(key: string, owner = 'anna', bytes = 1): Job {
  return { key, owner, bytes };
}

/**
 * A handler whose jobs go on until the test ends them, or until they are aborted, which a first one that
 * hangs ignores.
 */
function createHandler({ firstHangs = false } = {}) {
  const begun: string[] = [];
  const runs = new Map<string, Run>();
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const givenUp: string[] = [];
  return {
    begun,
    givenUp,
    runs,
    isAborted: (key: string) => runs.get(key)?.signal.aborted,
    end: (key: string) => ends.get(key)?.resolve(),
    fail: (key: string) => ends.get(key)?.reject(new Error('The disk is full')),
    async run(run: Run) {
      const end = Promise.withResolvers<void>();
      begun.push(run.key);
      runs.set(run.key, run);
      ends.set(run.key, end);
      const hangs = firstHangs && begun.length === 1;
      if (!hangs) run.signal.addEventListener('abort', () => end.resolve());
      await end.promise;
    },
    async giveUp(key: string) {
      givenUp.push(key);
    },
  };
}

/** Does at once all that it gets. */
function createQuickHandler(begun: string[]): JobHandler {
  return {
    async run({ key }) {
      begun.push(key);
    },
    giveUp: async () => {},
  };
}

async function open(place: DatabasePlace, handler: JobHandler, concurrency = 3) {
  const jobs = await openJobs(place, { name: 'test', concurrency, log: silentLog, ...handler });
  onTestFinished(() => jobs[Symbol.asyncDispose]());
  return jobs;
}

function openDatabase(place: DatabasePlace): Promise<Database<unknown>> {
  return openUntilEnd<unknown>(place, serviceMigrations);
}

describe.each(databases)('jobs beside $name', ({ createPlaces }) => {
  test('begin with the first signal, and are done once', async () => {
    const { service: place } = await createPlaces();
    const begun: string[] = [];
    const jobs = await open(place, createQuickHandler(begun));
    await jobs.add([job('a'), job('b')]);
    await jobs.add([job('a')]);
    expect(begun).toEqual([]);
    jobs.wake();
    await jobs.settled();
    expect(begun.toSorted()).toEqual(['a', 'b']);
    await jobs.add([job('a')]);
    jobs.wake();
    await jobs.settled();
    expect(begun).toHaveLength(3);
  });

  test('one of a key that runs is not added again, and no more run than have room', async () => {
    const { service: place } = await createPlaces();
    const handler = createHandler();
    const jobs = await open(place, handler, 3);
    await jobs.add([job('a1'), job('a2'), job('a3'), job('b1', 'bert'), job('b2', 'bert')]);
    jobs.wake();
    await expect.poll(() => handler.begun).toHaveLength(3);
    // One place is left to other owners.
    expect(handler.begun.toSorted()).toEqual(['a1', 'a2', 'b1']);
    await jobs.add([job('a1')]);
    for (const key of ['a1', 'a2', 'b1']) handler.end(key);
    await expect.poll(() => handler.begun).toHaveLength(5);
    for (const key of ['a3', 'b2']) handler.end(key);
    await jobs.settled();
    expect(handler.begun.slice(3).toSorted()).toEqual(['a3', 'b2']);
  });

  test('owners take turns, small jobs go first, and large ones get their turn', async () => {
    const { service: place } = await createPlaces();
    const begun: string[] = [];
    const jobs = await open(place, createQuickHandler(begun), 1);
    await jobs.add([job('large', 'anna', 9_000_000)]);
    await jobs.add(['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((key) => job(key)));
    await jobs.add([job('b1', 'bert'), job('c1', 'cleo', 8_000_000)]);
    jobs.wake();
    await jobs.settled();
    expect(begun.slice(0, 3).map((key) => key[0])).toEqual(['a', 'b', 'c']);
    expect(begun.indexOf('large')).toBeGreaterThan(3);
    expect(begun.indexOf('large')).toBeLessThan(begun.length - 1);
  });

  test('one that is cancelled ends, and is done again only after that', async () => {
    const { service: place } = await createPlaces();
    const handler = createHandler();
    const jobs = await open(place, handler, 3);
    const database = await openDatabase(place);
    await jobs.add([job('a'), job('waits', 'bert', 9)]);
    jobs.wake();
    await expect.poll(() => handler.begun).toContain('a');
    const run = handler.runs.get('a');
    await database.transaction(async (tx) => {
      await run?.hold(tx);
      await jobs.cancel('a', tx);
      await jobs.add([job('a')], tx);
    });
    await expect(database.transaction(async (tx) => run?.hold(tx))).rejects.toThrow('abort');
    jobs.wake();
    await expect.poll(() => run?.signal.aborted).toBe(true);
    await expect.poll(() => handler.begun.filter((key) => key === 'a')).toHaveLength(2);
    expect(handler.isAborted('a')).toBe(false);
    await database.transaction(async (tx) => handler.runs.get('a')?.hold(tx));
  });

  test('one that fails is tried again, though others go on', async () => {
    const { service: place } = await createPlaces();
    const handler = createHandler();
    const jobs = await open(place, handler, 3);
    await jobs.add([job('a'), job('b', 'bert')]);
    jobs.wake();
    await expect.poll(() => handler.begun).toHaveLength(2);
    handler.fail('a');
    const again = async () => {
      await jobs.add([job('a')]);
      jobs.wake();
      return handler.begun;
    };
    await expect.poll(again).toHaveLength(3);
    expect(handler.begun.filter((key) => key === 'a')).toHaveLength(2);
    handler.end('a');
    handler.end('b');
    await jobs.settled();
  });
});

describe.runIf(postgres.isInstalled)('shared jobs', () => {
  const { createPlaces } = postgres;

  test('are part of the transaction that adds them', async () => {
    const { service: place } = await createPlaces();
    const begun: string[] = [];
    const jobs = await open(place, createQuickHandler(begun));
    const database = await openDatabase(place);
    const undone = database.transaction(async (tx) => {
      await jobs.add([job('a')], tx);
      throw new Error('The rest failed.');
    });
    await expect(undone).rejects.toThrow('The rest failed.');
    await database.transaction((tx) => jobs.add([job('b')], tx));
    jobs.wake();
    await jobs.settled();
    expect(begun).toEqual(['b']);
  });

  test('log why a connection has ended, and nothing else that its client knows', async () => {
    const { service: place } = await createPlaces();
    const log = createMemoryLog();
    const handler = createQuickHandler([]);
    await using jobs = await openJobs(place, { name: 'test', concurrency: 1, log, ...handler });
    await jobs.settled();
    await queryBeside(
      place,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    const reason = 'terminating connection due to administrator command';
    await vi.waitFor(
      () =>
        expect(log.lines).toContainEqual({
          level: 'warn',
          fields: { reason, jobs: 'test' },
          message: 'the upkeep of the jobs failed',
        }),
      patience,
    );
  });

  /** Two processes. */
  async function openTwo({ concurrency = 3, firstHangs = false } = {}) {
    const { service: place } = await createPlaces();
    const handlers = [createHandler({ firstHangs }), createHandler()] as const;
    const one = await open(place, handlers[0], concurrency);
    const other = await open(place, handlers[1], concurrency);
    return { place, one, other, handlers };
  }

  /** Changes jobs as time or a fault would. */
  const edit = (place: DatabasePlace, change: string) =>
    queryBeside(place, `UPDATE causeway_jobs.job SET ${change}`);

  test('each is done by one process, and none takes up all places of one', async () => {
    const { one, other, handlers } = await openTwo();
    await one.add(Array.from({ length: 9 }, (_, at) => job(`a${at}`)));
    one.wake();
    other.wake();
    await expect.poll(() => handlers.flatMap(({ begun }) => begun)).toHaveLength(4);
    expect(handlers.map(({ begun }) => begun.length)).toEqual([2, 2]);
    await one.add([job('b', 'bert')]);
    other.wake();
    await expect.poll(() => handlers[1].begun.concat(handlers[0].begun)).toContain('b');
    const end = () => {
      for (const { begun, end } of handlers) begun.forEach(end);
      return handlers.flatMap(({ begun }) => begun).length;
    };
    await expect.poll(end).toBe(10);
    const all = handlers.flatMap(({ begun }) => begun);
    expect(new Set(all).size).toBe(10);
  });

  test('another process cancels one', async () => {
    const { place, one, other, handlers } = await openTwo();
    const database = await openDatabase(place);
    await one.add([job('a')]);
    one.wake();
    await expect.poll(() => handlers[0].begun).toEqual(['a']);
    await database.transaction((tx) => other.cancel('a', tx));
    await expect.poll(() => handlers[0].isAborted('a')).toBe(true);
    await other.settled();
    expect(handlers[1].begun).toEqual([]);
  });

  test('a process that says nothing loses what it does, and can’t end it any more', async () => {
    // The first one has no room to begin the job anew.
    const { place, one, other, handlers } = await openTwo({ concurrency: 1, firstHangs: true });
    const database = await openDatabase(place);
    onTestFinished(() => handlers[0].end('a'));
    await one.add([job('a')]);
    one.wake();
    await expect.poll(() => handlers[0].begun).toEqual(['a']);
    const run = handlers[0].runs.get('a');
    // As when it is paused for so long, and as another process then finds it.
    await edit(place, "heartbeat_on = now() - interval '1 minute'");
    await edit(place, 'retry_delay = 0, retry_backoff = false');
    const isTaken = async () => {
      await edit(place, "heartbeat_on = now() - interval '1 minute' WHERE retry_count = 0");
      await other.takeOver();
      return handlers[1].begun;
    };
    await expect.poll(isTaken).toEqual(['a']);
    await expect(database.transaction(async (tx) => run?.hold(tx))).rejects.toThrow('abort');
    await database.transaction(async (tx) => handlers[1].runs.get('a')?.hold(tx));
  });

  test('a process that stops gives its jobs to others at once', async () => {
    const { place, one, other, handlers } = await openTwo();
    await one.add([job('a')]);
    one.wake();
    await expect.poll(() => handlers[0].begun).toEqual(['a']);
    await one[Symbol.asyncDispose]();
    expect(handlers[0].isAborted('a')).toBe(true);
    const [given] = await queryBeside(place, 'SELECT state, retry_count FROM causeway_jobs.job');
    expect(given).toEqual({ state: 'created', retry_count: 0 });
    other.wake();
    await expect.poll(() => handlers[1].begun).toEqual(['a']);
  });

  test('one that fails too often is given up, unless it was added again', async () => {
    const { place, one, handlers } = await openTwo();
    await one.add([job('a'), job('b', 'bert')]);
    one.wake();
    await expect.poll(() => handlers[0].begun.toSorted()).toEqual(['a', 'b']);
    await edit(place, 'retry_limit = 0');
    handlers[0].fail('a');
    handlers[0].fail('b');
    const states = async () =>
      (await queryBeside(place, 'SELECT state, name FROM causeway_jobs.job ORDER BY state')).map(
        ({ state, name }) => `${String(name)} ${String(state)}`,
      );
    await expect
      .poll(states)
      .toEqual(['test_failed created', 'test_failed created', 'test failed', 'test failed']);
    await one.add([job('b', 'bert')]);
    await one.takeOver();
    expect(handlers[0].givenUp).toEqual(['a']);
  });
});
