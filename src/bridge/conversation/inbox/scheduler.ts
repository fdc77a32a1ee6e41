import { createQueue } from '../../../shared/primitives/queue.ts';
import { growingWaitMs } from '../../../shared/primitives/retry.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { maxTimerMs } from '../../../shared/primitives/time.ts';
import { type Lease, type Leases, withLease } from '../leases.ts';
import type { Inbox } from './inbox.ts';
import { isInLane, type InboxKind, type InboxRow, laneOf } from './row.ts';

/**
 * Has every row of the inbox worked on until nothing is left to do: at once when it is inserted, and
 * when it is due again, which includes what an earlier run left. What is being worked on is in
 * memory, so nothing is worked on twice.
 */
export interface Scheduler {
  /** Has rows of these kinds handled. Called before `start`. */
  handle(handlers: Partial<Record<InboxKind, Handler>>): void;
  /**
   * Inserts a row, and keeps it from being claimed until it is taken or released.
   * Resolves with false if there is one with its id.
   * @throws {Error} when it can't be stored
   */
  insert(row: InboxRow): Promise<boolean>;
  /**
   * Works on a row that this process has just inserted or begun anew, or hands it to the process with its
   * lease. Resolves when that has ended, was put off because it failed, or is another's. Never rejects.
   */
  take(row: InboxRow): Promise<void>;
  /**
   * Works on a row that has changed, after what is being done about it; or hands it to the process with
   * its lease. Never rejects.
   */
  takeAgain(id: string): Promise<void>;
  /**
   * Does what a row is for at once, if this process has its lease; undefined otherwise.
   * @throws {unknown} what the work throws
   */
  within<Result>(row: InboxRow, work: () => Promise<Result>): Promise<Result> | undefined;
  /** From now on, a row that was inserted but not taken may be claimed. */
  release(id: string): void;
  /**
   * Takes what an earlier run left, in order of arrival, and from now on what is due. Called before
   * the platforms connect, so that live rows wait behind it. Never rejects.
   */
  start(): Promise<void>;
  /** A platform has connected for the first time: its rows go on. */
  connected(platform: string): void;
  /** Resolves once nothing is being worked on. */
  idle(): Promise<void>;
}

/**
 * Does what is left to do about a row, which takes its place in order before anything is awaited. A
 * row that is not fresh may have changed since it was read. Resolves with when it is due again, if it
 * is. A row whose work throws is tried again later.
 */
export type Handler = (row: InboxRow, work: Work) => Promise<number | void>;

export interface Work {
  /** Whether this is the first try, by the process that inserted the row. */
  isFresh: boolean;
  /** Resolves once the row's platform has connected, or the process stops. */
  ready: Promise<void>;
}

export interface SchedulerOptions {
  inbox: Inbox;
  hasPlatform(name: string): boolean;
  /** Which rows are this process's. */
  leases: Leases;
  /** Aborted when the process begins to stop: rows are left to the next one. */
  closing: AbortSignal;
  log: Log;
}

/** What nobody works on is looked for this often; where processes hand rows over, one may get lost. */
const sweepMs = 60_000;
const sharedSweepMs = 5_000;
/** Waits between the tries of a row that fails. */
const waits = { firstMs: 1_000, maxMs: 5 * 60_000 };

/** After so many failures, what happens now no longer waits for what an earlier run left. */
const maxGatedFailures = 3;

