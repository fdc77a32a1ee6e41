import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabaseLocks } from '../../../src/shared/stores/database-lock.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';
import { openNotes } from './notes.ts';

test('a database can be locked once, and again after its release', () => {
  const path = join(createTemporaryFolder(), 'deep', 'store.sqlite');
  const first = createDatabaseLocks([path]);
  using second = createDatabaseLocks([path]);
  expect(first.take()).toBeUndefined();
  expect(second.take()).toBe(path);
  first[Symbol.dispose]();
  expect(second.take()).toBeUndefined();
  expect(statSync(`${path}.lock`).mode & 0o777).toBe(0o600);
});

test('either all of several databases are locked, or none', () => {
  const folder = createTemporaryFolder();
  const [one = '', two = ''] = ['one', 'two'].map((name) => join(folder, name));
  using first = createDatabaseLocks([two]);
  using second = createDatabaseLocks([one, two]);
  using third = createDatabaseLocks([one]);
  expect(first.take()).toBeUndefined();
  expect(second.take()).toBe(two);
  expect(third.take()).toBeUndefined();
});

test('a link to a database is the same database', () => {
  const folder = createTemporaryFolder();
  const path = join(folder, 'store.sqlite');
  const link = join(folder, 'link.sqlite');
  writeFileSync(path, '');
  symlinkSync(path, link);
  using first = createDatabaseLocks([path]);
  using second = createDatabaseLocks([link]);
  expect(first.take()).toBeUndefined();
  expect(second.take()).toBe(link);
  expect(existsSync(`${link}.lock`)).toBe(false);
});

test('others can still read and write a locked database', async () => {
  const path = join(createTemporaryFolder(), 'store.sqlite');
  using locks = createDatabaseLocks([path]);
  expect(locks.take()).toBeUndefined();
  const { queries } = await openNotes(path);
  await queries.insertInto('note').values({ id: 1, text: 'kept' }).execute();
});

test('a lock that can’t be opened is an error that names its file and what to do', () => {
  const file = join(createTemporaryFolder(), 'file');
  writeFileSync(file, '');
  const locks = createDatabaseLocks([join(file, 'store.sqlite')]);
  expect(() => locks.take()).toThrow(
    new RegExp(`^${file}/store.sqlite.lock cannot be opened: .* Let this user write to it`),
  );
});
