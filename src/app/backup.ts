import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Config } from '../config/config.ts';
import {
  createPrivateDatabase,
  createPrivateFolder,
  privateMode,
  removeDatabase,
} from '../shared/primitives/private-files.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { isDamage, openFile, openFileSync } from '../shared/stores/open-error.ts';
import { isTemporary } from '../shared/stores/store-url.ts';
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
 * @throws {RefusedError} when the data is in Postgres, the folder is not empty or each start empties it,
 *   there is nothing to back up, or another version of Causeway wrote it
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
  if (isTemporary(resolve(folder), config.dataDir)) {
    throw new RefusedError(`Each start empties ${folder}. Name a folder outside of DATA_DIR.`);
  }
  const present = openFileSync(folder, () => (existsSync(folder) ? readdirSync(folder) : []));
  if (present.length > 0) throw new RefusedError(`${folder} is not empty. Name a new folder.`);
  openFileSync(folder, () => createPrivateFolder(folder));
  const contents = { databases: found.map(({ name }) => name) };
  try {
    for (const { name, path } of found) await copyDatabase(name, path, join(folder, name));
    writeManifest(join(folder, manifestName), contents);
  } catch (error) {
    // The disk may be full, so the space is needed.
    for (const { name } of found) removeDatabase(join(folder, name));
    rmSync(join(folder, manifestName), { force: true });
    throw error;
  }
  return contents;
}

function writeManifest(path: string, contents: BackupContents): void {
  const manifest = { format: 'causeway-backup', version: backupVersion, ...contents };
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  openFileSync(path, () => writeFileSync(path, text, { mode: privateMode }));
}

/**
 * Copies a database as it is at one moment. A transaction holds that moment: while another process
 * writes, SQLite would start over after each write (https://sqlite.org/c3ref/backup_finish.html).
 */
async function copyDatabase(name: string, path: string, copy: string): Promise<void> {
  removeDatabase(copy);
  openFileSync(copy, () => createPrivateDatabase(copy));
  await openFile(path, async () => {
    using database = new DatabaseSync(path, { timeout: timeoutMs });
    versionChecks[name]?.(database);
    database.exec('BEGIN');
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    try {
      await openFile(copy, () => backup(database, copy, { rate: 1000 }));
      checkDatabase(name, copy);
    } catch (error) {
      // Its copy is as damaged as the database itself.
      const damage = damageOf(database);
      if (damage === undefined) throw error;
      throw new RefusedError(`${path} is damaged: ${damage}. Restore it from a backup.`);
    }
  });
}

/**
 * Looks at a file of a backup, which may be on a disk that can only be read.
 * @throws {RefusedError} when it is not a database, is damaged, or has another schema
 * @throws {OpenError} when it can't be read
 */
export function checkDatabase(name: string, path: string): void {
  const address = pathToFileURL(path);
  // Nobody writes it. Otherwise SQLite would need files beside it (https://sqlite.org/wal.html#read_only_databases).
  address.search = 'immutable=1';
  const check = () => {
    using database = new DatabaseSync(address, { readOnly: true });
    const damage = damageOf(database);
    if (damage) throw new RefusedError(`${path} is damaged: ${damage}. Use another backup.`);
    versionChecks[name]?.(database);
  };
  openFileSync(path, check, readAdvice);
}

/** What is wrong with a database; undefined if nothing is. */
function damageOf(database: DatabaseSync): string | undefined {
  try {
    const result = String(database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
    return result === 'ok' ? undefined : result;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return error.message;
  }
}

/** What to do about a file of a backup that can't be opened. */
export const readAdvice = 'Let this user read it and its folder.';
