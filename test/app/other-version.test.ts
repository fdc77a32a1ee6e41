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

const sandboxVersion = 1;

/** Makes a database look like one of a newer version; the former one is its own again. */
function setVersion(path: string, isNewer: boolean): void {
  using database = new DatabaseSync(path);
  if (path.endsWith('sandbox.sqlite')) {
    database.exec(`PRAGMA user_version = ${isNewer ? sandboxVersion + 1 : sandboxVersion}`);
  } else if (isNewer) {
    database.exec(
      "INSERT INTO kysely_migration VALUES ('2030-01-01 7.0.0', '2030-01-01T00:00:00.000Z')",
    );
  } else {
    database.exec("DELETE FROM kysely_migration WHERE name = '2030-01-01 7.0.0'");
  }
}

const refusal = (path: string) =>
  path.endsWith('sandbox.sqlite')
    ? `${path} was written by another version of Causeway. Use that version, or delete the file to start with an empty sandbox.`
    : `${path} was written by Causeway 7.0.0 or later. Use that version, or restore a backup from before it.`;

test.each(['causeway.sqlite', 'service.sqlite', 'sandbox.sqlite'])(
  'a start refuses %s of a newer version',
  async (name) => {
    const folder = createData();
    const path = join(folder, name);
    setVersion(path, true);
    await expect(start(folder)).rejects.toThrow(refusal(path));
    setVersion(path, false);
    await using app = await start(folder);
    expect(app.awaited()).toEqual([]);
  },
);

test.each(['causeway.sqlite', 'service.sqlite'])(
  'a start refuses %s of another program or an unreleased version, and leaves it alone',
  async (name) => {
    const folder = createTemporaryFolder();
    const path = join(folder, name);
    {
      using database = new DatabaseSync(path);
      database.exec('CREATE TABLE notes (text TEXT)');
    }
    await expect(start(folder)).rejects.toThrow(
      `${path} was written by a version of Causeway before 0.2.0, or by another program. Start with an empty data folder.`,
    );
    using database = new DatabaseSync(path, { readOnly: true });
    expect(database.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'notes' }]);
  },
);

test('commands refuse data of a newer version, and the doctor says so', async () => {
  const folder = createData();
  const [store, service] = ['causeway.sqlite', 'service.sqlite'].map((name) => join(folder, name));
  for (const path of [store, service]) setVersion(path ?? '', true);
  await expect(openKeys(configOf(folder))).rejects.toThrow(refusal(service ?? ''));
  const copy = join(createTemporaryFolder(), 'backup');
  await expect(createBackup(configOf(folder), copy)).rejects.toThrow(refusal(store ?? ''));
  const lines = await examine({ DATA_DIR: folder });
  expect(JSON.stringify(lines)).toContain(refusal(store ?? ''));
});

test('a backup of a newer version is not restored', async () => {
  const copy = join(createTemporaryFolder(), 'backup');
  await createBackup(configOf(createData()), copy);
  const target = join(createTemporaryFolder(), 'data');
  mkdirSync(target);
  for (const name of ['sandbox.sqlite', 'service.sqlite', 'store.sqlite']) {
    const path = join(copy, name);
    setVersion(path, true);
    const restored = restoreBackup(configOf(target), copy, { replace: false });
    await expect(restored).rejects.toThrow(refusal(path));
  }
});
