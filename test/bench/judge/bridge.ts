import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSqliteInbox } from '../../../src/bridge/stores/sqlite-inbox.ts';
import { type CausewayProcess, startCauseway } from '../../e2e/causeway-process.ts';
import { type Asked, nameIn } from './service.ts';

/** The bridge as a process that can be killed at any time, while it starts too. */
export interface Bridge extends AsyncDisposable {
  /**
   * Whether the process that read a reply could have read it whole: it was asked by the process that
   * runs now, or stored whole before the next one started.
   */
  couldRead(asked: Asked): boolean;
  /**
   * Whether a process died with the stored intent to ask this question. It may have died before it
   * sent the query, which nobody sees from outside.
   */
  diedAsking(name: string): boolean;
  readonly pid: number | undefined;
  /** All that the last process printed. */
  output(): string;
  /** Starts the process; resolves once it is ready, or was killed. */
  start(): Promise<void>;
  /** Kills the process at once, with SIGKILL; false if it was dead already. */
  kill(): boolean;
  /** Resolves once a killed process is gone. */
  ended(): Promise<void>;
}

export function createBridge(env: Record<string, string> & { DATA_DIR: string }): Bridge {
  let life = new AbortController();
  let process: CausewayProcess | undefined;
  /** When each process was started, by `performance.now()`. */
  const births: number[] = [];
  let starting: Promise<void> = Promise.resolve();
  const intents = new Set<string>();

  async function bear(signal: AbortSignal): Promise<void> {
    try {
      process = await startCauseway(env, signal);
    } catch (error) {
      // Killed while it started.
      if (!signal.aborted) throw error;
    }
  }

  return {
    couldRead({ at, wholeAt = Infinity }) {
      const next = births.find((birth) => birth > at);
      return next === undefined || wholeAt < next;
    },
    diedAsking: (name) => intents.has(name),
    get pid() {
      return process?.pid;
    },
    output: () => process?.output() ?? '',
    start(): Promise<void> {
      life = new AbortController();
      births.push(performance.now());
      starting = bear(life.signal);
      return starting;
    },
    kill(): boolean {
      if (life.signal.aborted) return false;
      life.abort();
      return true;
    },
    async ended(): Promise<void> {
      await starting;
      await process?.ended;
      for (const query of await readIntents(env.DATA_DIR)) intents.add(nameIn(query) ?? query);
    },
    async [Symbol.asyncDispose]() {
      life.abort();
      await starting.catch(() => {});
      await process?.ended;
    },
  };
}

/** The queries of the turns whose last stored step is the intent to ask. */
async function readIntents(folder: string): Promise<string[]> {
  using database = new DatabaseSync(join(folder, 'causeway.sqlite'));
  const { rows } = await createSqliteInbox(database).claimDue(Date.now());
  return rows.flatMap(({ state, query }) => (state === 'asking' && query ? [query] : []));
}
