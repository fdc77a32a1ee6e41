import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { createBackup } from '../../src/app/backup.ts';
import { openKeys } from '../../src/app/manage-keys.ts';
import { restoreBackup } from '../../src/app/restore.ts';
import { examine } from '../../src/cli/setup/doctor.ts';
import { readConfig } from '../../src/config/config.ts';
import { schemaNumber } from '../../src/shared/primitives/sqlite.ts';
import { silentLog } from '../fixtures/log.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';

const configOf = (folder: string) => readConfig({ DATA_DIR: folder, PORT: '0' });

const start = async (folder: string) =>
  await createApp(configOf(folder), silentLog, { service: { extractor: sharedExtractor } });

/** Data of this version, written once, as a first start takes longer than the tests. */
const written = mkdtempSync(join(tmpdir(), 'causeway-'));
beforeAll(async () => {
  await (await start(written))[Symbol.asyncDispose]();
});
afterAll(() => rmSync(written, { recursive: true }));

/** A data folder with all three databases. */
function createData(): string {
  const folder = createTemporaryFolder();
  cpSync(written, folder, { recursive: true });
  return folder;
}

/** Makes a database look like one of another version. */
function setSchema(path: string, number = schemaNumber - 1): void {
  using database = new DatabaseSync(path);
  database.exec(`PRAGMA user_version = ${number}`);
}

const refusal = (path: string, number = schemaNumber - 1) =>
  `${path} was written by another version of Causeway: its schema is ${number}, not ${schemaNumber}. Use the version that wrote it, or start with an empty data folder.`;

test.each([
  ['causeway.sqlite', 0],
  ['causeway.sqlite', schemaNumber - 1],
  ['service.sqlite', schemaNumber + 1],
  ['sandbox.sqlite', schemaNumber - 1],
])('a start refuses %s with schema %d', async (name, number) => {
  const folder = createData();
  const path = join(folder, name);
  setSchema(path, number);
  await expect(start(folder)).rejects.toThrow(refusal(path, number));
  setSchema(path, schemaNumber);
  await using app = await start(folder);
  expect(app.awaited()).toEqual([]);
});

test('a database of another program is left alone', async () => {
  const folder = createTemporaryFolder();
  const path = join(folder, 'causeway.sqlite');
  {
    using database = new DatabaseSync(path);
    database.exec('CREATE TABLE notes (text TEXT)');
  }
  await expect(start(folder)).rejects.toThrow(refusal(path, 0));
  using database = new DatabaseSync(path, { readOnly: true });
  expect(database.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'notes' }]);
});

test('commands refuse data of another version, and the doctor says so', async () => {
  const folder = createData();
  const [store, service] = ['causeway.sqlite', 'service.sqlite'].map((name) => join(folder, name));
  for (const path of [store, service]) setSchema(path ?? '');
  expect(() => await openKeys(configOf(folder))).toThrow(refusal(service ?? ''));
  const copy = join(createTemporaryFolder(), 'backup');
  await expect(createBackup(configOf(folder), copy)).rejects.toThrow(refusal(store ?? ''));
  const lines = await examine({ DATA_DIR: folder });
  expect(JSON.stringify(lines)).toContain(refusal(store ?? ''));
});

test('a backup of another version is not restored', async () => {
  const copy = join(createTemporaryFolder(), 'backup');
  await createBackup(configOf(createData()), copy);
  const path = join(copy, 'service.sqlite');
  setSchema(path);
  const target = join(createTemporaryFolder(), 'data');
  mkdirSync(target);
  const restored = restoreBackup(configOf(target), copy, { replace: false });
  await expect(restored).rejects.toThrow(refusal(path));
});
