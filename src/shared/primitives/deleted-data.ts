import type { DatabaseSync } from 'node:sqlite';
import { monotonicMs } from './monotonic.ts';
import type { Steps } from './in-steps.ts';

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Pages given back to the file system per step: 256 KiB, which takes a few milliseconds. */
const pagesPerStep = 64;

/** Smaller databases are rewritten in a moment, so nobody needs to know. */
const notableBytes = 64 * 1024 * 1024;

/**
 * Has a database overwrite what is deleted, and be able to shrink step by step (`reclaimSpace`). One
 * that is not yet able to is rewritten once, which takes some seconds per gigabyte and as much free
 * disk space as it has. Call it on a new connection, before it writes anything
 * (https://sqlite.org/pragma.html#pragma_auto_vacuum, #pragma_secure_delete).
 */
export function eraseDeleted(database: DatabaseSync, log?: Log): void {
  database.exec('PRAGMA secure_delete = ON');
  const isEmpty = readNumber(database, 'page_count') === 0;
  if (readNumber(database, 'auto_vacuum') === 2) return;
  database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  if (isEmpty) return;
  const bytes = readNumber(database, 'page_count') * readNumber(database, 'page_size');
  const fields = { database: database.location(), bytes };
  if (bytes > notableBytes) {
    log?.info(fields, 'rewriting the database once, so that it can shrink: this may take minutes');
  }
  const since = monotonicMs();
  try {
    database.exec('VACUUM');
    log?.info({ ...fields, ms: Math.round(monotonicMs() - since) }, 'the database was rewritten');
  } catch (error) {
    // Such as a full disk: everything else works without it.
    log?.warn(
      { ...fields, err: error },
      'the database could not be rewritten, so it does not shrink; the next start tries again',
    );
  }
}

/**
 * Gives free pages back to the file system, then empties the write-ahead log, which may still contain
 * what was deleted. If another program is reading, the log is left for the next time.
 */
export function* reclaimSpace(database: DatabaseSync): Steps<void> {
  let free = readNumber(database, 'freelist_count');
  while (free > 0) {
    database.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`);
    yield;
    const left = readNumber(database, 'freelist_count');
    if (left >= free) break;
    free = left;
  }
  emptyLog(database);
}

/** SQLite would wait for readers by blocking the event loop, so it doesn't wait at all. */
function emptyLog(database: DatabaseSync): void {
  const timeoutMs = readNumber(database, 'busy_timeout');
  database.exec('PRAGMA busy_timeout = 0');
  try {
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  }
}

function readNumber(database: DatabaseSync, pragma: string): number {
  const row = database.prepare(`PRAGMA ${pragma}`).get() ?? {};
  return Number(Object.values(row)[0]);
}
