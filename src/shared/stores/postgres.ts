import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Driver,
  type Kysely,
  PostgresDialect,
  PostgresDriver,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import pg from 'pg';
import { RefusedError } from '../primitives/refused-error.ts';
import { createQueue } from '../primitives/queue.ts';
import { growingWaitMs, retry } from '../primitives/retry.ts';
import { sleep } from '../primitives/time.ts';
import { watched } from './watched-client.ts';
import { createQueries, createTransactionGuard, type Database, type Work } from './database.ts';
import { postgres } from './dialect.ts';
import { codeOf, poolerAdvice } from './open-error.ts';
import { checkAllMade, checkMade, migrate, type Migrations } from './migrations.ts';
import { toPostgresText, typeParsers } from './postgres-values.ts';

/** A schema of a database of Postgres. */
export interface PostgresPlace {
  /** `postgres://…`, with everything that `pg` reads in it. */
  url: string;
  schema: string;
  /** Max connections. Default 10. */
  maxConnections?: number;
  /** Gets the errors of connections that nothing waits for. */
  onError?(error: Error): void;
}

/** How long a query waits for a connection, also while the server is away. */
const connectTimeoutMs = 5_000;
const minVersion = 13;
/** https://www.postgresql.org/docs/current/errcodes-appendix.html: aborted because of another one. */
const isGivenUp = (error: unknown) => ['40001', '40P01'].includes(codeOf(error));
const givenUpLimit = 5;
const givenUpWaits = { firstMs: 10, maxMs: 200 };

/**
 * Opens a schema of a database of Postgres, which any number of processes may use at the same time;
 * creates it if it is missing.
 * @throws {RefusedError} when a newer version of Causeway wrote it, or the server can't be used
 */
export async function openPostgres<Tables>(
  place: PostgresPlace,
  migrations: Migrations,
): Promise<Database<Tables>> {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(connect<Tables>(place));
  const { queries } = database;
  await checkSessions(queries, place);
  await database.exclusively('migrations', 'wait', async () => {
    await sql`CREATE SCHEMA IF NOT EXISTS ${sql.id(place.schema)}`.execute(queries);
    await checkServer(queries, place);
    const made = await readMade(queries, place.schema);
    checkMade(nameOf(place), made, migrations);
    if (made.length < Object.keys(migrations).length) {
      await migrate(queries, migrations, { dialect: postgres, schema: place.schema });
    }
  });
  opening.move();
  return database;
}

/** @see openToRead */
export async function openPostgresToRead<Tables>(
  place: PostgresPlace,
  migrations: Migrations,
): Promise<Database<Tables> | undefined> {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(connect<Tables>(place));
  const made = await readMade(database.queries, place.schema);
  checkMade(nameOf(place), made, migrations);
  if (!checkAllMade(nameOf(place), made, migrations)) return undefined;
  opening.move();
  return database;
}

function connect<Tables>(place: PostgresPlace): Database<Tables> {
  const { url, schema, maxConnections = 10, onError = () => {} } = place;
  const pool = new pg.Pool({
    ...watched,
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    application_name: 'causeway',
    options: `-c search_path=${schema}`,
    types: typeParsers,
  });
  pool.on('error', onError);
  // What fails while a connection is used is that query's error.
  pool.on('connect', (client) => client.on('error', () => {}));
  const guard = createTransactionGuard();
  const queries = createQueries<Tables>(new Dialect(pool, guard.check));
  /** So that those of one process wait with one connection. */
  const turns = createQueue();
  let isOpen = true;

  function transaction<Result>(
    work: Work<Tables, Result>,
    { scope, isRelaxed }: { scope: string | undefined; isRelaxed: boolean },
  ): Promise<Result> {
    guard.check();
    const run = () =>
      queries.transaction().execute(async (tx) => {
        if (isRelaxed) await sql`SET LOCAL synchronous_commit = off`.execute(tx);
        await waitForTurn(tx, schema, scope);
        return guard.run(() => work(tx));
      });
    return turns.run(scope ?? '', () => untilKept(run));
  }

  return {
    queries,
    get isOpen() {
      return isOpen;
    },
    isShared: true,
    get pool() {
      const { totalCount, idleCount: idle, waitingCount: waiting } = pool;
      return { inUse: totalCount - idle, idle, waiting };
    },
    transaction: (work, scope) => transaction(work, { scope, isRelaxed: false }),
    relaxed: (work, scope) => transaction(work, { scope, isRelaxed: true }),
    exclusively(name, ifBusy, work) {
      const run = () =>
        queries.connection().execute(async (connection) => {
          const lock = lockOf(schema, `exclusively ${name}`);
          if (ifBusy === 'wait') await sql`SELECT pg_advisory_lock(${lock})`.execute(connection);
          else if (!(await tryLock(connection, lock))) return undefined;
          const unlock = () => sql`SELECT pg_advisory_unlock(${lock})`.execute(connection);
          let result;
          try {
            result = await work();
          } catch (error) {
            // If the connection broke, that is why, whatever the work makes of it.
            await unlock();
            throw error;
          }
          // A connection that broke has given it up.
          await unlock().catch(() => {});
          return result;
        });
      // Each holds a connection while its work needs others: all of them together would leave none.
      return ifBusy === 'wait' ? turns.run('exclusively', run) : run();
    },
    // The server does it itself.
    reclaimSpace: nextTurn,
    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      isOpen = false;
      await pool.end();
    },
  };
}

