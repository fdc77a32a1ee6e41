import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markRestored, openStore } from '../bridge/stores/open-store.ts';
import { createPrivateFolder } from '../shared/primitives/private-files.ts';
import { parseJson } from '../shared/primitives/text.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { createDatabaseLocks } from '../shared/stores/database-lock.ts';
import { OpenError } from '../shared/stores/open-error.ts';
import {
  type BackupContents,
  backupVersion,
  checkDatabase,
  manifestName,
  readAdvice,
} from './backup.ts';
import { type Places, allDatabases, databaseNames, refusePostgres } from './databases.ts';
import { completeRestore, decideRestore, stageBackup, stagedPath } from './staged-data.ts';

export interface RestoreOptions {
  /** Whether existing data may be deleted. */
  replace: boolean;
  /** Whether what was asked since the backup is answered, and what was unfinished goes on. */
  answerMissed?: boolean;
  now?: () => number;
}

/**
 * Puts the data of a backup where this configuration stores it. Everything is copied next to its place
 * before anything is replaced, and removed if that fails. After a power cut there is either the old
 * data, or the next start completes the new.
 * @throws {RefusedError} when the data belongs into Postgres, the backup is incomplete or of another
 *   version, a process uses the data, or there is data already
 */
export async function restoreBackup(
  config: Places,
  folder: string,
  { replace, answerMissed = false, now = Date.now }: RestoreOptions,
): Promise<BackupContents> {
  refusePostgres(config);
  const contents = readManifest(folder);
  for (const name of contents.databases) checkDatabase(name, join(folder, name));
  createPrivateFolder(config.dataDir);
  const databases = allDatabases(config);
  using locks = createDatabaseLocks(databases.map(({ path }) => path));
  const used = locks.take();
  if (used) throw new RefusedError(`A process uses ${used}. Stop it first.`);
  const wasInterrupted = completeRestore(config);
  const present = databases.find(({ path }) => existsSync(path));
  if (present && !replace && !wasInterrupted) {
    throw new RefusedError(
      `There is data already: ${present.path}. To delete it and restore the backup in its place, add --replace.`,
    );
  }
  const store = databases.find(({ name }) => name === databaseNames.store)?.path;
  await stageBackup(config, folder, async () => {
    if (store && existsSync(stagedPath(store)) && !answerMissed) await mark(store, now());
  });
  decideRestore(config, contents.databases);
  completeRestore(config);
  return contents;
}

async function mark(path: string, ms: number): Promise<void> {
  await using store = await openStore(`sqlite:${stagedPath(path)}`);
  await markRestored(store, ms);
}

function readManifest(folder: string): BackupContents {
  const path = join(folder, manifestName);
  const manifest: Partial<BackupContents & { format: string; version: number }> =
    parseJson(readText(folder, path)) ?? {};
  if (manifest.format !== 'causeway-backup' || manifest.version !== backupVersion) {
    throw new RefusedError(
      `${path} was written by another program or another version of Causeway.`,
    );
  }
  const { databases = [] } = manifest;
  const known = new Set<string>(Object.values(databaseNames));
  const missing = databases.find((name) => !known.has(name) || !existsSync(join(folder, name)));
  if (missing !== undefined) {
    throw new RefusedError(`${folder} is incomplete: ${missing} is missing.`);
  }
  return { databases };
}

function readText(folder: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ENOENT', 'ENOTDIR'].includes(code)) throw new OpenError(path, readAdvice, error);
    throw new RefusedError(`${folder} is not a complete backup: it has no ${manifestName}.`);
  }
}
