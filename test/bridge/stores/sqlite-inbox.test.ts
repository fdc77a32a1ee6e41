import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/shared/stores/sqlite-database.ts';
import { createSqliteInbox, inboxTable } from '../../../src/bridge/stores/sqlite-inbox.ts';
import { describeInbox } from '../../contracts/inbox.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

describeInbox('the SQLite store', () => {
  const path = join(createTemporaryFolder(), 'store.sqlite');
  const open = () => {
    const database = openDatabase(path, inboxTable);
    onTestFinished(() => database.close());
    return database;
  };
  const spoiling = open();
  let time = Date.UTC(2026, 0, 1);
  return {
    createStore: () => createSqliteInbox(open(), { now: () => time }),
    advance: (ms) => {
      time += ms;
    },
    spoil: (id, value) =>
      void spoiling.prepare('UPDATE inbox SET value = ? WHERE id = ?').run(value, id),
  };
});
