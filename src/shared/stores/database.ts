import { AsyncLocalStorage } from 'node:async_hooks';
import { CamelCasePlugin, type Dialect, Kysely } from 'kysely';

/** A database with these tables. Disposing closes it; every later call rejects. */
export interface Database<Tables> extends AsyncDisposable {
  readonly queries: Kysely<Tables>;
  readonly isOpen: boolean;
  /** Whether other processes use it at the same time. */
  readonly isShared: boolean;
  /** How its connections are used, where it has several. */
  readonly pool?: Pool;
  /**
   * Runs work in one transaction, which rolls back if it rejects. The work awaits only queries of
   * `tx`: others would wait for the transaction's end, and are refused. It runs again where the database
   * aborts it because of another one, so it changes nothing else.
   * @param scope transactions wait for each other, except those of different scopes
   */
  transaction<Result>(work: Work<Tables, Result>, scope?: string): Promise<Result>;
  /** Like `transaction`, but what is committed survives only the death of the process, not a power cut. */
  relaxed<Result>(work: Work<Tables, Result>, scope?: string): Promise<Result>;
  /**
   * Runs work while no other process runs any of the same name.
   * @param ifBusy whether to `wait` for the other one, or to `skip` the work
   * @returns its result; undefined if it was skipped
   */
  exclusively<Result>(
    name: string,
    ifBusy: 'wait' | 'skip',
    work: () => Promise<Result>,
  ): Promise<Result | undefined>;
  /** Gives the space of what was deleted back to the file system, and erases it from the log. */
  reclaimSpace(): Promise<void>;
}

/** How many connections to a server are in use and idle, and how many queries wait for one. */
export interface Pool {
  inUse: number;
  idle: number;
  waiting: number;
}

/** What a transaction does. */
export type Work<Tables, Result> = (tx: Kysely<Tables>) => Promise<Result>;

/** Queries in which columns are properties in camelCase. */
export function createQueries<Tables>(dialect: Dialect): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect,
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}

/** Tells whether a query comes from the work of a transaction without being part of it. */
export interface TransactionGuard {
  /** Runs a transaction's work. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** @throws {Error} in the work of a transaction that is open */
  check(): void;
}

export function createTransactionGuard(): TransactionGuard {
  const current = new AsyncLocalStorage<{ isOpen: boolean }>();
  return {
    async run(work) {
      const scope = { isOpen: true };
      try {
        return await current.run(scope, work);
      } finally {
        scope.isOpen = false;
      }
    },
    check() {
      if (!current.getStore()?.isOpen) return;
      throw new Error('A transaction waits for a query outside of it, which waits for its end.');
    },
  };
}
