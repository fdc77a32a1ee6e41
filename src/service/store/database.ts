import { existsSync } from 'node:fs';
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite';
import { transaction } from '../../shared/primitives/transaction.ts';
import { createPrivateDatabase } from '../../shared/primitives/private-files.ts';
import { RefusedError } from '../../shared/primitives/refused-error.ts';
import { eraseDeleted } from '../../shared/primitives/deleted-data.ts';
import type { Log } from '../log.ts';
import { migrations } from './migrations.ts';

/**
 * Opens the service's database, for its owner alone, and migrates it to the newest schema. What is
 * deleted from it is overwritten.
 * @throws {Error} when a newer version has written the file
 */
export function openDatabase(path: string, log?: Log): DatabaseSync {
  if (path !== ':memory:') createPrivateDatabase(path);
  const database = new DatabaseSync(path, { timeout: 5000 });
  eraseDeleted(database, log);
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;',
  );
  migrate(database);
  return database;
}

/**
 * Opens the service's database for a command, also beside a process that has it open; creates it if
 * missing.
 * @throws {RefusedError} when another version has written the file: a process with it may be running
 */
export function openDatabaseBeside(path: string): DatabaseSync {
  if (!existsSync(path)) return openDatabase(path);
  const database = new DatabaseSync(path, { timeout: 5000 });
  if (readVersion(database) === migrations.length) return database;
  database.close();
  throw new RefusedError(
    'The data is of another version. Restart Causeway with this version, and try again.',
  );
}

function migrate(database: DatabaseSync): void {
  const version = readVersion(database);
  if (version > migrations.length) {
    throw new Error(
      `The service's database has schema ${version}, this version knows up to ${migrations.length}: start the newer version, or another DATA_DIR`,
    );
  }
  if (version === migrations.length) return;
  transaction(database, () => {
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

function readVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

/** Runs the statements that create what is missing, unless the database is open to read only. */
export function createTables(database: DatabaseSync, schema: string): void {
  if (!isReadOnly(database)) database.exec(schema);
}

/** Whether the database is open to read only. */
export function isReadOnly(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA query_only').get()?.['query_only'] === 1;
}

/**
 * Does all of the work or none, with a savepoint rather than BEGIN, so that it can be nested in the
 * caller's transaction.
 */
export function atomically(database: DatabaseSync, work: () => void): void {
  database.exec('SAVEPOINT atomically');
  try {
    work();
    database.exec('RELEASE atomically');
  } catch (error) {
    database.exec('ROLLBACK TO atomically; RELEASE atomically');
    throw error;
  }
}

/** All rows of the statement, typed as `Row`. */
export function readRows<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
  return statement.all(...values) as Row[];
}

/** The numbers of what `json_group_array` returned; none if there is no row. */
export function parseNumbers(json: SQLOutputValue | undefined): number[] {
  return typeof json === 'string' ? (JSON.parse(json) as number[]) : [];
}
