import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import {
  createPrivateFolder,
  makePrivate,
  removeDatabase,
} from '../shared/primitives/private-files.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { createDatabaseLocks } from '../shared/stores/database-lock.ts';
import {
  type BackupContents,
  backupVersion,
  checkDatabase,
  filesName,
  manifestName,
} from './backup.ts';
import { allDatabases, type DatabaseFile, databaseNames, sourceFiles } from './databases.ts';

/**
 * Puts the data of a backup where this configuration stores it. Everything is copied next to its place
 * before anything is replaced, and removed if that fails. Run it again if it was interrupted.
 * @param options.replace whether existing data may be deleted
 * @throws {RefusedError} when the backup is incomplete or of another version, a process uses the data,
 *   or there is data already
 */
export function restoreBackup(
  config: Pick<Config, 'dataDir' | 'storeUrl'>,
  folder: string,
  { replace }: { replace: boolean },
): BackupContents {
  const contents = readManifest(folder);
  for (const name of contents.databases) checkDatabase(join(folder, name));
  createPrivateFolder(config.dataDir);
  const databases = allDatabases(config);
  using locks = createDatabaseLocks(databases.map(({ path }) => path));
  const used = locks.take();
  if (used) throw new RefusedError(`A process uses ${used}. Stop it first.`);
  const present = databases.find(({ path }) => existsSync(path));
  if (present && !replace) {
    throw new RefusedError(
      `There is data already: ${present.path}. To delete it and restore the backup in its place, add --replace.`,
    );
  }
  const files = sourceFiles(config.dataDir);
  try {
    for (const { name, path } of databases) stage(join(folder, name), path);
    stage(join(folder, filesName), files);
  } catch (error) {
    // The disk may be full, so the space is needed.
    for (const path of [...databases.map((database) => database.path), files]) unstage(path);
    throw error;
  }
  for (const database of databases) putInPlace(database, contents);
  rmSync(files, { recursive: true, force: true });
  if (existsSync(stagedPath(files))) renameSync(stagedPath(files), files);
  return contents;
}

const stagedPath = (path: string) => `${path}.restored`;

/** Copies a file or folder of the backup next to its place. */
function stage(from: string, path: string): void {
  const staged = stagedPath(path);
  unstage(path);
  if (!existsSync(from)) return;
  mkdirSync(dirname(staged), { recursive: true, mode: 0o700 });
  cpSync(from, staged, { recursive: true });
  makePrivate(staged);
}

function unstage(path: string): void {
  rmSync(stagedPath(path), { recursive: true, force: true });
}

/** SQLite's companion files belong to the database that is replaced. */
function putInPlace({ name, path }: DatabaseFile, { databases }: BackupContents): void {
  removeDatabase(path);
  if (databases.includes(name)) renameSync(stagedPath(path), path);
}

function readManifest(folder: string): BackupContents {
  const path = join(folder, manifestName);
  if (!existsSync(path)) {
    throw new RefusedError(`${folder} is not a complete backup: it has no ${manifestName}.`);
  }
  const manifest = parseManifest(readFileSync(path, 'utf8'));
  if (manifest.format !== 'causeway-backup' || manifest.version !== backupVersion) {
    throw new RefusedError(
      `${path} was written by another program or another version of Causeway.`,
    );
  }
  const { databases = [], files = 0 } = manifest;
  const known = new Set<string>(Object.values(databaseNames));
  const missing = databases.find((name) => !known.has(name) || !existsSync(join(folder, name)));
  const kept = join(folder, filesName);
  const isWhole = existsSync(kept) && readdirSync(kept).length === files;
  if (missing !== undefined || !isWhole) {
    throw new RefusedError(
      `${folder} is incomplete: ${missing ?? 'a file of a source'} is missing.`,
    );
  }
  return { databases, files };
}

function parseManifest(
  text: string,
): Partial<BackupContents & { format: string; version: number }> {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}
