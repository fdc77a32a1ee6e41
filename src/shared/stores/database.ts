import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { CamelCasePlugin, Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { createPrivateDatabase } from '../primitives/private-files.ts';
import { RefusedError } from '../primitives/refused-error.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';

/** A database with these tables. Disposing closes it; every later call rejects. */
export interface Database<Tables> extends AsyncDisposable {
  readonly queries: Kysely<Tables>;
  readonly isOpen: boolean;
  /**
   * Runs work in one transaction, which rolls back if it rejects. The work awaits only queries of
   * `tx`: others would wait for the transaction's end, and are refused.
   */
  transaction<Result>(work: (tx: Kysely<Tables>) => Promise<Result>): Promise<Result>;
  /** Like `transaction`, but what is committed survives only the death of the process, not a power cut. */
  relaxed<Result>(work: (tx: Kysely<Tables>) => Promise<Result>): Promise<Result>;
  /** Gives the space of what was deleted back to the file system, and erases it from the log. */
  reclaimSpace(): Promise<void>;
}

/**
 * The changes to a database's tables, each under the day and the version that bring it, such as
 * `2026-11-23 0.2.0`: they are made in the order of these names as text.
 */
export type Migrations = Record<string, Pick<Migration, 'up'>>;

/** How long opening waits while another process has the file locked. */
const openTimeoutMs = 5_000;
/** SQLite blocks the event loop while it waits, so it waits only this long. Then queries are repeated. */
const busyTimeoutMs = 10;
/** Pages given back to the file system per step: 256 KiB, which takes a few milliseconds. */
const pagesPerStep = 64;

/**
 * Opens a database for its owner alone, also beside a process that has it open; creates it if it is
 * missing, with its folder. What is deleted is overwritten. With `synchronous=FULL` a commit survives
 * a power cut: the disk has it when the write returns (https://sqlite.org/pragma.html#pragma_synchronous).
 * @param path a file, or ':memory:'
 * @throws {RefusedError} when a newer version of Causeway wrote the file
 */
export async function openDatabase<Tables>(
  path: string,
  migrations: Migrations,
): Promise<Database<Tables>> {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    createPrivateDatabase(path);
  }
  const database = new DatabaseSync(path, { timeout: openTimeoutMs });
  try {
    // An empty database can still be told to shrink (https://sqlite.org/pragma.html#pragma_auto_vacuum).
    if (readNumber(database, 'page_count') === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
    database.exec(`
      PRAGMA secure_delete = ON;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA temp_store = MEMORY;
    `);
    const opened = toDatabase<Tables>(database);
    const versions = checkVersion(database, migrations);
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    // Migrating takes the write lock, also if there is nothing to do.
    if (versions.length < Object.keys(migrations).length) await migrate(opened.queries, migrations);
    return opened;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens an existing file to read it, and leaves no files beside it. A write-ahead log exists while a
 * process has the file open, and after a crash. Without one, nobody writes, and SQLite can read without
 * files of its own (https://sqlite.org/wal.html#read_only_databases).
 * @returns undefined if it has no tables yet, as after a crash
 * @throws {RefusedError} when another version of Causeway wrote it
 */
export async function openToRead<Tables>(
  path: string,
  migrations: Migrations,
): Promise<Database<Tables> | undefined> {
  const address = pathToFileURL(path);
  if (!existsSync(`${path}-wal`)) address.search = 'immutable=1';
  const database = new DatabaseSync(address, { readOnly: true, timeout: openTimeoutMs });
  try {
    const versions = checkVersion(database, migrations);
    if (versions.length === 0) {
      database.close();
      return undefined;
    }
    if (versions.length < Object.keys(migrations).length) {
      throw new RefusedError(
        `${path} was written by Causeway ${versionIn(versions.at(-1))}. Start Causeway once, which brings it up to date.`,
      );
    }
    return toDatabase(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function toDatabase<Tables>(database: DatabaseSync): Database<Tables> {
  /** The transaction that the current work belongs to. */
  const current = new AsyncLocalStorage<{ isOpen: boolean }>();
  const dialect = createSqliteDialect(database, () => {
    if (!current.getStore()?.isOpen) return;
    throw new Error('A transaction waits for a query outside of it, which waits for its end.');
  });
  const plugins = [new CamelCasePlugin({ maintainNestedObjectKeys: true })];
  const queries = new Kysely<Tables>({ dialect, plugins });

  function transaction<Result>(
    work: (tx: Kysely<Tables>) => Promise<Result>,
    on = queries,
  ): Promise<Result> {
    return on.transaction().execute(async (tx) => {
      const scope = { isOpen: true };
      try {
        return await current.run(scope, () => work(tx));
      } finally {
        scope.isOpen = false;
      }
    });
  }

  return {
    queries,
    get isOpen() {
      return database.isOpen;
    },
    transaction: (work) => transaction(work),
    relaxed: (work) =>
      queries.connection().execute(async (connection) => {
        await sql`PRAGMA synchronous = NORMAL`.execute(connection);
        try {
          return await transaction(work, connection);
        } finally {
          await sql`PRAGMA synchronous = FULL`.execute(connection);
        }
      }),
    async reclaimSpace() {
      let free = readNumber(database, 'freelist_count');
      while (free > 0) {
        await queries.connection().execute(async () => shrink(database));
        await nextTurn();
        const left = readNumber(database, 'freelist_count');
        if (left >= free) break;
        free = left;
      }
      await queries.connection().execute(async () => emptyLog(database));
    },
    async [Symbol.asyncDispose]() {
      if (database.isOpen) database.close();
    },
  };
}

/** A prepared statement would stop after each page. */
function shrink(database: DatabaseSync): void {
  database.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`);
}

/**
 * Empties the write-ahead log, which may still hold deleted data. If another program is reading, the
 * log is left for the next time, as SQLite would block the event loop while it waits.
 */
function emptyLog(database: DatabaseSync): void {
  database.exec('PRAGMA busy_timeout = 0');
  try {
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } finally {
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  }
}

/** Makes all changes that are missing, or none. */
async function migrate(
  // oxlint-disable-next-line typescript/no-explicit-any -- as the library has it
  db: Kysely<any>,
  migrations: Migrations,
): Promise<void> {
  const provider = { getMigrations: async () => migrations };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error) throw error;
}

/**
 * @returns the versions whose changes the tables have
 * @throws {RefusedError} when a newer version of Causeway wrote the file, or one before the first release
 */
export function checkVersion(database: DatabaseSync, migrations: Migrations): string[] {
  if (isNew(database)) return [];
  const path = database.location() ?? 'The database';
  if (!hasTable(database, 'kysely_migration')) {
    throw new RefusedError(
      `${path} was written by a version of Causeway before 0.2.0, or by another program. Start with an empty data folder.`,
    );
  }
  const rows = database.prepare('SELECT name FROM kysely_migration ORDER BY name').all();
  const versions = rows.map(({ name }) => String(name));
  const unknown = versions.find((version) => !(version in migrations));
  if (unknown === undefined) return versions;
  throw new RefusedError(
    `${path} was written by Causeway ${versionIn(unknown)} or later. Use that version, or restore a backup from before it.`,
  );
}

/** The version in a migration's name. */
function versionIn(name = ''): string {
  return name.split(' ').at(-1) ?? '';
}

function hasTable(database: DatabaseSync, name: string): boolean {
  const find = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  return find.get(name) !== undefined;
}

function isNew(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}

function readNumber(database: DatabaseSync, pragma: string): number {
  const row = database.prepare(`PRAGMA ${pragma}`).get() ?? {};
  return Number(Object.values(row)[0]);
}
