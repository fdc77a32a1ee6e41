import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** How long a call waits, in milliseconds, while another process writes to the same file. */
const busyTimeoutMs = 5_000;

/**
 * Opens a database file for several connections at once. A folder that is missing is created with
 * mode 0700, a file with 0600 (SQLite gives its companion files the same); what exists keeps its
 * modes. With `synchronous=NORMAL` a commit survives the end of the process, however sudden; a
 * power cut may undo the newest commits but harms nothing (https://sqlite.org/wal.html).
 * @param path a file, or ':memory:'
 */
export function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  }
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Runs `work` as one write: all of it takes effect, or, when it throws, none of it. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Vouches that SQLite gives a text back as it was.
 * @param name what the text is, for the error
 * @throws {TypeError} for what is no string, or holds half a surrogate pair: SQLite keeps UTF-8,
 * which has no place for one, so two such keys would become the same
 */
export function toSqlText(name: string, text: unknown): string {
  if (typeof text !== 'string') {
    throw new TypeError(`The ${name} must be a string for SQLite, not of type ${typeof text}.`);
  }
  if (!text.isWellFormed()) {
    throw new TypeError(`The ${name} holds half a surrogate pair, which SQLite cannot keep.`);
  }
  return text;
}
