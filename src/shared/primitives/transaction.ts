import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Prepared once, because parsing these takes SQLite twice as long as running them. */
const statements = new WeakMap<DatabaseSync, { begin: StatementSync; commit: StatementSync }>();

function prepare(database: DatabaseSync) {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  statements.set(database, { begin, commit });
  return { begin, commit };
}

/**
 * Runs `work` in one transaction, which takes the write lock at its start and rolls back on a
 * throw.
 */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  const { begin, commit } = statements.get(database) ?? prepare(database);
  begin.run();
  try {
    const result = work();
    commit.run();
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
