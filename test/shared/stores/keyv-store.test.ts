import { join } from 'node:path';
import { Keyv, KeyvMemoryAdapter, type KeyvStorageEntry } from 'keyv';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createInboxStore } from '../../../src/bridge/stores/inbox-store.ts';
import { bridgeMigrations, type BridgeTables } from '../../../src/bridge/stores/schema.ts';
import { createKeyvStore, sweepKeyv } from '../../../src/shared/stores/keyv-store.ts';
import { databases, openUntilEnd } from '../../fixtures/databases.ts';
import { describeKeyvStore } from '../../contracts/keyv-store.ts';
import { startChild } from './child.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

describeKeyvStore('Keyv’s in-memory adapter', async () => {
  const map = new Map<string, unknown>();
  return { createAdapter: () => new KeyvMemoryAdapter(map) };
});

for (const { name, createPlaces } of databases) {
  describeKeyvStore(`the store on ${name}`, async () => {
    const database = await openUntilEnd<BridgeTables>(
      (await createPlaces()).bridge,
      bridgeMigrations,
    );
    return { createAdapter: () => createKeyvStore(database) };
  });
}

describe('the store', () => {
  test('keeps values when the file is opened again', async () => {
    const path = join(createTemporaryFolder(), 'store.sqlite');
    const before = await openTestDatabase(path);
    await createKeyvStore(before, { namespace: 'sessions' }).set('thread', 'session');
    await before[Symbol.asyncDispose]();
    const after = createKeyvStore(await openTestDatabase(path), { namespace: 'sessions' });
    expect(await after.get('thread')).toBe('session');
  });

  test('shows each connection what the other wrote', async () => {
    const path = join(createTemporaryFolder(), 'store.sqlite');
    const one = createKeyvStore(await openTestDatabase(path));
    const two = createKeyvStore(await openTestDatabase(path));
    await one.set('key', 'of one');
    expect(await two.get('key')).toBe('of one');
    await two.set('key', 'of two');
    expect(await one.get('key')).toBe('of two');
    await one.delete('key');
    expect(await two.has('key')).toBe(false);
  });

  test('keeps namespaces apart that differ only in a separator', async () => {
    const database = await openTestDatabase();
    const short = createKeyvStore(database, { namespace: 'a' });
    const long = createKeyvStore(database, { namespace: 'a::b' });
    await short.set('b::key', 'short');
    await long.set('key', 'long');
    expect(await short.get('b::key')).toBe('short');
    await short.clear();
    expect(await long.get('key')).toBe('long');
  });

  test('keeps expired rows until they are swept, all of them', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { signal } = new AbortController();
    const database = await openTestDatabase();
    const count = async () =>
      (await database.queries.selectFrom('keyv').select('key').execute()).length;
    const store = createKeyvStore(database);
    const expires = Date.now() + 1_000;
    await store.setMany(
      Array.from({ length: 1_000 }, (_, index) => ({ key: `${index}`, value: '', expires })),
    );
    await store.set('live', '');
    await sweepKeyv(database.queries, signal);
    expect(await count()).toBe(1_001);
    vi.setSystemTime(expires);
    await sweepKeyv(database.queries, AbortSignal.abort());
    expect(await count()).toBe(1_001);
    await sweepKeyv(database.queries, signal);
    expect(await count()).toBe(1);
  });

  test('writes in the order of the calls', async () => {
    const store = createKeyvStore(await openTestDatabase());
    await Promise.all([
      store.update('key', () => 'first'),
      store.set('key', 'second'),
      store.setMany([{ key: 'key', value: 'third' }]),
      store.update('key', (value) => `${value}, changed`),
    ]);
    expect(await store.get('key')).toBe('third, changed');
  });

  test('writes either all of several entries or none', async () => {
    const store = createKeyvStore(await openTestDatabase());
    const entries: KeyvStorageEntry[] = [
      { key: 'good', value: 'text' },
      { key: 'bad', value: { not: 'text' } },
    ];
    await expect(store.setMany(entries)).rejects.toThrow(
      'The value must be a string for the store',
    );
    expect(await store.has('good')).toBe(false);
    expect(await store.set('good', 'text')).toBe(true);
  });

  test('refuses a key that a database would change', async () => {
    const store = createKeyvStore(await openTestDatabase());
    await expect(store.set('\ud800', 'text')).rejects.toThrow('a lone surrogate');
    await expect(store.get('\ud801')).rejects.toThrow('a lone surrogate');
  });

  test('rejects every call once the database is closed', async () => {
    const database = await openTestDatabase();
    const store = createKeyvStore(database, { namespace: 'sessions' });
    await store.set('key', 'value');
    await database[Symbol.asyncDispose]();

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
    await expect(store.iterator?.().next()).rejects.toThrow('not open');
  });

  test('leaves the database open when disconnected', async () => {
    const database = await openTestDatabase();
    await new Keyv({ store: createKeyvStore(database), namespace: 'a' }).disconnect();
    expect(await createKeyvStore(database).set('key', 'value')).toBe(true);
  });

  test('loses nothing it acknowledged when its process is killed', async () => {
    const path = join(createTemporaryFolder(), 'store.sqlite');
    const child = startChild(new URL('./writing-child.ts', import.meta.url), `sqlite:${path}`);
    const acknowledged: string[] = [];
    for await (const key of { [Symbol.asyncIterator]: () => child.lines }) {
      acknowledged.push(key);
      if (acknowledged.length === 60) await child.kill();
    }

    const database = await openTestDatabase(path);
    const { rows: checks } = await sql`PRAGMA integrity_check`.execute(database.queries);
    expect(checks).toEqual([{ integrityCheck: 'ok' }]);
    const keyv = new Keyv<string>({ store: createKeyvStore(database), namespace: 'turns' });
    const expected = acknowledged.map((key) => `${key} `.repeat(200));
    expect(await keyv.getMany(acknowledged)).toEqual(expected);
    const { rows } = await createInboxStore(database.queries).claimDue(Date.now());
    expect(rows.map((row) => row.messageId)).toEqual(expect.arrayContaining(acknowledged));
  });
});

function openTestDatabase(path = ':memory:') {
  return openUntilEnd<BridgeTables>(path, bridgeMigrations);
}
