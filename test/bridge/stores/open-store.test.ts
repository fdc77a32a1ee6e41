import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Keyv } from 'keyv';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { KeyedStore } from '../../../src/bridge/conversation/keyed-store.ts';
import { toReceivedRow } from '../../../src/bridge/conversation/inbox/row.ts';
import {
  lastSigned,
  openStore,
  readStore,
  rememberSigned,
} from '../../../src/bridge/stores/open-store.ts';
import { createDatabaseLocks } from '../../../src/shared/stores/database-lock.ts';
import { describeKeyedStore } from '../../contracts/keyed-store.ts';
import { createMemoryStore, createYieldingStore } from '../../fixtures/memory-store.ts';
import { startChild } from '../../shared/stores/child.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

describeKeyedStore('the store in memory', async () => {
  const store = await openStore('memory:');
  onTestFinished(() => store[Symbol.asyncDispose]());
  return { store: store.keyv('key'), other: store.keyv('key') };
});

describeKeyedStore('a file that is opened twice', async () => {
  const url = `sqlite:${join(createTemporaryFolder(), 'store.sqlite')}`;
  const [store, other] = [await openStore(url), await openStore(url)];
  onTestFinished(() => store[Symbol.asyncDispose]());
  onTestFinished(() => other[Symbol.asyncDispose]());
  return { store: store.keyv('key'), other: other.keyv('key') };
});

describeKeyedStore('the tests’ own store', async () => {
  const store = createMemoryStore<{ count: number; said?: string[] }>();
  return { store, other: createYieldingStore(store) };
});

const row = toReceivedRow({ platform: 'fake', workspace: 'W', channel: 'C', id: 'M' }, {});

