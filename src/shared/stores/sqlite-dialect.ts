import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { createLru } from '../primitives/cache.ts';
import { growingWaitMs, retry } from '../primitives/retry.ts';
import { monotonicMs, sleep } from '../primitives/time.ts';
import { isBusy } from './open-error.ts';

/** Statements that stay prepared: preparing one takes longer than running it. */
const maxStatements = 300;
/** Longer ones insert or look for many rows, are seldom the same, and would take up much memory. */
const maxKeptLength = 2_000;
/** How long queries may keep other work of the process waiting. */
const maxTurnMs = 5;
/** How long a query waits in all while another process has the file locked. */
const busyLimitMs = 10_000;
const busyWaits = { firstMs: 5, maxMs: 250 };

/**
 * Kysely on a database of node:sqlite, which the caller closes.
 * @param onAcquire called before a query or transaction waits for its turn; may throw
 */
export function createSqliteDialect(database: DatabaseSync, onAcquire: () => void): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => createDriver(database, onAcquire),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class Adapter extends SqliteAdapter {
  /** SQLite rolls back what changes the schema, too: a migration happens whole or not at all. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
  /** The driver has them wait for each other itself, as Kysely's own lock has no `onAcquire`. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** A transaction takes the write lock at its start, so that it never waits for it half-way. */
function createDriver(database: DatabaseSync, onAcquire: () => void): Driver {
  const connection = createConnection(database);
  const run = (sql: string) => connection.executeQuery({ sql, parameters: [] });
  /** Those that wait for the connection. */
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    async init() {},
    async acquireConnection() {
      onAcquire();
      const since = monotonicMs();
      if (isTaken) await new Promise<void>((resolve) => waiting.push(resolve));
      isTaken = true;
      connection.since = since;
      return connection;
    },
    async releaseConnection() {
      const next = waiting.shift();
      if (next) next();
      else isTaken = false;
    },
    beginTransaction: async () => void (await run('BEGIN IMMEDIATE')),
    commitTransaction: async () => void (await run('COMMIT')),
    // SQLite rolls back by itself when, for example, the disk is full.
    rollbackTransaction: async () => void (database.isTransaction && (await run('ROLLBACK'))),
    async destroy() {},
  };
}

interface SqliteConnection extends DatabaseConnection {
  /** When its user began to wait for it, by `monotonicMs`. */
  since: number;
  executeQuery<Row>(query: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<QueryResult<Row>>;
}

function createConnection(database: DatabaseSync): SqliteConnection {
  const statements = createLru<{ statement: StatementSync; isReader: boolean }>(maxStatements);
  let spentMs = 0;

  function prepare(sql: string) {
    const known = statements.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const prepared = { statement, isReader: statement.columns().length > 0 };
    if (sql.length <= maxKeptLength) statements.set(sql, prepared);
    return prepared;
  }

  function execute<Row>(sql: string, values: SQLInputValue[]): QueryResult<Row> {
    const { statement, isReader } = prepare(sql);
    if (isReader) return { rows: statement.all(...values) as Row[] };
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
  }

  return {
    since: 0,
    async executeQuery<Row>({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>) {
      const start = monotonicMs();
      const task = () => execute<Row>(sql, [...parameters] as SQLInputValue[]);
      const result = await retryBusy(task, this.since);
      spentMs += monotonicMs() - start;
      // SQLite answers at once, so many queries in a row would let nothing else happen.
      if (spentMs > maxTurnMs) {
        spentMs = 0;
        await nextTurn();
      }
      return result;
    },
    streamQuery() {
      throw new Error('Rows are read in pages: a cursor would keep the database locked.');
    },
  };
}

/** Runs a task, again and again while another process has the file locked. */
async function retryBusy<Result>(task: () => Result, since: number): Promise<Result> {
  try {
    return task();
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  const hasTime = () => monotonicMs() - since < busyLimitMs;
  try {
    return await retry(async () => task(), {
      waitMs: (error, failures) =>
        isBusy(error) && hasTime() ? growingWaitMs(failures, busyWaits) : undefined,
      sleep,
    });
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Error(
      `Another process has had the database locked for ${busyLimitMs / 1000} seconds. Close the program that has it open.`,
      { cause: error },
    );
  }
}
