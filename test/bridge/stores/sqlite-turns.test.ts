import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/shared/stores/sqlite-database.ts';
import { createSqliteTurns, turnsTable } from '../../../src/bridge/stores/sqlite-turns.ts';
import { describeTurnStore } from '../../contracts/turn-store.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

describeTurnStore('the SQLite store', () => {
  const path = join(createTemporaryFolder(), 'store.sqlite');
  const open = () => {
    const database = openDatabase(path, turnsTable);
    onTestFinished(() => database.close());
    return database;
  };
  const spoiling = open();
  let time = Date.UTC(2026, 0, 1);
  return {
    createStore: () => createSqliteTurns(open(), { now: () => time }),
    advance: (ms) => {
      time += ms;
    },
    spoil: (id, value) =>
      void spoiling.prepare('UPDATE turns SET value = ? WHERE id = ?').run(value, id),
  };
});
