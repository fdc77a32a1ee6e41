import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toReceivedRow } from '../../../src/bridge/conversation/turns/turn-record.ts';
import { atOnce } from '../../../src/shared/primitives/in-steps.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

const dayMs = 24 * 60 * 60 * 1000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const channel = { platform: 'slack', workspace: 'T1', channel: 'C1' };

function endedTurn(id: string, query: string) {
  return { ...toReceivedRow({ ...channel, id }), state: 'ended' as const, query };
}

/** Whether the database's file or its log contains the text. */
function contains(path: string, text: string): boolean {
  return [path, `${path}-wal`].some((file) => readFileSync(file).includes(text));
}

test.each([
  { retentionMs: undefined, keptDays: 30 },
  { retentionMs: 7 * dayMs, keptDays: 7 },
])('rows that ended leave the file after $keptDays days', async ({ retentionMs, keptDays }) => {
  const path = join(createTemporaryFolder(), 'store.sqlite');
  await using store = openStore(`sqlite:${path}`, { retentionMs });
  await store.turns.insert(endedTurn('1.1', 'Where is the scarletowl?'));
  const values = store.keyv<string>('hand-over');
  await values.set('one', 'The amberhawk said so.', 30 * dayMs);
  await values.set('two', 'This stays.');

  vi.advanceTimersByTime(keptDays * dayMs - 1000);
  atOnce(store.keepUp());
  expect(contains(path, 'scarletowl') && contains(path, 'amberhawk')).toBe(true);
  vi.advanceTimersByTime(2000);
  atOnce(store.keepUp());
  expect(contains(path, 'scarletowl') || contains(path, 'amberhawk')).toBe(false);
  expect(await values.get('two')).toBe('This stays.');
});

test('the file of an earlier version loses what was deleted and what nobody can read', async () => {
  const path = join(createTemporaryFolder(), 'store.sqlite');
  {
    await using first = openStore(`sqlite:${path}`);
    await first.turns.insert(endedTurn('1.1', 'kept'));
  }
  {
    using database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM;');
    database.exec('PRAGMA secure_delete = OFF; CREATE TABLE old (text TEXT)');
    database.prepare('INSERT INTO old VALUES (?)').run('scarletrook '.repeat(50_000));
    database.exec('DROP TABLE old');
    database.exec("INSERT INTO turns (id, state, value) VALUES ('x', 'unreadable', 'duskyteal')");
  }
  const bytes = statSync(path).size;
  await using second = openStore(`sqlite:${path}`);
  await second.turns.unfinished();
  atOnce(second.keepUp());
  expect(contains(path, 'scarletrook')).toBe(false);
  expect(statSync(path).size).toBeLessThan(bytes - 500_000);
  vi.advanceTimersByTime(30 * dayMs);
  atOnce(second.keepUp());
  expect(contains(path, 'duskyteal')).toBe(false);
});
