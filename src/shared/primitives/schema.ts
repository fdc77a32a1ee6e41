import type { DatabaseSync } from 'node:sqlite';
import { RefusedError } from './refused-error.ts';
import { transaction } from './transaction.ts';

/**
 * The number of the schemas of all databases, stored in each as `user_version`. Add one when any of
 * them changes: a database of another number is refused.
 */
export const schemaNumber = 15;

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
