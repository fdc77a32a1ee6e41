import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite';
import { createPrivateDatabase } from '../../shared/primitives/private-files.ts';
import { createSchema, eraseDeleted } from '../../shared/primitives/sqlite.ts';
import { tables } from './schema.ts';
import { usageTriggers } from './usage.ts';

/**
 * Opens the service's database, for its owner alone, also beside a process that has it open; creates
 * it if missing. What is deleted from it is overwritten. A commit survives a power cut, as what is
 * acknowledged, such as a revoked key, must stay so; `withoutSync` is for commits that need not.
 * @param path a file, or ':memory:'
 * @throws {RefusedError} when another version of Causeway wrote the file
 */
export function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:') createPrivateDatabase(path);
  const database = new DatabaseSync(path, { timeout: 5000 });
  eraseDeleted(database);
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;',
  );
  createSchema(database, tables + usageTriggers);
  return database;
}

/**
 * Runs work whose commits survive the death of the process, but not a power cut. They are on the disk
 * after the next commit of other work. Don't call it in a transaction, where SQLite ignores the setting.
 */
export function withoutSync(database: DatabaseSync, work: () => void): void {
  database.exec('PRAGMA synchronous = NORMAL');
  try {
    work();
  } finally {
    database.exec('PRAGMA synchronous = FULL');
  }
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
