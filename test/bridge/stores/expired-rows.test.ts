import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toReceivedRow } from '../../../src/bridge/conversation/inbox/row.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

const { signal } = new AbortController();
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
])(
  'expired rows are erased from the file after $keptDays days',
  async ({ retentionMs, keptDays }) => {
    const path = join(createTemporaryFolder(), 'store.sqlite');
    await using store = await openStore(`sqlite:${path}`, { retentionMs });
    await store.inbox.insert(endedTurn('1.1', 'Where is the scarletowl?'));
    const values = store.keyv<string>('hand-over');
    await values.set('one', 'The amberhawk said so.', 30 * dayMs);
    await values.set('two', 'This stays.');

    vi.advanceTimersByTime(keptDays * dayMs - 1000);
    await store.keepUp(signal);
    expect(contains(path, 'scarletowl') && contains(path, 'amberhawk')).toBe(true);
    vi.advanceTimersByTime(2000);
    await store.keepUp(signal);
    expect(contains(path, 'scarletowl') || contains(path, 'amberhawk')).toBe(false);
    expect(await values.get('two')).toBe('This stays.');
  },
);

test('an erased turn is remembered by its id until 30 days have passed', async () => {
  const path = join(createTemporaryFolder(), 'store.sqlite');
  await using store = await openStore(`sqlite:${path}`, { retentionMs: dayMs });
  const turn = endedTurn('1.1', 'Where is the scarletowl?');
  await store.inbox.insert(turn);
  for (const days of [2, 27]) {
    vi.advanceTimersByTime(days * dayMs);
    await store.keepUp(signal);
    expect(await store.inbox.insert(turn)).toBe(false);
    expect(contains(path, 'scarletowl') || contains(path, '"C1"')).toBe(false);
  }
  vi.advanceTimersByTime(2 * dayMs);
  await store.keepUp(signal);
  expect(await store.inbox.get(turn.id)).toBeUndefined();
  expect(await store.inbox.insert(turn)).toBe(true);
});

test('an unreadable turn is erased from the file after 30 days', async () => {
  const path = join(createTemporaryFolder(), 'store.sqlite');
  await using store = await openStore(`sqlite:${path}`);
  await store.inbox.insert({ ...endedTurn('1.1', 'Where?'), state: 'accepted' });
  {
    using database = new DatabaseSync(path);
    database.exec("UPDATE inbox SET value = 'duskyteal'");
  }
  expect((await store.inbox.claimDue(Date.now())).unreadable).toHaveLength(1);
  vi.advanceTimersByTime(30 * dayMs - 1000);
  await store.keepUp(signal);
  expect(contains(path, 'duskyteal')).toBe(true);
  vi.advanceTimersByTime(2000);
  await store.keepUp(signal);
  expect(contains(path, 'duskyteal')).toBe(false);
});
