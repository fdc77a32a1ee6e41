import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type { Config } from '../config/config.ts';
import {
  createPrivateDatabase,
  createPrivateFolder,
  privateMode,
  removeDatabase,
} from '../shared/primitives/private-files.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { allDatabases, refusePostgres, versionChecks } from './databases.ts';
import { refuseHalfRestored } from './staged-data.ts';

/** Written last: a folder without it is an incomplete backup. */
export const manifestName = 'backup.json';
export const backupVersion = 1;

/** What a backup contains. */
export interface BackupContents {
  /** The names of the databases. */
  databases: string[];
}

/** How long SQLite waits for a database that is locked. */
const timeoutMs = 5_000;

/**
 * Copies all databases into a new private folder. Processes can use them meanwhile: each copy shows
 * one moment.
 * @throws {RefusedError} when the data is in Postgres, the folder is not empty, there is nothing to back
 *   up, or another version of Causeway wrote it
 */
export async function createBackup(
  config: Pick<Config, 'dataDir' | 'storeUrl'>,
  folder: string,
): Promise<BackupContents> {
  refusePostgres(config);
  refuseHalfRestored(config.dataDir);
  const found = allDatabases(config).filter(({ path }) => existsSync(path));
  if (found.length === 0) {
    throw new RefusedError(
      `There is nothing to back up: ${config.dataDir} has no database. Set DATA_DIR.`,
    );
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new RefusedError(`${folder} is not empty. Name a new folder.`);
  }
  createPrivateFolder(folder);
  for (const { name, path } of found) await copyDatabase(name, path, join(folder, name));
  const contents = { databases: found.map(({ name }) => name) };
  const manifest = { format: 'causeway-backup', version: backupVersion, ...contents };
  writeFileSync(join(folder, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`, {
    mode: privateMode,
  });
  return contents;
}

/**
 * Copies a database as it is at one moment. A transaction holds that moment: while another process
 * writes, SQLite would start over after each write (https://sqlite.org/c3ref/backup_finish.html).
 */
async function copyDatabase(name: string, path: string, copy: string): Promise<void> {
  removeDatabase(copy);
  createPrivateDatabase(copy);
  using database = new DatabaseSync(path, { timeout: timeoutMs });
  versionChecks[name]?.(database);
  database.exec('BEGIN');
  database.prepare('SELECT count(*) FROM sqlite_schema').get();
  await backup(database, copy, { rate: 1000 });
  checkDatabase(name, copy);
}

/** @throws {RefusedError} when the file is not a database, is damaged, or has another schema */
export function checkDatabase(name: string, path: string): void {
  const found = findDamage(path);
  if (found !== undefined) {
    throw new RefusedError(`${path} is damaged: ${found}. Use another backup.`);
  }
  using database = new DatabaseSync(path);
  versionChecks[name]?.(database);
}

function findDamage(path: string): string | undefined {
  try {
    using database = new DatabaseSync(path);
    const result = String(database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
    return result === 'ok' ? undefined : result;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
