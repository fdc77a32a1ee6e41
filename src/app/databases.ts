import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { bridgeMigrations } from '../bridge/stores/schema.ts';
import type { Config } from '../config/config.ts';
import { checkSchema } from '../sandbox/schema.ts';
import { serviceMigrations } from '../service/store/schema.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import type { DatabasePlace } from '../shared/stores/open-database.ts';
import { checkVersion } from '../shared/stores/sqlite.ts';
import { databasePath, parseStoreUrl, renderStoreUrl } from '../shared/stores/store-url.ts';

/** A database's file, and its name in a backup. */
export interface DatabaseFile {
  name: string;
  path: string;
}

/** @throws {RefusedError} when another version of Causeway wrote the database */
export const versionChecks: Record<string, (database: DatabaseSync) => void> = {
  'store.sqlite': (database) => checkVersion(database, bridgeMigrations),
  'service.sqlite': (database) => checkVersion(database, serviceMigrations),
  'sandbox.sqlite': checkSchema,
};

/** The files of the bridge's, the service's and the sandbox's database; the first can be elsewhere. */
export const databaseNames = {
  store: 'store.sqlite',
  service: 'service.sqlite',
  sandbox: 'sandbox.sqlite',
} as const;

export type Places = Pick<Config, 'dataDir' | 'storeUrl'> & Partial<Pick<Config, 'maxConnections'>>;

/**
 * The files of all databases that a process may have, whether they exist or not. The bridge's comes
 * before the service's, so that all sessions that a backup of the first names are in the second.
 */
export function allDatabases(places: Places): DatabaseFile[] {
  const store = databasePath(places.storeUrl);
  const service = servicePlace(places);
  return [
    ...(store ? [{ name: databaseNames.store, path: store }] : []),
    ...(typeof service === 'string' ? [{ name: databaseNames.service, path: service }] : []),
    { name: databaseNames.sandbox, path: sandboxDatabase(places.dataDir) },
  ];
}

/** @throws {RefusedError} when the data is in Postgres, where there are no files to copy */
export function refusePostgres({ storeUrl }: Pick<Places, 'storeUrl'>): void {
  if (!('url' in parseStoreUrl(storeUrl))) return;
  throw new RefusedError(
    `STORE_URL names ${renderStoreUrl(storeUrl)}, but npm run backup and npm run restore are for SQLite. For Postgres, use pg_dump and pg_restore.`,
  );
}

/** The place of the service's database: a file in DATA_DIR, or a schema of Postgres. */
export function servicePlace({ dataDir, storeUrl, maxConnections }: Places): DatabasePlace {
  const parsed = parseStoreUrl(storeUrl);
  if ('url' in parsed) return { url: parsed.url, schema: 'causeway_service', maxConnections };
  return join(dataDir, databaseNames.service);
}

/** Names a place at the start of an error. */
export function nameOfPlace(place: DatabasePlace): string {
  return typeof place === 'string' ? place : `STORE_URL names ${renderStoreUrl(place.url)}, which`;
}

/** What only one process may use at a time: the files of databases, or else of what is on its way. */
export function listFiles(
  places: Places,
  parts: { bridge: boolean; service: boolean; sandbox: boolean },
): string[] {
  const { dataDir, storeUrl } = places;
  const store = databasePath(storeUrl);
  const service = servicePlace(places);
  return [
    ...(parts.bridge && store ? [store] : []),
    ...(parts.service ? [typeof service === 'string' ? service : join(dataDir, 'service')] : []),
    ...(parts.sandbox ? [sandboxDatabase(dataDir)] : []),
  ];
}

/** The file of the sandbox's database. */
export function sandboxDatabase(dataDir: string): string {
  return join(dataDir, databaseNames.sandbox);
}
