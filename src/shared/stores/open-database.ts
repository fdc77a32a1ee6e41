import type { Database } from './database.ts';
import { postgres, sqlite, type SqlDialect } from './dialect.ts';
import type { Migrations } from './migrations.ts';
import type { PostgresPlace } from './postgres.ts';
import { openSqlite, openSqliteToRead } from './sqlite.ts';

/** Where a database is: a file of SQLite, ':memory:', or a schema of Postgres. */
export type DatabasePlace = string | PostgresPlace;

/**
 * Opens a database, and creates or changes its tables as this version needs them.
 * @throws {RefusedError} when a newer version of Causeway wrote it
 */
export async function openDatabase<Tables>(
  place: DatabasePlace,
  migrations: Migrations,
): Promise<Database<Tables>> {
  if (typeof place === 'string') return openSqlite(place, migrations);
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(place, migrations);
}

/**
 * Opens an existing database to read it, beside processes that use it, and changes nothing.
 * @returns undefined if it has no tables yet
 * @throws {RefusedError} when another version of Causeway wrote it
 */
export async function openToRead<Tables>(
  place: DatabasePlace,
  migrations: Migrations,
): Promise<Database<Tables> | undefined> {
  if (typeof place === 'string') return openSqliteToRead(place, migrations);
  const { openPostgresToRead } = await import('./postgres.ts');
  return openPostgresToRead(place, migrations);
}

/** What the database of a place says in its own words. */
export function dialectOf(place: DatabasePlace): SqlDialect {
  return typeof place === 'string' ? sqlite : postgres;
}
