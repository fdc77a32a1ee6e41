import { RefusedError } from '../primitives/refused-error.ts';
import { createDatabaseLocks } from '../stores/database-lock.ts';

/**
 * Takes databases for a command that needs them for itself, until it disposes of them.
 * @throws {RefusedError} when a process uses one of them
 */
export function takeDatabases(paths: readonly string[]): Disposable {
  const locks = createDatabaseLocks(paths);
  const used = locks.take();
  if (used) throw new RefusedError(`A process uses ${used}. Stop it first.`);
  return locks;
}
