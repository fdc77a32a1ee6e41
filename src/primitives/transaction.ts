import type { DatabaseSync } from 'node:sqlite';

/**
 * Runs `work` in one transaction, which takes the write lock at its start and rolls back on a
 * throw.
 */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
