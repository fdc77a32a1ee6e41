import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { bridgeMigrations } from '../bridge/stores/schema.ts';
import { databasePath } from '../bridge/stores/open-store.ts';
import type { Config } from '../config/config.ts';
import { checkSchema } from '../sandbox/schema.ts';
import { serviceMigrations } from '../service/store/schema.ts';
import { checkVersion } from '../shared/stores/database.ts';

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

export type Places = Pick<Config, 'dataDir' | 'storeUrl'>;

/**
 * The files of all databases that a process may have, whether they exist or not. The bridge's comes
 * before the service's, so that all sessions that a backup of the first names are in the second.
 */
export function allDatabases({ dataDir, storeUrl }: Places): DatabaseFile[] {
  const store = databasePath(storeUrl);
  return [
    ...(store ? [{ name: databaseNames.store, path: store }] : []),
    { name: databaseNames.service, path: serviceDatabase(dataDir) },
    { name: databaseNames.sandbox, path: sandboxDatabase(dataDir) },
  ];
}

/** The file of the service's database. */
export function serviceDatabase(dataDir: string): string {
  return join(dataDir, databaseNames.service);
}

/** The file of the sandbox's database. */
export function sandboxDatabase(dataDir: string): string {
  return join(dataDir, databaseNames.sandbox);
}