/** A row whose steps have failed for so long is set aside. */
const givenUpMs = 24 * 60 * 60 * 1000;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { inbox, hasPlatform, leases, closing, log } = options;
  const handlers = new Map<string, Handler>();
  /** The rows that are not claimed: they are being worked on, or about to be. */
  const running = new Map<string, Promise<void>>();
  const held = new Set<string>();
  const lanes = createQueue();
  /** How much is being worked on in each scope. */
  const active = new Map<string, number>();
  const connections = new Map<string, PromiseWithResolvers<void>>();
  /**
   * From the start on: resolves once what an earlier run left has its place before what happens now, or
   * the process stops.
   */
  const claimed = Promise.withResolvers<void>();
  let hasStarted = false;
  const missing = new Set<string>();
  /** Failures that could not be stored: until then, the row is not due, whatever the store says. */
  const unstored = new Map<string, { attempts: number; dueAt: number }>();
  /** When rows are known to be due. */
  const times = new Set<number>();
  let timer: NodeJS.Timeout | undefined;
  let sweeping: NodeJS.Timeout | undefined;
  let claiming = Promise.resolve();
  /** The rows worked on while the due rows are read: old versions of them may have been read. */
  const changed = new Set<string>();
  /** How often what is due could not be read, in a row. */
  let failures = 0;

  closing.addEventListener('abort', close, { once: true });

  function close(): void {
    claimed.resolve();
    for (const { resolve } of connections.values()) resolve();
    clearInterval(sweeping);
    clearTimeout(timer);
  }

  function connectionOf(platform: string): PromiseWithResolvers<void> {
    const connection = connections.get(platform) ?? Promise.withResolvers<void>();
    connections.set(platform, connection);
    if (closing.aborted) connection.resolve();
    return connection;
  }

  function run(id: string, task: () => Promise<void>): Promise<void> {
    const work = (running.get(id) ?? Promise.resolve()).then(task).finally(() => {
      changed.add(id);
      if (running.get(id) === work) running.delete(id);
    });
    running.set(id, work);
    return work;
  }

  function takeAgain(id: string): Promise<void> {
    return run(id, async () => {
      await leftTaken();
      const row = await inbox.get(id).catch(() => undefined);
      if (!row || !isOpen(row)) return;
      if (!leases.leaseOf(row)) leases.hand(id);
      else if (row.dueAt > Date.now()) wakeAt(row.dueAt);
      else await workOn(row, false);
    });
  }

  /**
   * Works on a row after those of its lane that were stored before it. Another process may have handed
   * them over, and its notification may still be on the way.
   */
  async function takeInLane(row: InboxRow, isFresh: boolean): Promise<void> {
    await leftTaken();
    const lane = laneOf(row);
    await lanes.run(lane, async () => {
      const rows = await inbox.receivedIn(lane, Date.now()).catch(() => [row]);
      for (const each of rows) {
        if (running.has(each.id) || isPutOff(each)) continue;
        void run(each.id, () => workOn(each, isFresh && each.id === row.id));
      }
    });
    await running.get(row.id);
  }

  /** What an earlier run left goes first, even if the store could not be read at the start. */
  async function leftTaken(): Promise<void> {
    if (hasStarted) await claimed.promise;
  }

  async function workOn(row: InboxRow, isFresh: boolean): Promise<void> {
    const lease = leases.leaseOf(row);
    if (closing.aborted || !lease) return;
    await under(lease, () => tryRow(row, isFresh, lease.lost));
  }

  /** Works in the scope of a lease, which is not given away meanwhile. */
  async function under<Result>(lease: Lease, work: () => Promise<Result>): Promise<Result> {
    const scope = lease.fence?.scope ?? '';
    active.set(scope, (active.get(scope) ?? 0) + 1);
    try {
      return await withLease(lease, work);
    } finally {
      active.set(scope, (active.get(scope) ?? 1) - 1);
    }
  }

  async function tryRow(row: InboxRow, isFresh: boolean, lost: AbortSignal): Promise<void> {
    const ready = isFresh ? Promise.resolve() : connectionOf(row.platform).promise;
    try {
      const handler = handlers.get(row.kind);
      if (!handler) throw new Error(`Rows of the kind “${row.kind}” have no handler.`);
      const dueAt = await handler(row, { isFresh, ready });
      unstored.delete(row.id);
      if (dueAt !== undefined) wakeAt(dueAt);
    } catch (error) {
      if (lost.aborted) log.info({ row: row.id }, 'a row is left to another process');
      else if (!closing.aborted) await putOff(row.id, error);
    }
  }

  async function putOff(id: string, error: unknown): Promise<void> {
    let failure = countFailure(unstored.get(id));
    try {
      const row = await inbox.get(id);
      if (!row || !isOpen(row)) return void unstored.delete(id);
      const { platform, state, failingSince = Date.now() } = row;
      failure = countFailure({ ...row, ...unstored.get(id) });
      const { attempts } = failure;
      log.error({ err: error, row: id, platform, attempts }, 'a step failed; it will be repeated');
      if (Date.now() - failingSince >= givenUpMs) return await setAside(row);
      await inbox.update(id, { ...failure, failingSince }, [state]);
      unstored.delete(id);
    } catch (again) {
      log.error({ err: again, row: id }, 'the failure of a step could not be stored');
      unstored.set(id, failure);
    }
    wakeAt(failure.dueAt);
  }

  async function setAside({ id, state, platform, channel }: InboxRow): Promise<void> {
    await inbox.update(id, { state: 'handled', unsettled: undefined, event: undefined }, [state]);
    log.error({ row: id, state, platform, channel }, 'a row has failed for a day: it is set aside');
  }

  /** Claims what is due at a time. */
  function wakeAt(at: number): void {
    times.add(at);
    setTimer();
  }

  function setTimer(): void {
    clearTimeout(timer);
    if (closing.aborted || times.size === 0) return;
    const ms = Math.max(0, Math.min(...times) - Date.now());
    timer = setTimeout(() => void claim(), Math.min(ms, maxTimerMs));
  }

  /** Takes the rows that are due, in order of arrival. */
  function claim(): Promise<void> {
    const now = Date.now();
    for (const at of times) if (at <= now) times.delete(at);
    setTimer();
    claiming = claiming.then(claimDue);
    return claiming;
  }

  async function claimDue(): Promise<void> {
    if (closing.aborted) return;
    changed.clear();
    try {
      const { rows, unreadable } = await inbox.claimDue(Date.now());
      for (const id of unreadable) {
        log.error({ row: id }, 'a stored row can’t be read: it is set aside');
      }
      failures = 0;
      for (const row of rows) begin(row);
      claimed.resolve();
    } catch (error) {
      failures += 1;
      if (failures === 1) log.error({ err: error }, 'the due rows could not be read');
      if (failures === maxGatedFailures) claimed.resolve();
      wakeAt(Date.now() + growingWaitMs(failures, waits));
    }
  }

  function begin(row: InboxRow): void {
    const { id, platform, runBy } = row;
    if (running.has(id) || held.has(id) || changed.has(id)) return;
    if (!leases.leaseOf(row) || (runBy !== undefined && leases.isAlive(runBy))) return;
    if (isPutOff(row)) return;
    if (hasPlatform(platform)) return void run(id, () => workOn(row, false));
    if (missing.has(platform)) return;
    missing.add(platform);
    log.warn({ platform }, 'unfinished rows are kept until their platform is configured again');
  }

  function isPutOff({ id }: InboxRow): boolean {
    return (unstored.get(id)?.dueAt ?? 0) > Date.now();
  }

  leases.listen({
    handed: (id) => void takeHanded(id),
    taken: () => void (hasStarted && claim()),
    isIdle: (scope) => (active.get(scope) ?? 0) === 0,
  });

  /** Of the rows handed over, only those of this process are worked on. */
  async function takeHanded(id: string): Promise<void> {
    if (!hasStarted || closing.aborted) return;
    const row = await inbox.get(id).catch(() => undefined);
    if (!row || !leases.leaseOf(row)) return;
    if (isInLane(row)) await takeInLane(row, false);
    else await takeAgain(id);
  }

  return {
    handle(added) {
      for (const [kind, handler] of Object.entries(added)) handlers.set(kind, handler);
    },
    async insert(row) {
      held.add(row.id);
      try {
        const runBy = row.kind === 'command' ? leases.process : undefined;
        const isNew = await inbox.insert({ ...row, runBy });
        if (!isNew) held.delete(row.id);
        return isNew;
      } catch (error) {
        held.delete(row.id);
        throw error;
      }
    },
    take(row) {
      if (!leases.leaseOf(row)) {
        held.delete(row.id);
        leases.hand(row.id);
        return Promise.resolve();
      }
      // What happens now shows that its platform is connected.
      connectionOf(row.platform).resolve();
      if (leases.process !== undefined && isInLane(row)) {
        held.delete(row.id);
        return takeInLane(row, true);
      }
      const work = run(row.id, async () => {
        await leftTaken();
        await workOn(row, true);
      });
      held.delete(row.id);
      return work;
    },
    takeAgain,
    within(row, work) {
      const lease = leases.leaseOf(row);
      return lease && under(lease, work);
    },
    release(id) {
      changed.add(id);
      held.delete(id);
    },
    async start() {
      hasStarted = true;
      await claim();
      clearInterval(sweeping);
      if (!closing.aborted)
        sweeping = setInterval(() => void claim(), leases.process ? sharedSweepMs : sweepMs);
    },
    connected: (platform) => connectionOf(platform).resolve(),
    async idle() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}

function isOpen({ state, unsettled }: InboxRow): boolean {
  return unsettled === true || (state !== 'ended' && state !== 'handled');
}

/** One failure more, and when the step is tried again. */
function countFailure({ attempts }: { attempts: number } = { attempts: 0 }) {
  const failed = attempts + 1;
  return { attempts: failed, dueAt: Date.now() + growingWaitMs(failed, waits) };
}