/** Transactions with a scope share the lock of those without one, and have one of their own. */
async function waitForTurn<Tables>(
  tx: Kysely<Tables>,
  schema: string,
  scope: string | undefined,
): Promise<void> {
  const all = lockOf(schema, 'transaction');
  if (scope === undefined) {
    await sql`SELECT pg_advisory_xact_lock(${all})`.execute(tx);
    return;
  }
  const own = lockOf(schema, `transaction ${scope}`);
  await sql`SELECT pg_advisory_xact_lock_shared(${all}), pg_advisory_xact_lock(${own})`.execute(tx);
}

async function tryLock<Tables>(db: Kysely<Tables>, lock: ReturnType<typeof lockOf>) {
  const { rows } = await sql<{ isTaken: boolean }>`
    SELECT pg_try_advisory_lock(${lock}) AS is_taken
  `.execute(db);
  return rows[0]?.isTaken === true;
}

/** The number of an advisory lock. */
function lockOf(schema: string, name: string) {
  return sql`hashtextextended(${`causeway ${schema} ${name}`}, 0)`;
}

/** Runs a task until Postgres no longer aborts it because of another transaction. */
function untilKept<Result>(task: () => Promise<Result>): Promise<Result> {
  return retry(task, {
    waitMs: (error, failures) =>
      isGivenUp(error) && failures < givenUpLimit
        ? growingWaitMs(failures, givenUpWaits)
        : undefined,
    sleep,
  });
}

/**
 * Locks and notifications are lost where connections take turns with the sessions of the server, as behind a
 * pooler in transaction mode. This notices it unless others use that pooler at the same moment.
 * @throws {RefusedError}
 */
async function checkSessions<Tables>(queries: Kysely<Tables>, place: PostgresPlace): Promise<void> {
  const sessionOf = async (db: Kysely<Tables>) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db);
    return rows[0]?.pid;
  };
  await queries.connection().execute(async (one) => {
    const own = await sessionOf(one);
    await queries.transaction().execute(async (other) => {
      const isShared = own === (await sessionOf(other)) || own !== (await sessionOf(one));
      if (isShared) throw new RefusedError(`${nameOf(place)} ${poolerProblem}`);
    });
  });
}

const poolerProblem = `shares sessions between connections, as a connection pooler in transaction mode does. ${poolerAdvice}`;

async function checkServer<Tables>(queries: Kysely<Tables>, place: PostgresPlace): Promise<void> {
  const { rows } = await sql<{
    version: number;
    encoding: string;
    schema: string | null;
    isStandby: boolean;
  }>`
    SELECT current_setting('server_version_num')::int / 10000 AS version,
      current_setting('server_encoding') AS encoding,
      current_schema() AS schema,
      pg_is_in_recovery() AS is_standby
  `.execute(queries);
  const [{ version, encoding, schema, isStandby } = { version: 0 }] = rows;
  const refuse = (problem: string) => new RefusedError(`${nameOf(place)} ${problem}`);
  if (version < minVersion) {
    throw refuse(`is Postgres ${version}. Use version ${minVersion} or later.`);
  }
  if (encoding !== 'UTF8') throw refuse(`stores ${encoding}. Create the database with UTF8.`);
  if (isStandby) throw refuse('is a standby, which can only be read. Name the primary server.');
  if (schema !== place.schema) {
    throw refuse(`ignores options of a connection, as a connection pooler does. ${poolerAdvice}`);
  }
}

async function readMade<Tables>(queries: Kysely<Tables>, schema: string): Promise<string[]> {
  const table = `${schema}.kysely_migration`;
  const { rows: found } = await sql<{ exists: boolean }>`
    SELECT to_regclass(${table}) IS NOT NULL AS exists
  `.execute(queries);
  if (found[0]?.exists !== true) return [];
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM ${sql.table(table)} ORDER BY name
  `.execute(queries);
  return rows.map(({ name }) => name);
}

/** Names a database without its password. */
function nameOf({ url, schema }: PostgresPlace): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}${port && `:${port}`}${pathname} (schema ${schema})`;
  } catch {
    return `The database (schema ${schema})`;
  }
}

class Dialect extends PostgresDialect {
  readonly #pool: pg.Pool;
  readonly #onAcquire: () => void;

  constructor(pool: pg.Pool, onAcquire: () => void) {
    super({ pool });
    this.#pool = pool;
    this.#onAcquire = onAcquire;
  }

  override createDriver(): Driver {
    return new GuardedDriver(this.#pool, this.#onAcquire);
  }

  override createQueryCompiler(): PostgresQueryCompiler {
    return new QueryCompiler();
  }
}

class GuardedDriver extends PostgresDriver {
  readonly #onAcquire: () => void;

  constructor(pool: pg.Pool, onAcquire: () => void) {
    super({ pool });
    this.#onAcquire = onAcquire;
  }

  override acquireConnection(...rest: Parameters<PostgresDriver['acquireConnection']>) {
    this.#onAcquire();
    return super.acquireConnection(...rest);
  }
}

class QueryCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(typeof parameter === 'string' ? toPostgresText(parameter) : parameter);
  }
}
