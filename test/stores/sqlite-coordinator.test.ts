import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqliteCoordinator } from '../../src/stores/sqlite-coordinator.ts';
import { openDatabase } from '../../src/stores/sqlite-database.ts';
import { describeCoordinator } from '../contracts/coordinator.ts';
import { startChild } from './child.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';

describeCoordinator('the SQLite coordinator', () => {
  const database = openTestDatabase();
  let time = Date.UTC(2026, 0, 1);
  return {
    createCoordinator: () => createSqliteCoordinator(database, { now: () => time }),
    advance: (ms) => {
      time += ms;
    },
  };
});

describe('the SQLite coordinator', () => {
  test('knows what was taken when the file is opened again', async () => {
    const path = join(createTemporaryFolder(), 'store.sqlite');
    const before = openDatabase(path);
    await createSqliteCoordinator(before).claim('message', 60_000);
    before.close();
    const after = createSqliteCoordinator(openTestDatabase(path));
    expect(await after.claim('message', 60_000)).toBe(false);
  });

  test('lets what expired go as other keys are taken, a few at a time', async () => {
    const database = openTestDatabase();
    const count = () => database.prepare('SELECT count(*) AS rows FROM claims').get()?.rows;
    let time = 0;
    const coordinator = createSqliteCoordinator(database, { now: () => time });
    for (let index = 0; index < 100; index += 1) await coordinator.claim(`${index}`, 1_000);
    expect(count()).toBe(100);
    time = 1_000;
    await coordinator.claim('live', 1_000);
    expect(count()).toBe(91);
    for (let index = 0; index < 20; index += 1) await coordinator.claim(`live ${index}`, 1_000);
    expect(count()).toBe(21);
  });

  test('rejects every call once the database is closed', async () => {
    const database = openDatabase(':memory:');
    const coordinator = createSqliteCoordinator(database);
    database.close();
    await expect(coordinator.claim('message', 1_000)).rejects.toThrow('not open');
  });

  test('gives each key to one of two processes that race for it', async () => {
    const path = join(createTemporaryFolder(), 'store.sqlite');
    const script = new URL('./claiming-child.ts', import.meta.url);
    const children = [startChild(script, `sqlite:${path}`), startChild(script, `sqlite:${path}`)];
    for (let index = 0; index < 200; index += 1) {
      const inTurn = index % 2 ? children : children.toReversed();
      for (const child of inTurn) child.send(`message ${index}`);
      const answers = await Promise.all(children.map(async ({ lines }) => lines.next()));
      expect(answers.filter(({ value }) => value === 'true')).toHaveLength(1);
      expect(answers.filter(({ value }) => value === 'false')).toHaveLength(1);
    }
  });
});

function openTestDatabase(path = ':memory:') {
  const database = openDatabase(path);
  onTestFinished(() => database.close());
  return database;
}
