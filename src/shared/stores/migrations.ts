import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { RefusedError } from '../primitives/refused-error.ts';
import type { SqlDialect } from './dialect.ts';

/**
 * The changes to a database's tables, each under the day and the version that bring it, such as
 * `2026-11-23 0.2.0`: they are made in the order of these names as text.
 */
export type Migrations = Record<string, Migration>;

/** Stands among the changes that a database has while a copy to it is not finished. */
export const unfinishedCopy = 'unfinished copy';

interface Migration {
  // oxlint-disable-next-line typescript/no-explicit-any -- as the library has it
  up(db: Kysely<any>, dialect: SqlDialect): Promise<void>;
}

/**
 * Makes all changes that are missing, or none.
 * @param schema where the tables are, if the database has several
 */
export async function migrate(
  // oxlint-disable-next-line typescript/no-explicit-any -- as the library has it
  db: Kysely<any>,
  migrations: Migrations,
  { dialect, schema }: { dialect: SqlDialect; schema?: string },
): Promise<void> {
  const named = Object.entries(migrations).map(([name, { up }]) => {
    return [name, { up: (tx: Parameters<typeof up>[0]) => up(tx, dialect) }] as const;
  });
  const provider = { getMigrations: async () => Object.fromEntries(named) };
  const migrator = new Migrator({ db, provider, migrationTableSchema: schema });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/**
 * @param place names the database in the error
 * @param made the names of the changes that its tables have
 * @throws {RefusedError} when a newer version of Causeway made one of them, or a copy is not finished
 */
export function checkMade(place: string, made: readonly string[], migrations: Migrations): void {
  const unknown = made.find((name) => !(name in migrations));
  if (unknown === undefined) return;
  if (unknown === unfinishedCopy) {
    throw new RefusedError(
      `${place} holds a copy that is not finished. Run npm run copy again as before: it goes on where it ended.`,
    );
  }
  throw new RefusedError(
    `${place} was written by Causeway ${versionIn(unknown)} or later. Use that version, or restore a backup from before it.`,
  );
}

/**
 * @returns whether there are any tables yet
 * @throws {RefusedError} when changes are missing, which only a start makes
 */
export function checkAllMade(
  place: string,
  made: readonly string[],
  migrations: Migrations,
): boolean {
  if (made.length === 0) return false;
  if (made.length === Object.keys(migrations).length) return true;
  throw new RefusedError(
    `${place} was written by Causeway ${versionIn(made.at(-1))}. Start Causeway once, which brings it up to date.`,
  );
}

/** The version in a migration's name. */
function versionIn(name = ''): string {
  return name.split(' ').at(-1) ?? '';
}
