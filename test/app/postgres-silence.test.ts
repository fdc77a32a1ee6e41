import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openLeases } from '../../src/bridge/stores/open-leases.ts';
import { openStore } from '../../src/bridge/stores/open-store.ts';
import { bridgeMigrations, type BridgeTables } from '../../src/bridge/stores/schema.ts';
import { openJobs } from '../../src/shared/jobs/open-jobs.ts';
import { isAway } from '../../src/shared/stores/open-error.ts';
import { openUntilEnd, postgres } from '../fixtures/databases.ts';
import { startFaultyNetwork } from '../fixtures/faulty-network.ts';
import { silentLog } from '../fixtures/log.ts';
import { patience } from '../fixtures/patience.ts';

const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
const [beginInterval, endInterval] = [setInterval, clearInterval];
/** Five times as fast as in reality, so that answers still have their time. */
const [everyMs, stepMs] = [20, 100];
let passedMs = 0;
let passing: NodeJS.Timeout;

beforeEach(() => {
  vi.useFakeTimers({ toFake: [...timers] });
  passedMs = 0;
  passing = beginInterval(() => {
    passedMs += stepMs;
    vi.advanceTimersByTime(stepMs);
  }, everyMs);
});
afterEach(() => {
  endInterval(passing);
  vi.useRealTimers();
});

/** As long as it may take until a connection of notifications is known to be dead, and some more. */
const soonMs = 20_000;

/** Tries until it succeeds, which has to be soon. */
async function soon<Result>(attempt: () => Result | Promise<Result>): Promise<Result> {
  const sinceMs = passedMs;
  const result = await vi.waitFor(attempt, { ...patience, interval: everyMs });
  expect(passedMs - sinceMs).toBeLessThan(soonMs);
  return result;
}

const faults = [
  ['the server of connections is gone', 'fail'],
  ['a firewall forgets connections', 'silence'],
] as const;

describe.runIf(postgres.isInstalled).each(faults)('%s, which nothing tells', (_, fault) => {
  async function open() {
    const { storeUrl, bridge } = await postgres.createPlaces();
    const network = await startFaultyNetwork(storeUrl);
    onTestFinished(() => network[Symbol.asyncDispose]());
    return { network, place: { ...bridge, url: network.url } };
  }

  test('and the store, the leases and the jobs of a process soon work again', async () => {
    const { network, place } = await open();
    const begun: string[] = [];
    await using store = await openStore(place.url);
    await using shared = await openLeases(place.url, store, silentLog);
    await using jobs = await openJobs(place, {
      name: 'test',
      concurrency: 1,
      log: silentLog,
      run: async ({ key }) => void begun.push(key),
      giveUp: async () => {},
    });
    const settings = store.keyv('settings');
    await settings.set('key', 'before');
    jobs.wake();
    const workspace = { platform: 'slack', workspace: 'W1' };
    const hasEnded = () => shared.leases.leaseOf(workspace)?.ended.aborted;
    await soon(() => expect(hasEnded()).toBe(false));

    network[fault]();
    const ended = soon(() => expect(hasEnded()).toBe(true));
    const failed = await soon(() => settings.get('key').catch((error: unknown) => error));
    expect(isAway(failed)).toBe(true);
    expect(await soon(() => settings.get('key'))).toBe('before');
    await ended;
    await soon(() => expect(hasEnded()).toBe(false));
    await soon(() => jobs.add([{ key: 'job', owner: 'anna', bytes: 1 }]));
    await soon(() => expect(begun).toContain('job'));
  });

  test('and what a transaction had locked is free', async () => {
    const { network, place } = await open();
    const database = await openUntilEnd<BridgeTables>(place, bridgeMigrations);
    const interrupt = () =>
      database.transaction(async (tx) => {
        await sql`SELECT 1`.execute(tx);
        network[fault]();
        await sql`SELECT 2`.execute(tx);
      });
    const failed = await soon(() => interrupt().catch((error: unknown) => error));
    expect(isAway(failed)).toBe(true);
    expect(await soon(() => database.transaction(async () => 'works'))).toBe('works');
  });
});

describe.runIf(postgres.isInstalled)('a connection that has no answer for long', () => {
  test('goes on while Postgres works on its query, and while it has none', async () => {
    const { bridge } = await postgres.createPlaces();
    const one = await openUntilEnd<BridgeTables>(bridge, bridgeMigrations);
    const other = await openUntilEnd<BridgeTables>(bridge, bridgeMigrations);
    // Sessions that begin from now on have another time zone.
    await sql`DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), 'Asia/Tokyo');
    END $$`.execute(other.queries);
    const done: string[] = [];
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const first = one.exclusively('upkeep', 'wait', async () => {
      begun.resolve();
      await gate.promise;
      done.push('first');
    });
    await begun.promise;
    const second = other.exclusively('upkeep', 'wait', async () => void done.push('second'));
    await vi.waitFor(() => expect(passedMs).toBeGreaterThan(soonMs), patience);
    gate.resolve();
    await Promise.all([first, second]);
    expect(done).toEqual(['first', 'second']);
  });
});
