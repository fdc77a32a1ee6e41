import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Keyv } from 'keyv';
import { expect, onTestFinished, test } from 'vitest';
import { turnId } from '../../../src/bridge/conversation/turns/turn-record.ts';
import { openDatabase } from '../../../src/shared/stores/sqlite-database.ts';
import { createSqliteStore } from '../../../src/shared/stores/sqlite-store.ts';
import { createSqliteTurns } from '../../../src/bridge/stores/sqlite-turns.ts';
import { describeTurnStore } from '../../contracts/turn-store.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

describeTurnStore('the SQLite store', () => {
  const path = join(createTemporaryFolder(), 'store.sqlite');
  const open = () => {
    const database = openDatabase(path);
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

const place = { platform: 'slack', workspace: 'W', channel: 'C' };

/** What versions before the table of turns stored of a question. */
function createOldTurn(messageId: string, change: object = {}) {
  const id = turnId(place, messageId);
  const address = { ...place, thread: messageId };
  return {
    id,
    address,
    messageId,
    author: { id: 'U1', name: 'Ada' },
    query: 'q',
    posted: [],
    ...change,
  };
}

/** A database of such a version. */
async function openOldDatabase(namespaces: Record<string, Record<string, unknown>[]>) {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  database.exec('CREATE TABLE claims (key TEXT PRIMARY KEY, expires INTEGER NOT NULL) STRICT');
  for (const [namespace, values] of Object.entries(namespaces)) {
    const keyv = new Keyv({ store: createSqliteStore(database), namespace });
    for (const value of values) await keyv.set(String(value['id']), value);
  }
  return database;
}

const namespacesOf = (database: DatabaseSync) =>
  database
    .prepare('SELECT DISTINCT namespace FROM keyv')
    .all()
    .map((row) => row['namespace']);

test('turns of an older version go on where they were', async () => {
  const database = await openOldDatabase({
    journal: [
      createOldTurn('3', { session: 's', posted: ['m1'] }),
      createOldTurn('1'),
      createOldTurn('2', { session: 's' }),
    ],
    turn: [createOldTurn('0', { session: 's', posted: ['m0'], feedback: { U1: 'helpful' } })],
    session: [{ id: 'kept' }],
  });
  const turns = createSqliteTurns(database);
  const { rows } = await turns.unfinished();
  expect(rows.map(({ messageId, state }) => [messageId, state])).toEqual([
    ['1', 'accepted'],
    ['2', 'asking'],
    ['3', 'showing'],
  ]);
  const ended = { state: 'ended', feedback: { U1: 'helpful' }, query: 'q', posted: ['m0'] };
  expect(await turns.get(turnId(place, '0'))).toMatchObject(ended);
  expect(namespacesOf(database)).toEqual(['session']);
});

test('messages that an older version handled are not handled again', async () => {
  const database = await openOldDatabase({ turn: [createOldTurn('1')] });
  const claim = database.prepare('INSERT INTO claims VALUES (?, 0)');
  claim.run('slack:W:C:1');
  claim.run('slack:W:C:2');
  const turns = createSqliteTurns(database);
  expect(await turns.get(turnId(place, '1'))).toMatchObject({ state: 'ended' });
  expect(await turns.get(turnId(place, '2'))).toMatchObject({ state: 'handled' });
});

test('a turn of an older version that can’t be read is kept, and keeps nothing else from starting', async () => {
  const database = await openOldDatabase({ journal: [{ id: 'odd' }, createOldTurn('1')] });
  const turns = createSqliteTurns(database);
  expect((await turns.unfinished()).rows).toHaveLength(1);
  const kept = database.prepare("SELECT value FROM turns WHERE state = 'unreadable'").all();
  expect(kept).toEqual([{ value: '{"value":{"id":"odd"}}' }]);
});
