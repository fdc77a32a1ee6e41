import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { createSchema, eraseDeleted, transaction } from '../primitives/sqlite.ts';
import type { Steps } from '../primitives/steps.ts';
import { createQueue } from '../primitives/queue.ts';
import { growingWaitMs, retry } from '../primitives/retry.ts';
import { monotonicMs, sleep } from '../primitives/time.ts';

/** How long opening waits while another process has the file locked. */
const openTimeoutMs = 5_000;
/** SQLite blocks the event loop while it waits, so it waits only this long. Then `retryBusy` waits. */
const busyTimeoutMs = 10;
const busyWaits = { firstMs: 5, maxMs: 250 };
/** How long a task waits in all. */
const busyLimitMs = 10_000;
/** https://sqlite.org/rescode.html: the primary code is in the low byte. */
const sqliteBusy = 5;

/**
 * Opens a database file that several connections can use at once. A missing folder is created with
 * mode 0700, a missing file with 0600 (SQLite gives its companion files the same mode); existing
 * ones keep their modes. With `synchronous=FULL` a commit survives a power cut: the disk has it when
 * the write returns (https://sqlite.org/pragma.html#pragma_synchronous). Deleted data is overwritten.
 *
 * @param path a file, or ':memory:'
 * @param schema SQL that creates the tables of a new database
 * @throws {RefusedError} when another version of Causeway wrote the file
 */
export function openDatabase(path: string, schema: string): DatabaseSync {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  }
  const database = new DatabaseSync(path, { timeout: openTimeoutMs });
  try {
    eraseDeleted(database);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    createSchema(database, schema);
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/**
 * Opens an existing database file to read it, and leaves no files beside it. A write-ahead log exists
 * while a process has the file open, and after a crash. Without one, nobody writes, and SQLite can read
 * without files of its own (https://sqlite.org/wal.html#read_only_databases).
 */
export function openToRead(path: string): DatabaseSync {
  const address = pathToFileURL(path);
  if (!existsSync(`${path}-wal`)) address.search = 'immutable=1';
  return new DatabaseSync(address, { readOnly: true, timeout: openTimeoutMs });
}

/** A table whose rows expire. */
export interface Sweeping {
  /** Deletes expired rows, a few per step. */
  sweep(): Steps<void>;
}

/** Runs a task that writes to a database, and resolves with its result once it is committed. */
export type Write = <Result>(task: () => Result) => Promise<Result>;

/**
 * Runs writes in order, each in a transaction. While another process has the file locked, they wait
 * without blocking the event loop. A task may run several times; only its last run counts.
 * @throws {Error} if the file stays locked for ten seconds, or what the task throws
 */
export function createWrite(database: DatabaseSync): Write {
  const queue = createQueue();
  return async (task) => {
    const since = monotonicMs();
    return queue.run('', async () => retryBusy(() => transaction(database, task), since));
  };
}

/**
 * Runs a task, again and again while another process has the file locked.
 * @param since when the task began to wait, by `monotonicMs`
 * @throws {Error} if the file stays locked for ten seconds, or what the task throws
 */
export async function retryBusy<Result>(
  task: () => Result,
  since = monotonicMs(),
): Promise<Result> {
  const hasTime = () => monotonicMs() - since < busyLimitMs;
  try {
    return await retry(async () => task(), {
      waitMs: (error, failures) =>
        isBusy(error) && hasTime() ? growingWaitMs(failures, busyWaits) : undefined,
      sleep,
    });
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Error(
      `Another process has had the database locked for ${busyLimitMs / 1000} seconds. Close the program that has it open.`,
      { cause: error },
    );
  }
}

/** Whether SQLite gave up because another connection has the file locked. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return (Number(error.errcode) & 0xff) === sqliteBusy;
}

/**
 * Checks that SQLite returns a text unchanged.
 * @param name what the text is, for the error
 * @throws {TypeError} when it is not a string, or contains a lone surrogate: SQLite stores UTF-8,
 * which can't represent one, so two such keys would become the same
 */
export function toSqlText(name: string, text: unknown): string {
  if (typeof text !== 'string') {
    throw new TypeError(`The ${name} must be a string for SQLite, not of type ${typeof text}.`);
  }
  if (!text.isWellFormed()) {
    throw new TypeError(`The ${name} contains a lone surrogate, which SQLite cannot store.`);
  }
  return text;
}
