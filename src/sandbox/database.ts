import { DatabaseSync } from 'node:sqlite';
import { createPrivateDatabase } from '../shared/primitives/private-files.ts';
import { createSchema } from '../shared/primitives/schema.ts';

const tables = `
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
`;

/**
 * Opens the sandbox's database, for its owner alone; creates it if missing.
 * @param path a file, or ':memory:'
 * @throws {RefusedError} when another version of Causeway wrote the file
 */
export function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:') createPrivateDatabase(path);
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  createSchema(database, tables);
  return database;
}
