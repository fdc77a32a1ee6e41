import { type Kysely, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { toReceivedRow } from '../../src/bridge/conversation/inbox/row.ts';
import { createInboxStore } from '../../src/bridge/stores/inbox-store.ts';
import { bridgeMigrations, type BridgeTables } from '../../src/bridge/stores/schema.ts';
import { createStore } from '../../src/service/store/store.ts';
import { serviceMigrations, type ServiceTables } from '../../src/service/store/schema.ts';
import type { Database } from '../../src/shared/stores/database.ts';
import { sweepKeyv } from '../../src/shared/stores/keyv-store.ts';
import { openUntilEnd, postgres } from '../fixtures/databases.ts';

/* What is in use again when upkeep comes to delete it. On SQLite, nothing comes between. */

const { signal } = new AbortController();

/** Who waits for a lock in this database. */
const waiting = sql`
  SELECT 1 FROM pg_locks AS waits WHERE NOT granted AND EXISTS (
    SELECT 1 FROM pg_locks AS holds JOIN pg_database ON oid = holds.database
    WHERE holds.pid = waits.pid AND datname = current_database()
  )`;

/** Makes a change, which is committed once the upkeep waits for it. */
async function changeMeanwhile<Tables>(
  database: Database<Tables>,
  change: (tx: Kysely<Tables>) => Promise<unknown>,
  upkeep: () => Promise<void>,
): Promise<void> {
  const changed = Promise.withResolvers<void>();
  const committed = database.transaction(async (tx) => {
    await change(tx);
    changed.resolve();
    while ((await waiting.execute(tx)).rows.length === 0);
  });
  await changed.promise;
  await Promise.all([committed, upkeep()]);
}

describe.runIf(postgres.isInstalled)('upkeep on Postgres leaves', () => {
  async function openBridge() {
    const { bridge } = await postgres.createPlaces();
    return openUntilEnd<BridgeTables>(bridge, bridgeMigrations);
  }

  test('a value that is written again', async () => {
    const database = await openBridge();
    const { queries } = database;
    await queries
      .insertInto('keyv')
      .values({ namespace: 'session', key: 'thread', value: 'before', expires: 1 })
      .execute();
    await changeMeanwhile(
      database,
      (tx) => tx.updateTable('keyv').set({ value: 'after', expires: null }).execute(),
      () => sweepKeyv(queries, signal),
    );
    const rows = await queries.selectFrom('keyv').select('value').execute();
    expect(rows).toEqual([{ value: 'after' }]);
  });

  test.each(['brief', 'ended'])('a message that is asked again (%s)', async (state) => {
    const database = await openBridge();
    const { queries } = database;
    const inbox = createInboxStore(queries);
    const place = { platform: 'fake', workspace: 'W', channel: 'C', id: 'M' };
    const row = toReceivedRow(place, { text: 'Why?' });
    await inbox.insert(row);
    await queries.updateTable('inbox').set({ state, dueAt: null, expires: 1 }).execute();
    const { dueAt } = row;
    await changeMeanwhile(
      database,
      (tx) => tx.updateTable('inbox').set({ state: 'received', dueAt, expires: null }).execute(),
      () => inbox.sweep(signal),
    );
    expect(await inbox.get(row.id)).toEqual(row);
  });

  test('a chatbot’s corpus that gets a source', async () => {
    const { service } = await postgres.createPlaces();
    const open = () => openUntilEnd<ServiceTables>(service, serviceMigrations);
    const [database, other] = [await open(), await open()];
    const store = createStore(database);
    const source = { uuid: 'one', title: 'One', file_name: '', type: 'upload' };
    await store.drafts.begin('bot', source);
    await store.passages.remove('one');
    const draft = { source: 'two', state: 'draft', title: 'Two', titleTerms: '' } as const;
    await changeMeanwhile(
      database,
      async (tx) => {
        const known = await tx.selectFrom('sourceVersions').selectAll().executeTakeFirstOrThrow();
        const { number: _, ...version } = known;
        await tx
          .insertInto('sourceVersions')
          .values({ ...version, ...draft })
          .execute();
      },
      () => createStore(other).passages.deleteHidden(signal),
    );
    const versions = await database.queries.selectFrom('sourceVersions').select('source').execute();
    expect(versions).toEqual([{ source: 'two' }]);
  });
});