describe('openStore', () => {
  test('creates a private file and folder', async () => {
    const folder = join(createTemporaryFolder(), 'data', 'deep');
    const path = join(folder, 'store.sqlite');
    await using store = await openStore(`sqlite:${path}`);
    await store.keyv('installations').set('team', 'secret');
    expect(modeOf(folder)).toBe(0o700);
    expect(modeOf(path)).toBe(0o600);
    expect(modeOf(`${path}-wal`)).toBe(0o600);
  });

  test('makes an existing file private, and leaves its folder as it is', async () => {
    const folder = createTemporaryFolder();
    const path = join(folder, 'store.sqlite');
    await (await openStore(`sqlite:${path}`))[Symbol.asyncDispose]();
    chmodSync(folder, 0o750);
    chmodSync(path, 0o640);
    await using store = await openStore(`sqlite:${path}`);
    await store.keyv('sessions').set('key', 'value');
    expect(modeOf(folder)).toBe(0o750);
    expect(modeOf(path)).toBe(0o600);
  });

  test('keeps a write-ahead log', async () => {
    const path = join(createTemporaryFolder(), 'store.sqlite');
    await using store = await openStore(`sqlite:${path}`);
    await store.keyv('sessions').set('thread', 'uuid');
    using database = new DatabaseSync(path, { readOnly: true });
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });

  test('keeps values and turns when it is opened again, also by a relative path', async () => {
    const path = join(createTemporaryFolder(), 'store.sqlite');
    {
      await using store = await openStore(`sqlite:${path}`);
      await store.keyv('sessions').set('thread', { session: 'uuid' });
      await store.inbox.insert(row);
    }
    await using store = await openStore(`sqlite:${relative(process.cwd(), path)}`);
    expect(await store.keyv('sessions').get('thread')).toEqual({ session: 'uuid' });
    expect(await store.inbox.get(row.id)).toEqual(row);
  });

  test('shares nothing between two stores in memory', async () => {
    await using one = await openStore('memory:');
    await using two = await openStore('memory:');
    await one.keyv('sessions').set('thread', 'uuid');
    expect(await one.keyv('sessions').get('thread')).toBe('uuid');
    expect(await two.keyv('sessions').get('thread')).toBeUndefined();
  });

  test('keeps namespaces apart, and requires a name for each', async () => {
    await using store = await openStore('memory:');
    await store.keyv('sessions').set('key', 'session');
    await store.keyv('bindings').set('key', 'binding');
    await store.keyv('bindings').clear();
    expect(await store.keyv('sessions').get('key')).toBe('session');
    expect(() => store.keyv('')).toThrow('needs a name');
  });

  test('expires values by their row alone', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const path = join(createTemporaryFolder(), 'store.sqlite');
    await using store = await openStore(`sqlite:${path}`);
    const keyv = store.keyv('sessions');
    const start = Date.now();
    await keyv.set('key', 'value', 1_000);
    vi.setSystemTime(start + 999);
    expect(await keyv.get('key')).toBe('value');
    vi.setSystemTime(start + 1_000);
    expect(await keyv.get('key')).toBeUndefined();
    expect(await keyv.has('key')).toBe(false);

    using database = new DatabaseSync(path);
    database.exec('UPDATE keyv SET expires = NULL');
    vi.setSystemTime(start + 2_000);
    expect(await keyv.get('key')).toBe('value');
    expect(await keyv.has('key')).toBe(true);
  });

  test('expires what a change made, and leaves alone what it left', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await using store = await openStore('memory:', { retentionMs: 5_000 });
    const keyv = store.keyv<string>('sessions');
    const start = Date.now();
    await keyv.update('changed', () => 'value', 1_000);
    await keyv.set('left', 'value', 1_000);
    await keyv.update('left', (value) => value, 3_000);
    await keyv.update('kept', () => 'value', 9_000);
    await keyv.update('for good', () => 'value');
    vi.setSystemTime(start + 1_000);
    expect(await keyv.getMany(['changed', 'left', 'kept'])).toEqual([
      undefined,
      undefined,
      'value',
    ]);
    expect((await keyv.update('left', (value) => value ?? 'anew')).before).toBeUndefined();
    vi.setSystemTime(start + 5_000);
    expect(await keyv.getMany(['kept', 'for good'])).toEqual([undefined, 'value']);
  });

  test('loses no change of another process', async () => {
    const url = `sqlite:${join(createTemporaryFolder(), 'store.sqlite')}`;
    await using store = await openStore(url);
    const keyv = store.keyv<number>('counts');
    const child = startChild(new URL('./counting-child.ts', import.meta.url), url);
    expect(await child.lines.next()).toMatchObject({ value: 'started' });
    for (let number = 0; number < 500; number += 1) {
      await keyv.update('key', (count = 0) => count + 1);
    }
    expect(await child.lines.next()).toMatchObject({ value: '500' });
    expect(await keyv.get('key')).toBe(1000);
  });

  test('lists the entries of one namespace', async () => {
    await using store = await openStore('memory:');
    const sessions: KeyedStore<{ session: string }> = store.keyv('sessions');
    await sessions.set('thread', { session: 'uuid' });
    await store.keyv('bindings').set('channel', 'chatbot');
    const entries = await Array.fromAsync(sessions.entries());
    expect(entries).toEqual([['thread', { session: 'uuid' }]]);
  });

  test('can be disposed of twice', async () => {
    const store = await openStore('memory:');
    await store[Symbol.asyncDispose]();
    await expect(store[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });
});

test('a store can be read while a process uses it and afterwards, and reading leaves no trace', async () => {
  const folder = createTemporaryFolder();
  const path = join(folder, 'store.sqlite');
  const url = `sqlite:${path}`;
  expect(await readStore(url)).toBeUndefined();
  {
    using locks = createDatabaseLocks([path]);
    expect(locks.take()).toBeUndefined();
    await using store = await openStore(url);
    await rememberSigned(store, 'a secret');
    await using reader = await readStore(url);
    expect(reader && (await lastSigned(reader, 'a secret'))).toBeGreaterThan(0);
    expect(reader && (await lastSigned(reader, 'another'))).toBeUndefined();
  }
  const files = readdirSync(folder);
  {
    await using reader = await readStore(url);
    expect(reader && (await lastSigned(reader, 'a secret'))).toBeGreaterThan(0);
  }
  expect(readdirSync(folder)).toEqual(files);
});

