import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../../src/shared/stores/database.ts';
import type { Migrations } from '../../../src/shared/stores/migrations.ts';
import { openDatabase, openToRead } from '../../../src/shared/stores/open-database.ts';
import { RefusedError } from '../../../src/shared/primitives/refused-error.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';
import { notesMigrations, type NotesTables, openNotes } from './notes.ts';

type Notes = Pick<Database<NotesTables>, 'queries'>;

const newPath = () => join(createTemporaryFolder(), 'notes.sqlite');

const add = ({ queries }: Notes, id: number, text = 'a note') =>
  queries.insertInto('note').values({ id, text }).execute();

async function list({ queries }: Notes): Promise<number[]> {
  const rows = await queries.selectFrom('note').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

/** Another program with the same file. */
function openOther(path: string): DatabaseSync {
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  return other;
}

describe('a transaction', () => {
  test('happens whole, and is rolled back when its work rejects', async () => {
    const database = await openNotes();
    const failing = database.transaction(async (tx) => {
      await add({ queries: tx }, 1);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await list(database)).toEqual([]);
    const result = await database.transaction(async (tx) => {
      await add({ queries: tx }, 2);
      await add({ queries: tx }, 3);
      return 'done';
    });
    expect(result).toBe('done');
    expect(await list(database)).toEqual([2, 3]);
  });

  test('of several at once, each sees what the others made', async () => {
    const database = await openNotes();
    const addNext = () =>
      database.transaction(async (tx) => {
        const known = await list({ queries: tx });
        await add({ queries: tx }, known.length + 1);
      });
    await Promise.all([addNext(), addNext(), addNext()]);
    expect(await list(database)).toEqual([1, 2, 3]);
  });

  test('refuses to wait for a query outside of it, and is rolled back', async () => {
    const database = await openNotes();
    const outside = [
      () => list(database),
      () => database.transaction(async (tx) => void (await list({ queries: tx }))),
      () => database.relaxed(async (tx) => void (await list({ queries: tx }))),
      () => database.reclaimSpace(),
    ];
    for (const query of outside) {
      const waiting = database.transaction(async (tx) => {
        await add({ queries: tx }, 1);
        await query();
      });
      await expect(waiting).rejects.toThrow('A transaction waits for a query outside of it');
    }
    expect(await list(database)).toEqual([]);
  });

  test('lets what it began query freely after its end', async () => {
    const database = await openNotes();
    const end = Promise.withResolvers<void>();
    let begun: Promise<number[]> | undefined;
    await database.transaction(async (tx) => {
      await add({ queries: tx }, 1);
      begun = end.promise.then(() => list(database));
    });
    end.resolve();
    expect(await begun).toEqual([1]);
  });
});

test('a relaxed transaction is as whole as others, and alone waits for no disk', async () => {
  const database = await openNotes(newPath());
  const readSynchronous = async ({ queries }: Notes) =>
    (await sql<{ synchronous: number }>`PRAGMA synchronous`.execute(queries)).rows;
  const [normal, full] = [1, 2].map((synchronous) => [{ synchronous }]);
  await database.relaxed(async (tx) => {
    await add({ queries: tx }, 1);
    expect(await readSynchronous({ queries: tx })).toEqual(normal);
  });
  expect(await readSynchronous(database)).toEqual(full);
  const failing = database.relaxed(async (tx) => {
    await add({ queries: tx }, 2);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await readSynchronous(database)).toEqual(full);
  expect(await list(database)).toEqual([1]);
});

test('many queries in a row let timers run', async () => {
  const database = await openNotes();
  let hasRun = false;
  setTimeout(() => {
    hasRun = true;
  });
  let queries = 0;
  for (; !hasRun && queries < 20_000; queries += 1) await list(database);
  expect(queries).toBeLessThan(20_000);
});

test('rows are not read by a cursor, which would keep the database locked', async () => {
  const { queries } = await openNotes();
  const reading = Array.fromAsync(queries.selectFrom('note').selectAll().stream());
  await expect(reading).rejects.toThrow('Rows are read in pages');
});

describe('while another program has the file locked', () => {
  async function openLocked() {
    const path = newPath();
    const database = await openNotes(path);
    const other = openOther(path);
    other.exec('BEGIN IMMEDIATE');
    return { path, database, other };
  }

  test('a write waits without blocking the event loop', async () => {
    const { database, other } = await openLocked();
    let isWritten = false;
    const writes = [
      add(database, 1).then(() => (isWritten = true)),
      database.transaction((tx) => add({ queries: tx }, 2)),
    ];
    await new Promise(setImmediate);
    expect(isWritten).toBe(false);
    other.exec('COMMIT');
    await Promise.all(writes);
    expect(await list(database)).toEqual([1, 2]);
  });

  test('it can be opened and read', async () => {
    const { path } = await openLocked();
    expect(await list(await openNotes(path))).toEqual([]);
  });

  test('writes give up after ten seconds, say what to do, and work again later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { database, other } = await openLocked();
    const write = vi.fn<() => Promise<unknown>>(() => add(database, 3));
    const writes = Promise.allSettled([
      add(database, 1),
      add(database, 2),
      database.transaction(write),
    ]);
    await vi.advanceTimersByTimeAsync(11_000);
    const reason = new Error(
      'Another process has had the database locked for 10 seconds. Close the program that has it open.',
    );
    const failed = { status: 'rejected', reason };
    expect(await writes).toEqual([failed, failed, failed]);
    expect(write).not.toHaveBeenCalled();
    other.exec('COMMIT');
    await add(database, 4);
    expect(await list(database)).toEqual([4]);
  });
});

test('a query that fails for another reason is not repeated', async () => {
  const path = newPath();
  const database = await openNotes(path);
  await add(database, 1);
  await expect(add(database, 1)).rejects.toThrow('UNIQUE constraint failed');
  await add(database, 2);
});

test('once it is closed, every call rejects', async () => {
  const database = await openNotes();
  await add(database, 1);
  await database[Symbol.asyncDispose]();
  expect(database.isOpen).toBe(false);
  const calls = [
    () => list(database),
    () => add(database, 2),
    () => database.transaction((tx) => list({ queries: tx })),
    () => database.relaxed(async (tx) => void (await list({ queries: tx }))),
    () => database.reclaimSpace(),
  ];
  for (const call of calls) await expect(call()).rejects.toThrow(/finalized|not open/);
  await expect(database[Symbol.asyncDispose]()).resolves.toBeUndefined();
});

describe('what is deleted', () => {
  const contains = (path: string, text: string) =>
    [path, `${path}-wal`].some((file) => readFileSync(file).includes(text));

  async function openEmptied() {
    const path = newPath();
    const database = await openNotes(path);
    await add(database, 1, 'scarletowl '.repeat(1_000_000));
    await database.reclaimSpace();
    const { size } = statSync(path);
    await database.queries.deleteFrom('note').execute();
    return { path, database, size };
  }

  test('is erased, and its space given back in steps of many pages', async () => {
    const { path, database, size } = await openEmptied();
    let turns = 0;
    let isDone = false;
    const reclaiming = database.reclaimSpace().then(() => (isDone = true));
    for (; !isDone; turns += 1) await new Promise(setImmediate);
    await reclaiming;
    expect(contains(path, 'scarletowl')).toBe(false);
    expect(statSync(path).size).toBeLessThan(size / 100);
    // The file has about 2,700 pages.
    expect(turns).toBeGreaterThan(10);
    expect(turns).toBeLessThan(500);
  });

  test('is left in the log while another program reads', async () => {
    const { path, database } = await openEmptied();
    const other = openOther(path);
    other.exec('BEGIN');
    other.prepare('SELECT count(*) FROM note').get();
    await database.reclaimSpace();
    other.exec('COMMIT');
    await database.reclaimSpace();
    expect(contains(path, 'scarletowl')).toBe(false);
  });
});

describe('versions', () => {
  /** The next version, which adds a table. */
  const nextMigrations: Migrations = {
    ...notesMigrations,
    '0.3.0': {
      async up(db) {
        await sql`CREATE TABLE tag (name TEXT)`.execute(db);
        await sql`UPDATE note SET text = text || ', tagged'`.execute(db);
      },
    },
  };

  const tablesOf = (path: string) =>
    openOther(path)
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all()
      .map(({ name }) => name);

  async function write(path: string): Promise<void> {
    await using database = await openDatabase<NotesTables>(path, notesMigrations);
    await add(database, 1);
  }

  test('a file of an earlier version is brought up to date', async () => {
    const path = newPath();
    await write(path);
    for (const _ of ['first', 'again']) {
      await using database = await openDatabase<NotesTables>(path, nextMigrations);
      const rows = await database.queries.selectFrom('note').selectAll().execute();
      expect(rows).toEqual([{ id: 1, text: 'a note, tagged' }]);
    }
  });

  test('a migration that fails leaves nothing, and the next start does it', async () => {
    const path = newPath();
    await write(path);
    const failing: Migrations = {
      ...nextMigrations,
      '0.4.0': {
        async up(db) {
          await sql`CREATE TABLE half (name TEXT)`.execute(db);
          throw new Error('no space');
        },
      },
    };
    await expect(openDatabase(path, failing)).rejects.toThrow('no space');
    expect(tablesOf(path)).not.toContain('half');
    expect(tablesOf(path)).not.toContain('tag');
    await using database = await openDatabase<NotesTables>(path, nextMigrations);
    expect(await list(database)).toEqual([1]);
    expect(tablesOf(path)).toContain('tag');
  });

  test('a new file is made once by those who open it at once', async () => {
    const path = newPath();
    const [one, other] = await Promise.all([openNotes(path), openNotes(path)]);
    await add(one, 1);
    expect(await list(other)).toEqual([1]);
  });

  test('a file of a newer version is refused, to read it too', async () => {
    const path = newPath();
    await using _ = await openDatabase(path, nextMigrations);
    const refusal = new RefusedError(
      `${path} was written by Causeway 0.3.0 or later. Use that version, or restore a backup from before it.`,
    );
    await expect(openNotes(path)).rejects.toThrow(refusal);
    await expect(openToRead(path, notesMigrations)).rejects.toThrow(refusal);
  });

  test('a file of an earlier version is refused to those who only read', async () => {
    const path = newPath();
    await write(path);
    await expect(openToRead(path, nextMigrations)).rejects.toThrow(
      new RefusedError(
        `${path} was written by Causeway 0.2.0. Start Causeway once, which brings it up to date.`,
      ),
    );
  });

  test('a file of another program or an unreleased version is refused and left alone', async () => {
    const path = newPath();
    openOther(path).exec('CREATE TABLE note (id INTEGER)');
    const refusal = new RefusedError(
      `${path} was written by a version of Causeway before 0.2.0, or by another program. Start with an empty data folder.`,
    );
    await expect(openNotes(path)).rejects.toThrow(refusal);
    await expect(openToRead(path, notesMigrations)).rejects.toThrow(refusal);
    expect(tablesOf(path)).toEqual(['note']);
  });

  test('an empty file, as after a crash, is a new one, in which there is nothing to read', async () => {
    const path = newPath();
    openOther(path).exec('PRAGMA user_version = 0');
    expect(await openToRead(path, notesMigrations)).toBeUndefined();
    expect(await list(await openNotes(path))).toEqual([]);
  });
});
