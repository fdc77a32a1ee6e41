import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { InboxRow } from '../../../src/bridge/conversation/inbox/row.ts';
import { type CausewayProcess, startCauseway } from '../../e2e/causeway-process.ts';
import { findPostgres, startPostgresServer } from '../../fixtures/postgres-server.ts';
import { type Bridge, createDeaths } from './bridge.ts';

/** Several bridges on one store of Postgres. Each kill is one process's. */
export interface Bridges extends Bridge {
  /** Stops a process with SIGSTOP for a while. */
  pause(ms: number): Promise<void>;
  /** Ends Postgres as a crash does, and starts it again after a while. */
  restartStore(awayMs: number): Promise<void>;
  /** How long each scope of a process that was killed or paused was without a holder, in ms. */
  takeovers(platform: 'slack' | 'discord'): number[];
}

interface Scope {
  scope: string;
  /** A bigint. */
  epoch: string;
}

/** Where rows are read again, and takeovers are noticed, this often. */
const pollMs = 50;
/** What was whole so long after a disturbance could be read by whoever takes over. */
const takenAfterMs = 3_000;
/** After this, a scope had not been the dead process's. */
const maxTakeoverMs = 15_000;

/** Starts Postgres too, on its own folder, with commits that wait for the disk. */
export async function openBridges(
  env: Record<string, string>,
  { count, folder }: { count: number; folder: string },
): Promise<Bridges> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('Postgres is not installed.');
  await using parts = new AsyncDisposableStack();
  const server = parts.use(await startPostgresServer(programs, { isDurable: true }));
  const url = await server.createDatabase('bench');
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    options: '-c search_path=causeway_bridge',
  });
  pool.on('error', () => {});
  const processes: (CausewayProcess | undefined)[] = Array.from({ length: count });
  const outputs: string[] = [];
  /** When something happened to a process or the store, by `performance.now()`. */
  const disturbances: number[] = [];
  const deaths = createDeaths();
  const takeovers: { scope: string; ms: number }[] = [];
  let rows: { at: number; row: InboxRow }[] = [];
  let turn = 0;
  let storeWasAway = false;
  let dead: number | undefined;
  let watching: Promise<unknown> = Promise.resolve();
  const closing = new AbortController();

  async function query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    return (await pool.query<Row>(text)).rows;
  }

  async function readRows(): Promise<void> {
    const found = await query<{ created_at: string; value: string }>(
      "SELECT created_at, value FROM inbox WHERE value <> '' ORDER BY arrival",
    );
    rows = found.map(({ created_at: at, value }) => ({
      at: Number(at),
      row: InboxRow.parse(JSON.parse(value)),
    }));
  }

  async function keepReading(): Promise<void> {
    while (!closing.signal.aborted) {
      await readRows().catch(() => {});
      await sleep(pollMs);
    }
  }

  async function readScopes(): Promise<Map<string, string>> {
    const found = await query<Scope>('SELECT scope, epoch FROM leases');
    return new Map(found.map(({ scope, epoch }) => [scope, epoch]));
  }

  /** Notes when others have taken what a process held. */
  async function watchTakeovers(from: number, before: Map<string, string>): Promise<void> {
    while (performance.now() - from < maxTakeoverMs && !closing.signal.aborted) {
      const now = await readScopes().catch(() => before);
      for (const [scope, epoch] of now) {
        if (!before.has(scope) || before.get(scope) === epoch) continue;
        takeovers.push({ scope, ms: Math.round(performance.now() - from) });
        before.set(scope, epoch);
      }
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

  /** Resolves once others have what it held. */
  async function disturb(index: number): Promise<void> {
    const from = performance.now();
    disturbances.push(from);
    outputs.push(processes[index]?.output() ?? '');
    watching = Promise.all([watching, watchTakeovers(from, await readScopes())]);
  }

  parts.defer(async () => {
    closing.abort();
    for (const each of processes) await each?.[Symbol.asyncDispose]();
    await Promise.all([watching, reading]);
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
    inbox: (since) => rows.filter(({ at }) => at >= since).map(({ row }) => row),
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
    kill(port) {
      if (dead !== undefined) return false;
      dead = choose(port);
      const killed = processes[dead];
      if (!killed) return false;
      process.kill(killed.pid, 'SIGKILL');
      watching = Promise.all([watching, disturb(dead).catch(() => {})]);
      return true;
    },
    async ended() {
      if (dead === undefined) return;
      await processes[dead]?.ended;
      processes[dead] = undefined;
      await readRows();
      deaths.note(rows.map(({ row }) => row));
    },
    async pause(ms) {
      const index = choose(undefined);
      const { pid } = processes[index] ?? {};
      if (pid === undefined) return;
      process.kill(pid, 'SIGSTOP');
      await disturb(index);
      deaths.note(rows.map(({ row }) => row));
      await sleep(ms);
      process.kill(pid, 'SIGCONT');
    },
    async restartStore(awayMs) {
      storeWasAway = true;
      disturbances.push(performance.now());
      deaths.note(rows.map(({ row }) => row));
      await server.stop();
      await sleep(awayMs);
      await server.start();
    },
    takeovers: (platform) =>
      takeovers.filter(({ scope }) => scope.startsWith(`${platform}:`)).map(({ ms }) => ms),
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
