import { join } from 'node:path';
import { Keyv, KeyvMemoryAdapter, type KeyvStorageEntry } from 'keyv';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../../src/shared/stores/sqlite-database.ts';
import { createSqliteInbox, inboxTable } from '../../../src/bridge/stores/sqlite-inbox.ts';
import { createSqliteStore, keyvTable } from '../../../src/shared/stores/sqlite-store.ts';
import { describeKeyvStore } from '../../contracts/keyv-store.ts';
import { startChild } from './child.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

describeKeyvStore('Keyv’s in-memory adapter', () => {
  const map = new Map<string, unknown>();
  return { createAdapter: () => new KeyvMemoryAdapter(map) };
});

describeKeyvStore('the SQLite store', () => {
  const database = openTestDatabase();
  return { createAdapter: () => createSqliteStore(database) };
});

describe('the SQLite store', () => {
  test('keeps values when the file is opened again', async () => {
    const path = join(createTemporaryFolder(), 'store.sqlite');
    const before = openDatabase(path, keyvTable);
    await createSqliteStore(before, { namespace: 'sessions' }).set('thread', 'session');
    before.close();
    const after = createSqliteStore(openTestDatabase(path), { namespace: 'sessions' });
    expect(await after.get('thread')).toBe('session');
  });

  test('shows each connection what the other wrote', async () => {
    const path = join(createTemporaryFolder(), 'store.sqlite');
    const one = createSqliteStore(openTestDatabase(path));
    const two = createSqliteStore(openTestDatabase(path));
    await one.set('key', 'of one');
    expect(await two.get('key')).toBe('of one');
    await two.set('key', 'of two');
    expect(await one.get('key')).toBe('of two');
    await one.delete('key');
    expect(await two.has('key')).toBe(false);
  });

  test('keeps namespaces apart that differ only in a separator', async () => {
    const database = openTestDatabase();
    const short = createSqliteStore(database, { namespace: 'a' });
    const long = createSqliteStore(database, { namespace: 'a::b' });
    await short.set('b::key', 'short');
    await long.set('key', 'long');
    expect(await short.get('b::key')).toBe('short');
    await short.clear();
    expect(await long.get('key')).toBe('long');
  });

  test('removes expired rows as others are written, a few at a time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const database = openTestDatabase();
    const count = () => database.prepare('SELECT count(*) AS rows FROM keyv').get()?.rows;
    const store = createSqliteStore(database);
    const expires = Date.now() + 1_000;
    await store.setMany(
      Array.from({ length: 1_000 }, (_, index) => ({ key: `${index}`, value: '', expires })),
    );
    vi.setSystemTime(expires);

    await store.set('live', '');
    expect(count()).toBe(991);
    await store.setMany(
      Array.from({ length: 100 }, (_, index) => ({ key: `live ${index}`, value: '' })),
    );
    expect(count()).toBe(101);
  });

  test('writes either all of several entries or none', async () => {
    const store = createSqliteStore(openTestDatabase());
    const entries: KeyvStorageEntry[] = [
      { key: 'good', value: 'text' },
      { key: 'bad', value: { not: 'text' } },
    ];
    await expect(store.setMany(entries)).rejects.toThrow('The value must be a string for SQLite');
    expect(await store.has('good')).toBe(false);
    expect(await store.set('good', 'text')).toBe(true);
  });

  test('refuses a key that SQLite would change', async () => {
    const store = createSqliteStore(openTestDatabase());
    await expect(store.set('\ud800', 'text')).rejects.toThrow('a lone surrogate');
    await expect(store.get('\ud801')).rejects.toThrow('a lone surrogate');
  });

  test('rejects every call once the database is closed', async () => {
    const database = openDatabase(':memory:', keyvTable);
    const store = createSqliteStore(database, { namespace: 'sessions' });
    await store.set('key', 'value');
    database.close();

    const calls = [
      store.get('key'),
      store.getMany(['key']),
      store.has('key'),
      store.hasMany(['key']),
      store.set('key', 'value'),
      store.setMany([{ key: 'key', value: 'value' }]),
      store.delete('key'),
      store.deleteMany(['key']),
      store.clear(),
    ];
    for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected');
    await expect(store.iterator?.().next()).rejects.toThrow('finalized');
  });

  test('leaves the database open when disconnected', async () => {
    const database = openTestDatabase();
    await new Keyv({ store: createSqliteStore(database), namespace: 'a' }).disconnect();
    expect(await createSqliteStore(database).set('key', 'value')).toBe(true);
  });

  test('loses nothing it acknowledged when its process is killed', async () => {
    const path = join(createTemporaryFolder(), 'store.sqlite');
    const child = startChild(new URL('./writing-child.ts', import.meta.url), `sqlite:${path}`);
    const acknowledged: string[] = [];
    for await (const key of { [Symbol.asyncIterator]: () => child.lines }) {
      acknowledged.push(key);
      if (acknowledged.length === 200) await child.kill();
    }

    const database = openTestDatabase(path);
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    const keyv = new Keyv<string>({ store: createSqliteStore(database), namespace: 'turns' });
    const expected = acknowledged.map((key) => `${key} `.repeat(200));
    expect(await keyv.getMany(acknowledged)).toEqual(expected);
    const { rows } = await createSqliteInbox(database).claimDue(Date.now());
    expect(rows.map((row) => row.messageId)).toEqual(expect.arrayContaining(acknowledged));
  });
});

function openTestDatabase(path = ':memory:') {
  const database = openDatabase(path, keyvTable + inboxTable);
  onTestFinished(() => database.close());
  return database;
}
