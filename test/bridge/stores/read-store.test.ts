import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabaseLocks } from '../../../src/shared/stores/database-lock.ts';
import { openStore, readStore } from '../../../src/bridge/stores/open-store.ts';
import { lastSigned, rememberSigned } from '../../../src/bridge/stores/signed-requests.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

test('a store can be read while a process uses it and afterwards, and reading leaves no trace', async () => {
  const folder = createTemporaryFolder();
  const path = join(folder, 'store.sqlite');
  const url = `sqlite:${path}`;
  expect(readStore(url)).toBeUndefined();
  {
    using locks = createDatabaseLocks([path]);
    expect(locks.take()).toBeUndefined();
    await using store = openStore(url);
    await rememberSigned(store, 'a secret');
    using reader = readStore(url);
    expect(reader && (await lastSigned(reader, 'a secret'))).toBeGreaterThan(0);
    expect(reader && (await lastSigned(reader, 'another'))).toBeUndefined();
  }
  const files = readdirSync(folder);
  {
    using reader = readStore(url);
    expect(reader && (await lastSigned(reader, 'a secret'))).toBeGreaterThan(0);
  }
  expect(readdirSync(folder)).toEqual(files);
});
