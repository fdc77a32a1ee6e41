import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { createFolder, createPrivateDatabase } from '../primitives/private-files.ts';
import { RefusedError } from '../primitives/refused-error.ts';
import { createQueries, createTransactionGuard, type Database, type Work } from './database.ts';
import { sqlite } from './dialect.ts';
import { checkAllMade, checkMade, migrate, type Migrations } from './migrations.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';

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
export async function openSqlite<Tables>(
  path: string,
  migrations: Migrations,
): Promise<Database<Tables>> {
  if (path !== ':memory:') {
    createFolder(dirname(path));
    createPrivateDatabase(path);
  }
  using opening = new DisposableStack();
  const database = opening.use(new DatabaseSync(path, { timeout: openTimeoutMs }));
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
  const made = checkVersion(database, migrations);
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // Migrating takes the write lock, also if there is nothing to do.
  if (made.length < Object.keys(migrations).length) {
    await migrate(opened.queries, migrations, { dialect: sqlite });
  }
  opening.move();
  return opened;
}

/**
 * Opens an existing file to read it, and leaves no files beside it. A write-ahead log exists while a
 * process has the file open, and after a crash. Without one, nobody writes, and SQLite can read without
 * files of its own (https://sqlite.org/wal.html#read_only_databases).
 * @returns undefined if it has no tables yet, as after a crash
 * @throws {RefusedError} when another version of Causeway wrote it
 */
export async function openSqliteToRead<Tables>(
  path: string,
  migrations: Migrations,
): Promise<Database<Tables> | undefined> {
  const address = pathToFileURL(path);
  if (!existsSync(`${path}-wal`)) address.search = 'immutable=1';
  using opening = new DisposableStack();
  const database = opening.use(
    new DatabaseSync(address, { readOnly: true, timeout: openTimeoutMs }),
  );
  if (!checkAllMade(path, checkVersion(database, migrations), migrations)) return undefined;
  opening.move();
  return toDatabase(database);
}

function toDatabase<Tables>(database: DatabaseSync): Database<Tables> {
  const guard = createTransactionGuard();
  const queries = createQueries<Tables>(createSqliteDialect(database, guard.check));

  function transaction<Result>(work: Work<Tables, Result>, on = queries): Promise<Result> {
    return on.transaction().execute((tx) => guard.run(() => work(tx)));
  }

  return {
    queries,
    get isOpen() {
      return database.isOpen;
    },
    isShared: false,
    exclusively: (_name, _ifBusy, work) => work(),
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

/**
 * @returns the names of the changes that the tables have
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
  const made = rows.map(({ name }) => String(name));
  checkMade(path, made, migrations);
  return made;
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
