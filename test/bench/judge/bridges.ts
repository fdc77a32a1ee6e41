import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { InboxRow } from '../../../src/bridge/conversation/inbox/row.ts';
import { type CausewayProcess, startCauseway } from '../../e2e/causeway-process.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { findPostgres, startPostgresServer } from '../../fixtures/postgres-server.ts';
import { type Bridge, createDeaths } from './bridge.ts';
import { createTakeovers, readHeld, type Takeovers } from './takeovers.ts';

/** Several bridges on one store of Postgres. Each kill is one process's. */
export interface Bridges extends Bridge {
  /** Stops a process with SIGSTOP for a while. */
  pause(ms: number): Promise<void>;
  /** Ends Postgres as a crash does, and starts it again after a while. */
  restartStore(awayMs: number): Promise<void>;
  /** How long others took to take over from processes that were killed or paused. */
  takeovers: Takeovers['times'];
}

interface ReadRow {
  arrival: string;
  revision: string;
  created_at: string;
  value: string;
}

/** What has changed in rows is read this often. */
const pollMs = 100;
/** What was whole so long after a disturbance could be read by whoever takes over. */
const takenAfterMs = 3_000;

/** Starts Postgres too, on its own folder, with commits that wait for the disk. */
export async function openBridges(
  env: Record<string, string>,
  { count, folder, discord }: { count: number; folder: string; discord: Sandbox['discord'] },
): Promise<Bridges> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('Postgres is not installed.');
  await using parts = new AsyncDisposableStack();
  const server = parts.use(await startPostgresServer(programs, { isDurable: true }));
  const url = await server.createDatabase('bench');
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    options: '-c search_path=causeway_bridge',
  });
  pool.on('error', () => {});
  const processes: (CausewayProcess | undefined)[] = Array.from({ length: count });
  const outputs: string[] = [];
  /** When something happened to a process or the store, by `performance.now()`. */
  const disturbances: number[] = [];
  const deaths = createDeaths();
  const takeovers = createTakeovers(pool, discord);
  /** In order of arrival. Numbers of 64 bits are texts. */
  let rows = new Map<string, { revision: string; at: number; row: InboxRow }>();
  let turn = 0;
  let storeWasAway = false;
  let storeIsThere = Promise.resolve();
  let dead: number | undefined;
  const watching: Promise<void>[] = [];
  const closing = new AbortController();
  /** Aborted while nothing can be told of takeovers. */
  let telling = new AbortController();

  async function readRows(): Promise<void> {
    const { rows: all } = await pool.query<{ arrival: string; revision: string }>(
      "SELECT arrival, revision FROM inbox WHERE value <> '' ORDER BY arrival",
    );
    const changed = all.filter(({ arrival, revision }) => rows.get(arrival)?.revision !== revision);
    const { rows: read } = await pool.query<ReadRow>(
      "SELECT arrival, revision, created_at, value FROM inbox WHERE arrival = ANY($1) AND value <> ''",
      [changed.map(({ arrival }) => arrival)],
    );
    const known = new Map(rows);
    for (const { arrival, revision, created_at: at, value } of read)
      known.set(arrival, { revision, at: Number(at), row: InboxRow.parse(JSON.parse(value)) });
    rows = new Map(
      all.flatMap(({ arrival }) => {
        const row = known.get(arrival);
        return row ? [[arrival, row]] : [];
      }),
    );
  }

  async function keepReading(): Promise<void> {
    while (!closing.signal.aborted) {
      await readRows().catch(() => {});
      await sleep(pollMs);
    }
  }

  async function startOne(index: number): Promise<void> {
    const dataDir = join(folder, String(index));
    mkdirSync(dataDir, { recursive: true });
    processes[index] = await startCauseway({ ...env, DATA_DIR: dataDir, STORE_URL: url });
  }

  /** The process that has a connection from this port, or another one each time. */
  function choose(port: number | undefined): number {
    const pid = port === undefined ? undefined : findProcess(port);
    const index = processes.findIndex((each) => each?.pid === pid);
    return index >= 0 ? index : (turn += 1) % count;
  }

  /** A process was killed or paused. */
  function disturb(index: number): void {
    disturbances.push(performance.now());
    outputs.push(processes[index]?.output() ?? '');
    const signal = AbortSignal.any([closing.signal, telling.signal]);
    watching.push(takeovers.watch(signal).catch(() => {}));
  }

  parts.defer(async () => {
    closing.abort();
    for (const each of processes) await each?.[Symbol.asyncDispose]();
    await Promise.all([...watching, reading]);
    await pool.end();
  });
  const reading = keepReading();
  const opened = parts.move();
  return {
    couldRead({ at, wholeAt = Infinity }) {
      const next = disturbances.find((disturbance) => disturbance > at);
      return next === undefined || wholeAt < next + takenAfterMs;
    },
    diedAsking: deaths.diedAsking,
    left: deaths.left,
    inbox: (since) => [...rows.values()].flatMap(({ at, row }) => (at >= since ? row : [])),
    pid: undefined,
    get storeWasAway() {
      return storeWasAway;
    },
    async start() {
      // The first one makes the tables.
      for (let index = 0; index < count; index += 1) {
        if (!processes[index]) await startOne(index);
      }
      dead = undefined;
    },
    async shared() {
      for (;;) {
        const { leases, processes } = await readHeld(pool);
        const holders = [...leases.values()].map(({ holder }) => holder ?? '');
        const share = Math.ceil(leases.size / count);
        const isFair = [...processes.keys()].every(
          (id) => holders.filter((holder) => holder === id).length <= share,
        );
        const isWhole = holders.every((holder) => processes.has(holder));
        if (processes.size === count && isFair && isWhole) return;
        await sleep(pollMs);
      }
    },
    kill(port) {
      if (dead !== undefined) return false;
      dead = choose(port);
      const killed = processes[dead];
      if (!killed) return false;
      process.kill(killed.pid, 'SIGKILL');
      disturb(dead);
      return true;
    },
    async ended() {
      if (dead === undefined) return;
      await processes[dead]?.ended;
      processes[dead] = undefined;
      await storeIsThere;
      await readRows();
      deaths.note([...rows.values()].map(({ row }) => row));
    },
    async pause(ms) {
      const index = choose(undefined);
      const { pid } = processes[index] ?? {};
      if (pid === undefined) return;
      process.kill(pid, 'SIGSTOP');
      disturb(index);
      deaths.note([...rows.values()].map(({ row }) => row));
      await sleep(ms);
      process.kill(pid, 'SIGCONT');
    },
    async restartStore(awayMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      storeWasAway = true;
      storeIsThere = promise;
      telling.abort();
      disturbances.push(performance.now());
      deaths.note([...rows.values()].map(({ row }) => row));
      await server.stop();
      await sleep(awayMs);
      await server.start();
      resolve();
      telling = new AbortController();
    },
    takeovers: takeovers.times,
    output: () => [...outputs, ...processes.map((each) => each?.output() ?? '')].join('\n'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Linux only. */
function findProcess(port: number): number | undefined {
  const found = execFileSync('ss', ['-tnpH', `sport = :${port}`], { encoding: 'utf8' });
  const pid = /\bpid=(\d+)/.exec(found)?.[1];
  return pid === undefined ? undefined : Number(pid);
}
