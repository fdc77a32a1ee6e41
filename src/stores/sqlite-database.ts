import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** How long a call waits, in ms, while another process writes to the same file. */
const busyTimeoutMs = 5_000;

/**
 * Opens a database file that several connections can use at once. A missing folder is created with
 * mode 0700, a missing file with 0600 (SQLite gives its companion files the same mode); existing
 * ones keep their modes. With `synchronous=NORMAL` a commit survives a crash of the process. A
 * power cut may undo the newest commits but corrupts nothing (https://sqlite.org/wal.html).
 *
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

/**
 * Checks that SQLite returns a text unchanged.
 * @param name what the text is, for the error
 * @throws {TypeError} when it is not a string, or contains a lone surrogate: SQLite stores UTF-8,
 * which can't represent one, so two such keys would become the same
 */
export function toSqlText(name: string, text: unknown): string {
  if (typeof text !== 'string') {
    throw new TypeError(`The ${name} must be a string for SQLite, not of type ${typeof text}.`);
  }
  if (!text.isWellFormed()) {
    throw new TypeError(`The ${name} contains a lone surrogate, which SQLite cannot store.`);
  }
  return text;
}
