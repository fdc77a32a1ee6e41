import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { InboxRow } from '../../../src/bridge/conversation/inbox/row.ts';
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
  /** The rows of its inbox that were stored since a time, in milliseconds since the epoch. */
  inbox(since: number): InboxRow[];
  /** What the processes left when they died: how many rows of which kind in which state. */
  readonly left: Readonly<Record<string, number>>;
  readonly pid: number | undefined;
  /** Whether its store was away. */
  readonly storeWasAway?: boolean;
  /** All that the last process printed. */
  output(): string;
  /** Starts the process; resolves once it is ready, or was killed. */
  start(): Promise<void>;
  /**
   * Kills the process at once, with SIGKILL; false if it was dead already.
   * @param port where it has made a connection from, as one of several
   */
  kill(port?: number): boolean;
  /** Resolves once each of several processes has its share. */
  shared?(): Promise<void>;
  /** Resolves once a killed process is gone. */
  ended(): Promise<void>;
}

export function createBridge(env: Record<string, string> & { DATA_DIR: string }): Bridge {
  let life = new AbortController();
  let process: CausewayProcess | undefined;
  /** When each process was started, by `performance.now()`. */
  const births: number[] = [];
  let starting: Promise<void> = Promise.resolve();
  const deaths = createDeaths();

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
    diedAsking: deaths.diedAsking,
    inbox: (since) => readInbox(env.DATA_DIR, since),
    left: deaths.left,
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
      deaths.note(readInbox(env.DATA_DIR, 0));
    },
    async [Symbol.asyncDispose]() {
      life.abort();
      await starting.catch(() => {});
      await process?.ended;
    },
  };
}

/** What was in the inbox whenever a process died. */
export function createDeaths() {
  const intents = new Set<string>();
  const left: Record<string, number> = {};
  return {
    left,
    diedAsking: (name: string) => intents.has(name),
    note(rows: readonly InboxRow[]): void {
      for (const row of rows.filter(isOpen)) {
        const { kind, state, query, unsettled } = row;
        const what = `${kind} ${state}${unsettled ? ' unsettled' : ''}`;
        left[what] = (left[what] ?? 0) + 1;
        if (state === 'asking' && query) intents.add(nameIn(query) ?? query);
      }
    },
  };
}

/** Whether something is left to do about a row. */
export function isOpen({ state, unsettled }: Pick<InboxRow, 'state' | 'unsettled'>): boolean {
  return unsettled === true || (state !== 'ended' && state !== 'handled');
}

function readInbox(folder: string, since: number): InboxRow[] {
  using database = new DatabaseSync(join(folder, 'causeway.sqlite'), { readOnly: true });
  return database
    .prepare("SELECT value FROM inbox WHERE created_at >= ? AND value <> '' ORDER BY arrival")
    .all(since)
    .map(({ value }) => InboxRow.parse(JSON.parse(String(value))));
}
