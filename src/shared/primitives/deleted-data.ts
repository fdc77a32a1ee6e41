import type { DatabaseSync } from 'node:sqlite';
import type { Steps } from './in-steps.ts';

/** Pages given back to the file system per step: 256 KiB, which takes a few milliseconds. */
const pagesPerStep = 64;

/**
 * Makes a database overwrite deleted data, and lets it shrink step by step (`reclaimSpace`). Call it on
 * a new connection before it writes anything: shrinking can only be enabled in an empty database
 * (https://sqlite.org/pragma.html#pragma_auto_vacuum, #pragma_secure_delete).
 */
export function eraseDeleted(database: DatabaseSync): void {
  database.exec('PRAGMA secure_delete = ON');
  if (readNumber(database, 'page_count') === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
}

/**
 * Gives free pages back to the file system, then empties the write-ahead log, which may still contain
 * deleted data. If another program is reading, the log is left for the next time.
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
