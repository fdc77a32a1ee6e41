import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createFolder } from '../primitives/private-files.ts';
import { isBusy, openFileSync } from './open-error.ts';

/** Databases locked by one process. Disposing releases them. */
export interface DatabaseLocks extends Disposable {
  /**
   * Locks all the databases, or none.
   * @returns a database that another process has locked, or undefined once all are locked
   * @throws {OpenError} when the file of a lock can't be opened
   */
  take(): string | undefined;
}

/**
 * Locks on databases. The operating system releases them when the process ends, however it ends.
 * @param paths the databases' files
 */
export function createDatabaseLocks(paths: readonly string[]): DatabaseLocks {
  let taken: Disposable | undefined;
  return {
    take() {
      using locks = new DisposableStack();
      for (const path of paths) {
        const lock = openFileSync(`${path}.lock`, () => lockDatabase(path));
        if (!lock) return path;
        locks.use(lock);
      }
      taken = locks.move();
      return undefined;
    },
    [Symbol.dispose]: () => taken?.[Symbol.dispose](),
  };
}

/**
 * The lock is SQLite's own, held by a transaction on an empty file beside the database: a lock on
 * the database itself would keep other programs from reading it, such as for a backup.
 */
function lockDatabase(path: string): Disposable | undefined {
  const lockPath = `${existsSync(path) ? realpathSync(path) : path}.lock`;
  createFile(lockPath);
  const lock = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    // The transaction writes nothing, so it needs no journal.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => lock.close() };
}

/** An existing file is not opened: closing it would release a lock that this process has on it. */
function createFile(path: string): void {
  if (existsSync(path)) return;
  createFolder(dirname(path));
  closeSync(openSync(path, 'a', 0o600));
}
