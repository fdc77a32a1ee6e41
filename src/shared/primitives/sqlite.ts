import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { RefusedError } from './refused-error.ts';
import type { Steps } from './steps.ts';

/** Prepared once, because parsing these takes SQLite twice as long as running them. */
const statements = new WeakMap<DatabaseSync, { begin: StatementSync; commit: StatementSync }>();

function prepare(database: DatabaseSync) {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  statements.set(database, { begin, commit });
  return { begin, commit };
}

/**
 * Runs `work` in one transaction, which takes the write lock at its start and rolls back on a
 * throw.
 */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  const { begin, commit } = statements.get(database) ?? prepare(database);
  begin.run();
  try {
    const result = work();
    commit.run();
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Pages given back to the file system per step: 256 KiB, which takes a few milliseconds. */
const pagesPerStep = 64;

/**
 * Makes a database overwrite deleted data, and lets it shrink step by step (`reclaimSpace`). Call it on
 * a new connection before it writes anything: shrinking can only be enabled in an empty database
 * (https://sqlite.org/pragma.html#pragma_auto_vacuum, #pragma_secure_delete).
 */
export function eraseDeleted(database: DatabaseSync): void {
  database.exec('PRAGMA secure_delete = ON');
  if (readNumber(database, 'page_count') === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
}

/**
 * Gives free pages back to the file system, then empties the write-ahead log, which may still contain
 * deleted data. If another program is reading, the log is left for the next time.
 */
export function* reclaimSpace(database: DatabaseSync): Steps<void> {
  let free = readNumber(database, 'freelist_count');
  while (free > 0) {
    database.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`);
    yield;
    const left = readNumber(database, 'freelist_count');
    if (left >= free) break;
    free = left;
  }
  emptyLog(database);
}

/** SQLite would wait for readers by blocking the event loop, so it doesn't wait at all. */
function emptyLog(database: DatabaseSync): void {
  const timeoutMs = readNumber(database, 'busy_timeout');
  database.exec('PRAGMA busy_timeout = 0');
  try {
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  }
}

function readNumber(database: DatabaseSync, pragma: string): number {
  const row = database.prepare(`PRAGMA ${pragma}`).get() ?? {};
  return Number(Object.values(row)[0]);
}

/**
 * The number of the schemas of all databases, stored in each as `user_version`. Add one when any of
 * them changes: a database of another number is refused.
 */
export const schemaNumber = 16;

/**
 * Creates the tables of a new database.
 * @param schema SQL statements
 * @throws {RefusedError} when the database has another schema
 */
export function createSchema(database: DatabaseSync, schema: string): void {
  if (isNew(database)) {
    transaction(database, () => {
      // Another process may have been faster.
      if (!isNew(database)) return;
      database.exec(schema);
      database.exec(`PRAGMA user_version = ${schemaNumber}`);
    });
  }
  checkSchema(database);
}

/** @throws {RefusedError} when the database has another schema; a new one has none */
export function checkSchema(database: DatabaseSync): void {
  const number = readSchemaNumber(database);
  if (number === schemaNumber || isNew(database)) return;
  throw new RefusedError(
    `${database.location()} was written by another version of Causeway: its schema is ${number}, not ${schemaNumber}. Use the version that wrote it, or start with an empty data folder.`,
  );
}

/** Whether a database has no schema yet, as after a crash. */
export function isNew(database: DatabaseSync): boolean {
  if (readSchemaNumber(database) !== 0) return false;
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}

function readSchemaNumber(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}
