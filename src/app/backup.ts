import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type { Config } from '../config/config.ts';
import {
  createPrivateDatabase,
  createPrivateFolder,
  makePrivate,
  privateMode,
  removeDatabase,
} from '../shared/primitives/private-files.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { checkSchema } from '../shared/primitives/sqlite.ts';
import { readStoredSources } from '../service/store/source-store.ts';
import { allDatabases, databaseNames, filesName, sourceFiles } from './databases.ts';
import { refuseHalfRestored } from './staged-data.ts';

/** Written last: a folder without it is an incomplete backup. */
export const manifestName = 'backup.json';
export const backupVersion = 1;

/** What a backup contains. */
export interface BackupContents {
  /** The names of the databases. */
  databases: string[];
  /** Number of files of sources. */
  files: number;
}

/** How long SQLite waits for a database that is locked. */
const timeoutMs = 5_000;

/** How often the service's database is copied again because a file was deleted meanwhile. */
const maxTries = 5;

/**
 * Copies all databases and the files of all sources into a new private folder. Processes can use them
 * meanwhile: each copy shows one moment, and has every file that the copied service database refers
 * to.
 * @throws {RefusedError} when the folder is not empty, there is nothing to back up, or another version
 *   of Causeway wrote it
 */
export async function createBackup(
  config: Pick<Config, 'dataDir' | 'storeUrl'>,
  folder: string,
): Promise<BackupContents> {
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
  const target = join(folder, filesName);
  createPrivateFolder(target);
  const files = sourceFiles(config.dataDir);
  // Copied first, while they exist; later the databases tell which of them are needed.
  copyNew(files, target, () => true);
  for (const { name, path } of found) await copyDatabase(path, join(folder, name));
  const service = found.find(({ name }) => name === databaseNames.service);
  if (service) await completeFiles(service.path, join(folder, service.name), { files, target });
  const contents = {
    databases: found.map(({ name }) => name),
    files: readdirSync(target).length,
  };
  const manifest = { format: 'causeway-backup', version: backupVersion, ...contents };
  writeFileSync(join(folder, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`, {
    mode: privateMode,
  });
  return contents;
}

/** Makes the backup contain exactly the files that its service database refers to. */
async function completeFiles(
  path: string,
  copy: string,
  { files, target }: { files: string; target: string },
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const sources = readSources(copy);
    const known = new Set(sources.map(({ uuid }) => uuid));
    copyNew(files, target, (name) => known.has(name));
    const missing = sources.find(
      ({ type, uuid }) => type === 'upload' && !existsSync(join(target, uuid)),
    );
    if (missing === undefined || tries === maxTries) {
      for (const name of readdirSync(target)) if (!known.has(name)) rmSync(join(target, name));
      return;
    }
    // It was deleted after its database was copied.
    await copyDatabase(path, copy);
  }
}

function readSources(path: string): ReturnType<typeof readStoredSources> {
  using database = new DatabaseSync(path);
  return readStoredSources(database);
}

/** A file never changes under the same name, unless it is a page that is fetched again. */
function copyNew(from: string, to: string, isWanted: (name: string) => boolean): void {
  mkdirSync(to, { recursive: true });
  for (const name of existsSync(from) ? readdirSync(from) : []) {
    if (!isWanted(name) || existsSync(join(to, name))) continue;
    try {
      copyFileSync(join(from, name), join(to, name));
      makePrivate(join(to, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/**
 * Copies a database as it is at one moment. A transaction holds that moment: while another process
 * writes, SQLite would start over after each write (https://sqlite.org/c3ref/backup_finish.html).
 */
async function copyDatabase(path: string, copy: string): Promise<void> {
  removeDatabase(copy);
  createPrivateDatabase(copy);
  using database = new DatabaseSync(path, { timeout: timeoutMs });
  checkSchema(database);
  database.exec('BEGIN');
  database.prepare('SELECT count(*) FROM sqlite_schema').get();
  await backup(database, copy, { rate: 1000 });
  checkDatabase(copy);
}

/** @throws {RefusedError} when the file is not a database, is damaged, or has another schema */
export function checkDatabase(path: string): void {
  const found = findDamage(path);
  if (found !== undefined) {
    throw new RefusedError(`${path} is damaged: ${found}. Use another backup.`);
  }
  using database = new DatabaseSync(path);
  checkSchema(database);
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
