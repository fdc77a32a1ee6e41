import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  createFolder,
  createPrivateDatabase,
  privateMode,
  removeDatabase,
  restrict,
} from '../shared/primitives/private-files.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { allDatabases, type Places } from './databases.ts';

/** While this file exists, the staged data takes the place of what is there. */
const decisionName = 'restore.json';

/** Where a file waits to be put in its place. */
export const stagedPath = (path: string) => `${path}.restored`;

/**
 * Copies the data of a backup next to its place, and returns once the disk has it. What is copied is
 * removed if that fails.
 * @param prepare changes the copies
 */
export async function stageBackup(
  places: Places,
  folder: string,
  prepare: () => Promise<void>,
): Promise<void> {
  const copies = allDatabases(places);
  try {
    for (const { name, path } of copies) stage(join(folder, name), path);
    await prepare();
    for (const { path } of copies) syncStaged(path);
  } catch (error) {
    // The disk may be full, so the space is needed.
    for (const { path } of copies) unstage(path);
    throw error;
  }
}

function stage(from: string, path: string): void {
  const staged = stagedPath(path);
  unstage(path);
  if (!existsSync(from)) return;
  createFolder(dirname(staged));
  copyFileSync(from, staged);
  // Of a backup that can only be read, it would have the same mode.
  restrict(staged, privateMode);
  createPrivateDatabase(staged);
}

function syncStaged(path: string): void {
  const staged = stagedPath(path);
  if (!existsSync(staged)) return;
  syncFile(staged);
  syncFolder(dirname(staged));
}

function unstage(path: string): void {
  removeDatabase(stagedPath(path));
}

/**
 * Decides that the staged data takes the place of what is there. The decision survives a power cut:
 * `completeRestore` does the rest.
 * @param databases the names of those in the backup; others are removed
 */
export function decideRestore({ dataDir }: Places, databases: readonly string[]): void {
  writeDurably(join(dataDir, decisionName), JSON.stringify({ databases }));
}

/**
 * Puts staged data in its place, if that was decided; also what an interruption left of it. No process
 * may use the data.
 * @returns whether there was anything to do
 */
export function completeRestore(places: Places): boolean {
  const { dataDir } = places;
  const decision = join(dataDir, decisionName);
  if (!existsSync(decision)) return false;
  const { databases } = JSON.parse(readFileSync(decision, 'utf8')) as {
    databases: string[];
  };
  for (const { name, path } of allDatabases(places)) {
    // SQLite's companion files belong to the database that is replaced.
    if (existsSync(stagedPath(path)) || !databases.includes(name)) removeDatabase(path);
    putInPlace(path);
  }
  rmSync(decision);
  syncFolder(dataDir);
  return true;
}

function putInPlace(path: string): void {
  if (!existsSync(stagedPath(path))) return;
  // The disk removes the old names before it gets the new one.
  syncFolder(dirname(path));
  renameDurably(stagedPath(path), path);
}

/** @throws {RefusedError} when a restore was interrupted while it replaced the data */
export function refuseHalfRestored(dataDir: string): void {
  if (!existsSync(join(dataDir, decisionName))) return;
  throw new RefusedError(
    `A restore to ${dataDir} was interrupted. Start Causeway, which completes it, or run the restore again.`,
  );
}

/** Returns once the disk has a file. */
function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Returns once the disk has the names in a folder. Windows has no call for it. */
function syncFolder(path: string): void {
  if (process.platform !== 'win32') syncFile(path);
}

/** Moves a file, and returns once the disk has it at its new place. */
function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(dirname(to));
}

/** Writes a private file whole or not at all, and returns once the disk has it. */
function writeDurably(path: string, text: string): void {
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, text, { mode: privateMode, flush: true });
  renameDurably(unfinished, path);
}
