import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { InboxRow } from '../../../src/bridge/conversation/inbox/row.ts';
import { type CausewayProcess, startCauseway } from '../../e2e/causeway-process.ts';
import {
  findPostgres,
  type PostgresServer,
  startPostgresServer,
} from '../../fixtures/postgres-server.ts';
import type { Bridge } from './bridge.ts';
import { type Asked, nameIn } from './service.ts';

/** Several bridges on one store of Postgres, of which any can be killed or paused. */
export interface Bridges extends Pick<Bridge, 'couldRead' | 'diedAsking'>, AsyncDisposable {
  readonly server: PostgresServer;
  readonly url: string;
  start(): Promise<void>;
  /** Kills one with SIGKILL, and starts it again after a while. */
  kill(index: number, awayMs: number): Promise<void>;
  /** Stops one with SIGSTOP for a while. */
  pause(index: number, ms: number): Promise<void>;
  /** Ends Postgres as a crash does, and starts it again after a while. */
  restartStore(awayMs: number): Promise<void>;
  /** All that the processes printed. */
  output(): string;
}

/** Starts Postgres too, on its own folder, with commits that wait for the disk. */
export async function openBridges(
  env: Record<string, string>,
  { count, folder }: { count: number; folder: string },
): Promise<Bridges> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('Postgres is not installed.');
  const server = await startPostgresServer(programs, { isDurable: true });
  const url = await server.createDatabase('bench');
  const processes: (CausewayProcess | undefined)[] = [];
  const outputs: string[] = [];
  /** When something happened to a process or the store, by `performance.now()`. */
  const disturbances: number[] = [];
  const intents = new Set<string>();

  async function startOne(index: number): Promise<void> {
    const dataDir = join(folder, String(index));
    mkdirSync(dataDir, { recursive: true });
    processes[index] = await startCauseway({ ...env, DATA_DIR: dataDir, STORE_URL: url });
  }

  /** What is being asked now may be asked by another process, or by none. */
  async function note(): Promise<void> {
    disturbances.push(performance.now());
    for (const row of await readInbox(url)) {
      if (row.state === 'asking' && row.query) intents.add(nameIn(row.query) ?? row.query);
    }
  }

  return {
    server,
    url,
    couldRead({ at, wholeAt = Infinity }: Asked) {
      const next = disturbances.find((disturbance) => disturbance > at);
      return next === undefined || wholeAt < next;
    },
    diedAsking: (name) => intents.has(name),
    async start() {
      // The first one makes the tables.
      for (let index = 0; index < count; index += 1) await startOne(index);
    },
    async kill(index, awayMs) {
      const process = processes[index];
      if (!process) return;
      outputs.push(process.output());
      process.stop('SIGKILL').catch(() => {});
      await process.ended;
      await note();
      await sleep(awayMs);
      await startOne(index);
    },
    async pause(index, ms) {
      const { pid = 0 } = processes[index] ?? {};
      process.kill(pid, 'SIGSTOP');
      await note();
      await sleep(ms);
      process.kill(pid, 'SIGCONT');
      await note();
    },
    async restartStore(awayMs) {
      await note();
      await server.stop();
      await sleep(awayMs);
      await server.start();
    },
    output: () => [...outputs, ...processes.map((each) => each?.output() ?? '')].join('\n'),
    async [Symbol.asyncDispose]() {
      await Promise.all(processes.map((each) => each?.[Symbol.asyncDispose]()));
      await server[Symbol.asyncDispose]();
    },
  };
}

async function readInbox(url: string): Promise<InboxRow[]> {
  const client = new pg.Client({
    connectionString: url,
    options: '-c search_path=causeway_bridge',
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ value: string }>(
      "SELECT value FROM inbox WHERE value <> ''",
    );
    return rows.map(({ value }) => InboxRow.parse(JSON.parse(value)));
  } finally {
    await client.end();
  }
}
