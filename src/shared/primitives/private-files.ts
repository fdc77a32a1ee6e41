import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The mode of a file that only its owner can read. */
export const privateMode = 0o600;

/**
 * Creates a folder that only its owner can enter, and those above it that are missing. Where the file
 * system refuses, as /proc does, `mkdirSync` with `recursive` may try without end.
 */
export function createFolder(path: string): void {
  const above = dirname(path);
  if (above !== path && !existsSync(above)) createFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Like `createFolder`, whatever the umask. An existing folder is made private. */
export function createPrivateFolder(path: string): void {
  createFolder(path);
  restrict(path, 0o700);
}

/**
 * Creates a database file that only its owner can read, whatever the umask. An existing one is made
 * private. SQLite gives its companion files the same mode; those left by a crash may be older.
 */
export function createPrivateDatabase(path: string): void {
  closeSync(openSync(path, 'a', privateMode));
  for (const file of databaseFiles(path)) if (existsSync(file)) restrict(file, privateMode);
}

/** Removes a database and SQLite's companion files. */
export function removeDatabase(path: string): void {
  for (const file of databaseFiles(path)) rmSync(file, { force: true });
}

function databaseFiles(path: string): string[] {
  return [path, `${path}-wal`, `${path}-shm`];
}

/** Sets a mode. On volumes of another user or without modes, the operator decides who can read. */
export function restrict(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes(code)) throw error;
  }
}

/** Files that are only needed for a while: on their way into the database, or out of it to be read. */
export interface TemporaryFiles {
  /** A new path. */
  createPath(): string;
  remove(path: string): Promise<void>;
}

/** Keeps them under `directory`, for its owner alone. Removes what an earlier process left. */
export function createTemporaryFiles(directory: string): TemporaryFiles {
  rmSync(directory, { recursive: true, force: true });
  createPrivateFolder(directory);
  return {
    createPath: () => join(directory, randomUUID()),
    remove: (path) => rm(path, { force: true }),
  };
}