describe('a store that can’t be read', () => {
  const calls: [
    name: string,
    call: (keyv: Keyv<unknown> & KeyedStore<unknown>) => Promise<unknown>,
  ][] = [
    ['get', (keyv) => keyv.get('key')],
    ['getMany', (keyv) => keyv.getMany(['key'])],
    ['getRaw', (keyv) => keyv.getRaw('key')],
    ['has', (keyv) => keyv.has('key')],
    ['hasMany', (keyv) => keyv.hasMany(['key'])],
    ['set', (keyv) => keyv.set('key', 'value')],
    ['setMany', (keyv) => keyv.setMany([{ key: 'key', value: 'value' }])],
    ['delete', (keyv) => keyv.delete('key')],
    ['update', (keyv) => keyv.update('key', () => 'value')],
    ['deleteMany', (keyv) => keyv.deleteMany(['key'])],
    ['clear', (keyv) => keyv.clear()],
    ['iterator', (keyv) => keyv.iterator().next()],
    ['entries', (keyv) => Array.fromAsync(keyv.entries())],
  ];

  test.each(calls)('rejects %s', async (_, call) => {
    const store = await openStore('memory:');
    const keyv = store.keyv('sessions');
    await store[Symbol.asyncDispose]();
    await expect(call(keyv)).rejects.toThrow(/finalized|not open/);
  });

  test.each(calls)('rejects %s though someone listens for errors', async (_, call) => {
    const store = await openStore('memory:');
    const keyv = store.keyv('sessions');
    keyv.on('error', () => {});
    keyv.prependListener('error', () => {});
    await store[Symbol.asyncDispose]();
    await expect(call(keyv)).rejects.toThrow(/finalized|not open/);
  });

  test('is not mistaken for an empty one if a value is damaged', async () => {
    const path = join(createTemporaryFolder(), 'store.sqlite');
    await using store = await openStore(`sqlite:${path}`);
    const keyv = store.keyv('sessions');
    await keyv.set('key', 'value');
    using database = new DatabaseSync(path);
    database.exec(`UPDATE keyv SET value = '{"val'`);
    await expect(keyv.get('key')).rejects.toThrow(SyntaxError);
    await expect(keyv.getMany(['key'])).rejects.toThrow(SyntaxError);
    await expect(keyv.update('key', () => 'anew')).rejects.toThrow(SyntaxError);
  });
});

describe('a STORE_URL that cannot be used', () => {
  test.each([
    ['', 'does not start with a scheme'],
    ['data/store.sqlite', 'does not start with a scheme'],
    ['redis://:hunter2@localhost', 'unknown scheme, redis:'],
    ['SQLITE:store.sqlite', 'unknown scheme, SQLITE:'],
    ['sqlite:', 'names no file'],
    ['sqlite:data/', 'names no file'],
    ['sqlite://data/store.sqlite', 'has // at the start of its file path'],
    ['sqlite::memory:', 'has :m at the start of its file path'],
    ['memory:store', 'anything after memory:'],
    ['postgres:///causeway', 'names no host'],
    ['postgres://:hunter2@localhost', 'names no database'],
  ])('is refused with what is wrong and how to fix it: %j', async (storeUrl, wrong) => {
    const opened = openStore(storeUrl);
    await expect(opened).rejects.toThrow(
      new RegExp(`^STORE_URL .*${wrong}.*Use sqlite:path/to/file.sqlite or postgres:`),
    );
    await expect(opened).rejects.not.toThrow('hunter2');
  });

  test('is refused if the path is a folder', async () => {
    const path = join(createTemporaryFolder(), 'folder');
    mkdirSync(path);
    await expect(openStore(`sqlite:${path}`)).rejects.toThrow(
      new RegExp(
        `^STORE_URL names ${path}, which cannot be opened: .*Use an existing or new SQLite file`,
      ),
    );
  });

  test('is refused if the file is not a database', async () => {
    const path = join(createTemporaryFolder(), 'notes.txt');
    writeFileSync(path, 'not a database, and longer than its header would be. '.repeat(20));
    await expect(openStore(`sqlite:${path}`)).rejects.toThrow(
      /^STORE_URL names .*file is not a database\. Restore it from a backup/,
    );
  });
});

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
