import { DatabaseSync } from 'node:sqlite';
import { createPrivateDatabase } from '../shared/primitives/private-files.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';

/** What each version of the sandbox's tables adds to the one before. Its number is in `user_version`. */
const versions = [
  `
  CREATE TABLE records (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL, id TEXT NOT NULL, parent TEXT NOT NULL, document TEXT NOT NULL,
    UNIQUE (kind, id)
  );
  CREATE INDEX records_by_parent ON records (kind, parent, position);
  CREATE INDEX records_by_thread
    ON records (kind, parent, document ->> '$.thread_ts', position)
    WHERE document ->> '$.thread_ts' IS NOT NULL;

  CREATE TABLE contents (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL, piece INTEGER NOT NULL, bytes BLOB NOT NULL, UNIQUE (id, piece)
  );
`,
];

/**
 * Opens the sandbox's database, for its owner alone; creates it if missing.
 * @param path a file, or ':memory:'
 * @throws {RefusedError} when a newer version of Causeway wrote the file
 */
export function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:') createPrivateDatabase(path);
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    checkSchema(database);
    for (const [index, sql] of versions.entries()) {
      if (index < readVersion(database)) continue;
      database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** @throws {RefusedError} when another version of Causeway wrote the database */
export function checkSchema(database: DatabaseSync): void {
  if (readVersion(database) <= versions.length) return;
  throw new RefusedError(
    `${database.location()} was written by another version of Causeway. Use that version, or delete the file to start with an empty sandbox.`,
  );
}

function readVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}
