import type { KyselyPlugin } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLeaseKeeper } from '../../../src/bridge/stores/lease-keeper.ts';
import { LeaseStore } from '../../../src/bridge/stores/lease-store.ts';
import { createInboxStore } from '../../../src/bridge/stores/inbox-store.ts';
import { bridgeMigrations, type BridgeTables } from '../../../src/bridge/stores/schema.ts';
import { toReceivedRow } from '../../../src/bridge/conversation/inbox/row.ts';
import {
  type Lease,
  LostLeaseError,
  underLease,
  withLease,
} from '../../../src/bridge/conversation/leases.ts';
import { createKeyvStore } from '../../../src/shared/stores/keyv-store.ts';
import { openNotifications } from '../../../src/shared/stores/notifications.ts';
import { currentFence } from '../../../src/bridge/conversation/leases.ts';
import { checkFence } from '../../../src/bridge/stores/lease-store.ts';
import { openUntilEnd, postgres } from '../../fixtures/databases.ts';
import { silentLog } from '../../fixtures/log.ts';
import { patience } from '../../fixtures/patience.ts';

const usual = { beatMs: 40, ttlMs: 400, marginMs: 100 };
const workspaces = ['W1', 'W2', 'W3', 'W4'].map((workspace) => ({ platform: 'slack', workspace }));

