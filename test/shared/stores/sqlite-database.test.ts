import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { toReceivedRow } from '../../../src/bridge/conversation/inbox/row.ts';
import { createWrite, openDatabase } from '../../../src/shared/stores/sqlite-database.ts';
import { createSqliteInbox, inboxTable } from '../../../src/bridge/stores/sqlite-inbox.ts';
import { createSqliteStore, keyvTable } from '../../../src/shared/stores/sqlite-store.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

describe('while another connection has the file locked', () => {
  test('a write waits without blocking the event loop', async () => {
    const { database, other } = openTwice();
    const store = createSqliteStore(database);
    const turns = createSqliteInbox(database);
    const row = toReceivedRow({ platform: 'fake', workspace: 'W', channel: 'C', id: 'M' });
    other.exec('BEGIN IMMEDIATE');
    const began = performance.now();
    const writes = [store.set('key', 'value'), turns.insert(row)];
    await new Promise(setImmediate);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(await store.get('key')).toBeUndefined();
    other.exec('COMMIT');
    expect(await Promise.all(writes)).toEqual([true, true]);
    expect(await store.get('key')).toBe('value');
  });

  test('writes keep their order', async () => {
    const { database, other } = openTwice();
    const store = createSqliteStore(database);
    other.exec('BEGIN IMMEDIATE');
    const first = store.set('key', 'first');
    await new Promise(setImmediate);
    other.exec('COMMIT');
    const second = store.set('key', 'second');
    await Promise.all([first, second]);
    expect(await store.get('key')).toBe('second');
  });

  test('a write gives up after ten seconds, and says what to do', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { database, other } = openTwice();
    const write = createWrite(database);
    let runs = 0;
    other.exec('BEGIN IMMEDIATE');
    const writes = Promise.allSettled([write(() => (runs += 1)), write(() => (runs += 1))]);
    await vi.advanceTimersByTimeAsync(11_000);
    const error = new Error(
      'Another process has had the database locked for 10 seconds. Close the program that has it open.',
    );
    const failed = { status: 'rejected', reason: error };
    expect(await writes).toEqual([failed, failed]);
    other.exec('COMMIT');
    expect(await write(() => (runs += 1))).toBe(1);
  });

  test('a task that throws is not run again', async () => {
    const write = createWrite(openTwice().database);
    let runs = 0;
    const failing = write(() => {
      runs += 1;
      throw new TypeError('no');
    });
    await expect(failing).rejects.toThrow(TypeError);
    expect(runs).toBe(1);
  });
});

describe.each([
  ['a full disk', 'PRAGMA max_page_count = 1', 'PRAGMA max_page_count = 1000000', 'disk is full'],
  ['a read-only disk', 'PRAGMA query_only = ON', 'PRAGMA query_only = OFF', 'readonly'],
])('on %s', (_, begin, end, reason) => {
  test('writes are refused and reads work, until there is space again', async () => {
    const { database } = openTwice();
    const turns = createSqliteInbox(database);
    const toRow = (id: string) =>
      toReceivedRow(
        { platform: 'fake', workspace: 'W', channel: 'C', id },
        { text: 'x'.repeat(20_000) },
      );
    const [before, during] = [toRow('M1'), toRow('M2')];
    await turns.insert(before);
    database.exec(begin);
    await expect(turns.insert(during)).rejects.toThrow(reason);
    expect(await turns.get(before.id)).toEqual(before);
    expect(await turns.get(during.id)).toBeUndefined();
    expect((await turns.claimDue(Date.now())).rows).toEqual([before]);
    database.exec(end);
    expect(await turns.insert(during)).toBe(true);
  });
});

function openTwice() {
  const path = join(createTemporaryFolder(), 'store.sqlite');
  const database = openDatabase(path, keyvTable + inboxTable);
  const other = new DatabaseSync(path);
  onTestFinished(() => {
    database.close();
    other.close();
  });
  return { database, other };
}
