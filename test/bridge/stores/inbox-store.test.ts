import { join } from 'node:path';
import { type KyselyPlugin, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type InboxRow, toReceivedRow } from '../../../src/bridge/conversation/inbox/row.ts';
import { createInboxStore } from '../../../src/bridge/stores/inbox-store.ts';
import { bridgeMigrations, type BridgeTables } from '../../../src/bridge/stores/schema.ts';
import type { DatabasePlace } from '../../../src/shared/stores/open-database.ts';
import { databases, openUntilEnd } from '../../fixtures/databases.ts';
import { describeInbox } from '../../contracts/inbox.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

const dayMs = 24 * 60 * 60 * 1000;
const { signal } = new AbortController();

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

async function openQueries(place: DatabasePlace = ':memory:') {
  const { queries } = await openUntilEnd<BridgeTables>(place, bridgeMigrations);
  return queries;
}

const rowOf = (id: string, event = {}) =>
  toReceivedRow({ platform: 'fake', workspace: 'W', channel: 'C', id }, event);

for (const { name, createPlaces } of databases)
  describeInbox(`the store on ${name}`, async () => {
    const { bridge: place } = await createPlaces();
    const [one, other] = [await openQueries(place), await openQueries(place)];
    const stores = [createInboxStore(one), createInboxStore(other)];
    return {
      createStore: () => stores.pop() ?? createInboxStore(one),
      async advance(ms) {
        vi.advanceTimersByTime(ms);
        await createInboxStore(one).sweep(signal);
      },
      async spoil(id, value) {
        await one.updateTable('inbox').set({ value }).where('id', '=', id).execute();
      },
    };
  });

test('a change is made to what another change made meanwhile', async () => {
  const inbox = createInboxStore(await openQueries());
  const row = rowOf('M');
  await inbox.insert(row);
  const changes = [{ attempts: 1 }, { dueAt: 2 }, { query: 'Why?' }];
  await Promise.all(changes.map((change) => inbox.update(row.id, change)));
  expect(await inbox.get(row.id)).toEqual({ ...row, attempts: 1, dueAt: 2, query: 'Why?' });
});

describe.each([
  ['a full disk', 'PRAGMA max_page_count = 1', 'PRAGMA max_page_count = 1000000', 'disk is full'],
  ['a read-only disk', 'PRAGMA query_only = ON', 'PRAGMA query_only = OFF', 'readonly'],
])('on %s', (_, begin, end, reason) => {
  test('writes are refused and reads work, until there is space again', async () => {
    const queries = await openQueries(join(createTemporaryFolder(), 'store.sqlite'));
    const inbox = createInboxStore(queries);
    const [before, during] = ['M1', 'M2'].map((id) => rowOf(id, { text: 'x'.repeat(20_000) }));
    if (!before || !during) throw new Error('no rows');
    await inbox.insert(before);
    await sql.raw(begin).execute(queries);
    await expect(inbox.insert(during)).rejects.toThrow(reason);
    expect(await inbox.get(before.id)).toEqual(before);
    expect(await inbox.get(during.id)).toBeUndefined();
    expect((await inbox.claimDue(Date.now())).rows).toEqual([before]);
    await sql.raw(end).execute(queries);
    expect(await inbox.insert(during)).toBe(true);
  });
});

test('a sweep deletes all that has expired, unless it is aborted', async () => {
  const queries = await openQueries();
  const inbox = createInboxStore(queries);
  const ended = Array.from({ length: 120 }, (_, index): InboxRow => ({
    ...rowOf(`M${index}`),
    state: 'ended',
  }));
  for (const row of [...ended, rowOf('open')]) await inbox.insert(row);
  vi.advanceTimersByTime(31 * dayMs);
  await inbox.sweep(AbortSignal.abort());
  expect(await inbox.get(ended[0]?.id ?? '')).toBeDefined();
  await inbox.sweep(signal);
  const rows = await queries.selectFrom('inbox').select('id').execute();
  expect(rows).toEqual([{ id: rowOf('open').id }]);
});

test('those that name somebody are looked for among some rows at a time, between which other work goes on', async () => {
  const queries = await openQueries();
  const inbox = createInboxStore(queries);
  for (let at = 0; at < 450; at += 1) await inbox.insert(rowOf(`M${at}`, { by: `U${at % 400}` }));
  const counts: number[] = [];
  const counted: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      counts.push(result.rows.length);
      return result;
    },
  };
  const found = await createInboxStore(queries.withPlugin(counted)).naming(['"U3"', '"U399"']);
  expect(found.map(({ messageId }) => messageId)).toEqual(['M3', 'M399', 'M403']);
  expect(counts).toEqual([200, 200, 50]);
});