describe.runIf(postgres.isInstalled)('leases', () => {
  /** Processes on one store, until the test ends. */
  async function openProcesses() {
    const { bridge } = await postgres.createPlaces();
    return async function start(times = usual) {
      const database = await openUntilEnd<BridgeTables>(bridge, bridgeMigrations);
      const notifications = openNotifications(bridge.url, silentLog);
      onTestFinished(() => notifications[Symbol.asyncDispose]());
      let isPaused = false;
      /** A process that is paused or cut off says nothing. */
      const transaction: typeof database.transaction = (work, scope) =>
        isPaused ? Promise.reject(new Error('paused')) : database.transaction(work, scope);
      const store = new LeaseStore({
        transaction,
        get queries() {
          if (isPaused) throw new Error('paused');
          return database.queries;
        },
      });
      const keeper = await createLeaseKeeper(store, { notifications, log: silentLog, times });
      onTestFinished(() => keeper[Symbol.asyncDispose]());
      const heard: string[] = [];
      keeper.listen({ handed: (row) => heard.push(row), taken() {}, isIdle: () => true });
      return {
        keeper,
        database,
        heard,
        pause: (paused: boolean) => void (isPaused = paused),
        /** What it holds of the four workspaces. */
        held: () =>
          workspaces.filter((place) => keeper.leaseOf(place)).map((each) => each.workspace),
      };
    };
  }

  const until = (check: () => void) => vi.waitFor(check, { ...patience, interval: 20 });

  test('are shared between processes, and each has one holder', async () => {
    const start = await openProcesses();
    const one = await start();
    await until(() => expect(one.held()).toHaveLength(4));
    const other = await start();
    await until(() => expect([one.held().length, other.held().length]).toEqual([2, 2]));
    expect([...one.held(), ...other.held()].toSorted()).toEqual(['W1', 'W2', 'W3', 'W4']);
  });

  test('are not taken while others are put in their place', async () => {
    const { bridge } = await postgres.createPlaces();
    const open = () => openUntilEnd<BridgeTables>(bridge, bridgeMigrations);
    const [database, other] = [await open(), new LeaseStore(await open())];
    await other.enter('other', 60_000);
    await other.settle('discord', ['discord:0/1'], false);
    const taken: unknown[] = [];
    const othersTake: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        taken.push(...(await other.take('other', 9)));
        return result;
      },
    };
    const store = new LeaseStore({
      queries: database.queries,
      transaction: (work, scope) =>
        database.transaction((tx) => work(tx.withPlugin(othersTake)), scope),
    });
    await store.settle('discord', ['discord:0/2', 'discord:1/2'], false);
    expect(taken).toEqual([]);
    const free = await other.take('other', 9);
    expect(free.map(({ scope }) => scope).toSorted()).toEqual(['discord:0/2', 'discord:1/2']);
  });

  test('of a process that ends are taken at once, and it writes nothing after that', async () => {
    const start = await openProcesses();
    // They don't end by themselves meanwhile.
    const lasting = { ...usual, ttlMs: 120_000 };
    const one = await start(lasting);
    await until(() => expect(one.held()).toHaveLength(4));
    const other = await start(lasting);
    await until(() => expect(other.held()).toHaveLength(2));
    const leases = workspaces.flatMap((place) => one.keeper.leaseOf(place) ?? []);
    expect(leases.map(({ isValid }) => isValid)).toEqual([true, true]);
    await one.keeper[Symbol.asyncDispose]();
    expect(leases.map(({ isValid }) => isValid)).toEqual([false, false]);
    await until(() => expect(other.held()).toHaveLength(4));
  });

  test('of a process that was silent are another’s, and its writes fail', async () => {
    const start = await openProcesses();
    // Long enough for what happens between two beats on a busy machine.
    const calm = { ...usual, ttlMs: 2_000, marginMs: 1_000 };
    const paused = await start(calm);
    await until(() => expect(paused.held()).toHaveLength(4));
    const [place] = workspaces;
    if (!place) throw new Error('There is a workspace.');
    const lease = paused.keeper.leaseOf(place) as Lease;
    const inbox = createInboxStore(paused.database.queries);
    const keyv = createKeyvStore(paused.database, {
      namespace: 'session',
      check() {
        const fence = currentFence();
        return fence && ((tx) => checkFence(tx, fence));
      },
    });
    const row = toReceivedRow({ ...place, channel: 'C', id: '1' }, {});
    await inbox.insert(row);
    await withLease(lease, async () => {
      underLease(undefined);
      expect(await inbox.update(row.id, { attempt: 1 })).toMatchObject({ attempt: 1 });
      await keyv.set('key', 'before');
    });

    // What is under way ends before another process takes over, and not once this one learns of it.
    const own = new AbortController();
    const ended = await withLease(lease, async () => underLease(own.signal));
    const heldThen: string[][] = [];
    const others: (typeof paused)[] = [];
    ended?.addEventListener('abort', () => heldThen.push(others.flatMap(({ held }) => held())));
    paused.pause(true);
    const other = await start(calm);
    others.push(other);
    await until(() => expect(other.held()).toHaveLength(4));
    expect(heldThen).toEqual([[]]);
    expect(ended?.reason).toBeInstanceOf(LostLeaseError);
    await withLease(lease, async () => {
      expect(() => underLease(undefined)).toThrow(LostLeaseError);
      await expect(inbox.update(row.id, { attempt: 2 })).rejects.toThrow(LostLeaseError);
      await expect(keyv.set('key', 'after')).rejects.toThrow(LostLeaseError);
      await expect(keyv.update('key', () => 'after')).rejects.toThrow(LostLeaseError);
      await expect(keyv.delete('key')).rejects.toThrow(LostLeaseError);
    });
    expect(await inbox.get(row.id)).toMatchObject({ attempt: 1 });
    expect(await keyv.get('key')).toBe('before');
    // A setting is nobody's work alone.
    await keyv.set('key', 'of anybody');

    expect(lease.lost.aborted).toBe(false);
    paused.pause(false);
    await until(() => expect(lease.lost.aborted).toBe(true));
    expect(lease.lost.reason).toBeInstanceOf(LostLeaseError);
    await until(() => expect([paused.held().length, other.held().length]).toEqual([2, 2]));
  });

  test('end for their holder before another process takes them', async () => {
    const start = await openProcesses();
    const paused = await start();
    await until(() => expect(paused.held()).toHaveLength(4));
    const other = await start();
    paused.pause(true);
    const lease = workspaces.map((each) => paused.keeper.leaseOf(each)).find(Boolean);
    let wasValid = true;
    await until(() => {
      if (other.held().length < 4) wasValid = true;
      wasValid &&= lease?.isValid === true;
      expect(other.held()).toHaveLength(4);
    });
    expect(wasValid).toBe(false);
  });

  test('of a process that died are taken as soon as they end, and not only at the next beat', async () => {
    const start = await openProcesses();
    const one = await start({ ...usual, ttlMs: 1_000 });
    await until(() => expect(one.held()).toHaveLength(4));
    // This one says that it is alive once a minute.
    const other = await start({ beatMs: 60_000, ttlMs: 120_000, marginMs: 100 });
    await until(() => expect(one.keeper.count).toBe(2));
    one.pause(true);
    await until(() => expect(other.held()).toHaveLength(4));
  });

  test('stay where they are when all processes were cut off from the store', async () => {
    const start = await openProcesses();
    const [one, other] = [await start(), await start()];
    await until(() => expect([one.held().length, other.held().length]).toEqual([2, 2]));
    const leases = workspaces.flatMap((each) =>
      [one, other].map(({ keeper }) => keeper.leaseOf(each)),
    );
    for (const each of [one, other]) each.pause(true);
    const alive = () =>
      one.database.queries
        .selectFrom('processes')
        .select('id')
        .where('untilMs', '>', Date.now() - usual.ttlMs)
        .execute();
    await vi.waitFor(async () => expect(await alive()).toEqual([]), patience);
    for (const each of [one, other]) each.pause(false);
    const held = leases.filter((lease) => lease !== undefined);
    await until(() => expect(held.map(({ isValid }) => isValid)).toEqual([true, true, true, true]));
  });

  test('are kept while a transaction about leases takes long', async () => {
    const start = await openProcesses();
    const one = await start();
    await until(() => expect(one.held()).toHaveLength(4));
    const untilMs = async () => {
      const [row] = await one.database.queries.selectFrom('processes').selectAll().execute();
      return row?.untilMs ?? 0;
    };
    const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const holding = one.database.transaction(async () => {
      begin();
      await gate;
    }, 'leases');
    await begun;
    const before = await untilMs();
    const later = async () => expect(await untilMs()).toBeGreaterThan(before + usual.ttlMs);
    await vi.waitFor(later, patience).finally(goOn);
    await holding;
    expect(one.held()).toHaveLength(4);
  });

  test('hand rows over', async () => {
    const start = await openProcesses();
    const [one, other] = [await start(), await start()];
    await until(() => {
      one.keeper.hand('r1');
      expect(other.heard).toContain('r1');
    });
    expect(one.heard).toEqual([]);
    const many = Array.from({ length: 1_000 }, (_, at) => `row-number-${at}`);
    for (const row of many) one.keeper.hand(row);
    await until(() => expect(new Set(other.heard).isSupersetOf(new Set(many))).toBe(true));
  });

  test('know who is alive', async () => {
    const start = await openProcesses();
    const [one, other] = [await start(), await start()];
    const id = other.keeper.process ?? '';
    await until(() => expect(one.keeper.isAlive(id)).toBe(true));
    expect(one.keeper.count).toBe(2);
    other.pause(true);
    await until(() => expect(one.keeper.isAlive(id)).toBe(false));
    expect(one.keeper.count).toBe(1);
  });
});
