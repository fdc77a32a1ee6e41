import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { inPages } from '../../shared/stores/pages.ts';
import { addressKey, type Workspace } from '../conversation/address.ts';
import type { Backlog, Inbox } from '../conversation/inbox/inbox.ts';
import {
  changeRow,
  isInLane,
  InboxRow,
  laneOf,
  toRow,
  type TurnState,
} from '../conversation/inbox/row.ts';
import { currentFence } from '../conversation/leases.ts';
import { checkFence, selectFence } from './lease-store.ts';
import type { BridgeTables, Queries } from './schema.ts';

/**
 * Messages that are done are kept this long: for their buttons, and to recognize redeliveries and
 * edits. With a shorter retention, only the id is left of an expired row until then.
 */
const usualMs = 30 * 24 * 60 * 60 * 1000;
/** What else is done is only kept to recognize redeliveries. */
const briefMs = 60 * 60 * 1000;
const done = new Set<TurnState>(['ended', 'handled']);

/** Expired rows emptied or removed at a time. */
const sweepLimit = 50;
/** Rows read at a time, of all that there are. */
const pageLength = 200;

const indexed = ['id', 'thread', 'lane', 'dueAt'] as const;
type Indexed = Pick<Selectable<BridgeTables['inbox']>, (typeof indexed)[number]>;

/** The rows of the inbox. */
export interface InboxStore extends Inbox {
  /** Empties and deletes what has expired, some at a time. */
  sweep(signal: AbortSignal): Promise<void>;
}

export function createInboxStore(
  db: Queries,
  { retentionMs = usualMs }: { retentionMs?: number } = {},
): InboxStore {
  const keptMs = Math.min(usualMs, retentionMs);
  const now = () => Date.now();

  function toColumns(row: InboxRow) {
    const { id, kind, state, address, query, createdAt, attempts, failingSince = null } = row;
    const isDone = done.has(state) && !row.unsettled;
    const isBrief = kind !== 'message' || (row.overheard === true && !address);
    return {
      id,
      state: isDone && isBrief ? 'brief' : state,
      // Only questions make a thread ours.
      thread: address && query && state !== 'handled' ? addressKey(address) : null,
      lane: isInLane(row) ? laneOf(row) : null,
      createdAt,
      dueAt: isDone ? null : row.dueAt,
      attempts,
      failingSince,
      value: JSON.stringify(row),
      expires: isDone ? now() + (isBrief ? briefMs : keptMs) : null,
    };
  }

  const select = (id: string) =>
    db.selectFrom('inbox').select(['id', 'revision', 'value']).where('id', '=', id);

  /** The next rows in order of arrival, also those that are done. */
  const allAfter = (arrival: number, limit: number) =>
    db
      .selectFrom('inbox')
      .select('arrival as id')
      .where('arrival', '>', arrival)
      .orderBy('arrival')
      .limit(limit);

  /** They are kept for a while, for whoever looks for the reason. */
  async function setAside(ids: readonly string[]): Promise<void> {
    await db
      .updateTable('inbox')
      .set((eb) => ({
        state: 'unreadable',
        dueAt: null,
        revision: eb('revision', '+', 1),
        expires: now() + keptMs,
      }))
      .where('id', 'in', ids)
      .execute();
  }

  const isExpired =
    (isIn: 'in' | 'not in') =>
    ({ and, eb }: ExpressionBuilder<BridgeTables, 'inbox'>) =>
      and([eb('expires', '<=', now()), eb('state', isIn, ['empty', 'brief'])]);

  /** Some expired rows. */
  const expired = (isIn: 'in' | 'not in') =>
    db.selectFrom('inbox').select('arrival').where(isExpired(isIn)).limit(sweepLimit);

  async function sweepSome(): Promise<boolean> {
    const emptied = await db
      .updateTable('inbox')
      .set((eb) => ({
        state: 'empty',
        thread: null,
        lane: null,
        value: '',
        revision: eb('revision', '+', 1),
        expires: eb('expires', '+', usualMs - keptMs),
      }))
      .where('arrival', 'in', expired('not in'))
      // One that was found may be in use again by now.
      .where(isExpired('not in'))
      .executeTakeFirst();
    const removed = await db
      .deleteFrom('inbox')
      .where('arrival', 'in', expired('in'))
      .where(isExpired('in'))
      .executeTakeFirst();
    return emptied.numUpdatedRows + removed.numDeletedRows > 0n;
  }

  return {
    async insert(row) {
      const inserted = await db
        .insertInto('inbox')
        .values({ ...toColumns(row), revision: 0 })
        .onConflict((oc) => oc.column('id').doNothing())
        .executeTakeFirst();
      return Number(inserted.numInsertedOrUpdatedRows) > 0;
    },
    async get(id) {
      const found = await select(id).executeTakeFirst();
      return found?.value === '' ? toEmptyRow(id) : parse(found);
    },
    async update(id, change, from = () => true) {
      const fence = currentFence();
      const isFrom =
        typeof from === 'function' ? from : ({ state }: InboxRow) => from.includes(state);
      for (;;) {
        const found = await select(id).select(indexed).executeTakeFirst();
        const known = parse(found);
        if (!found || !known || !isFrom(known)) return undefined;
        const changed = changeRow(known, typeof change === 'function' ? change(known) : change);
        const written = await db
          .updateTable('inbox')
          .set({ ...withoutKept(toColumns(changed), found), revision: found.revision + 1 })
          .where('id', '=', id)
          .where('revision', '=', found.revision)
          .where(({ exists, lit }) => (fence ? exists(selectFence(db, fence)) : lit(true)))
          .executeTakeFirst();
        if (written.numUpdatedRows > 0n) return changed;
        // Otherwise another change came first, and this one is made to its result.
        if (fence) await checkFence(db, fence);
      }
    },
    async naming(words) {
      // What `like` takes for a wildcard may be any character.
      const patterns = words.map((word) => `%${word.replaceAll(/[\\%]/g, '_')}%`);
      const all = inPages(pageLength, (after = 0, limit) =>
        allAfter(after, limit)
          .select((eb) =>
            eb
              .case()
              .when(eb.or(patterns.map((pattern) => eb('value', 'like', pattern))))
              .then(eb.ref('value'))
              .end()
              .as('value'),
          )
          .execute(),
      );
      const rows: InboxRow[] = [];
      for await (const { value } of all) {
        const row = value === null ? undefined : parse({ value });
        if (row) rows.push(row);
      }
      return rows;
    },
    async empty(id) {
      const nothing = { state: 'empty', thread: null, lane: null, dueAt: null, value: '' };
      await db
        .updateTable('inbox')
        .set((eb) => ({
          ...nothing,
          revision: eb('revision', '+', 1),
          expires: eb.fn.coalesce('expires', eb.val(now() + usualMs)),
        }))
        .where('id', '=', id)
        .execute();
    },
    async openIn(workspace) {
      const open = await db
        .selectFrom('inbox')
        .select('value')
        .where('dueAt', 'is not', null)
        .execute();
      const rows = open.flatMap((found) => parse(found) ?? []);
      return workspace ? rows.filter(isIn(workspace)) : rows;
    },
    async deleteIn(workspace) {
      const all = inPages(pageLength, (after = 0, limit) =>
        allAfter(after, limit).select('value').execute(),
      );
      for await (const { id, value } of all) {
        const row = parse({ value });
        if (!row || !isIn(workspace)(row)) continue;
        await db.deleteFrom('inbox').where('arrival', '=', id).execute();
      }
    },
    async hasTurnIn(thread) {
      const found = await db
        .selectFrom('inbox')
        .select('id')
        .where('thread', '=', addressKey(thread))
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },
    async claimDue(time) {
      const rows: InboxRow[] = [];
      const unreadable: string[] = [];
      const due = await db
        .selectFrom('inbox')
        .select(['id', 'value'])
        .where('dueAt', '<=', time)
        // Without the sum, SQLite reads the whole table in its order.
        .orderBy(sql`arrival + 0`)
        .execute();
      for (const found of due) {
        const row = parse(found);
        if (row) rows.push(row);
        else unreadable.push(found.id);
      }
      // Where nothing can be written, a later call does it.
      if (unreadable.length > 0) await setAside(unreadable).catch(() => {});
      return { rows, unreadable };
    },
    async receivedIn(lane, time) {
      const received = await db
        .selectFrom('inbox')
        .select('value')
        .where('lane', '=', lane)
        // What was due when it was stored is, also where the clock of that process is ahead.
        .where((eb) => eb.or([eb('dueAt', '<=', time), eb('dueAt', '<=', eb.ref('createdAt'))]))
        .orderBy('arrival')
        .execute();
      return received.flatMap((found) => parse(found) ?? []);
    },
    backlog: () =>
      db
        .selectFrom('inbox')
        .select((eb) => [
          'state',
          eb.fn.countAll<number>().as('open'),
          eb.fn.min<number>('createdAt').as('oldest'),
        ])
        .where('dueAt', 'is not', null)
        .groupBy('state')
        .orderBy('state')
        .$narrowType<Pick<Backlog, 'state'>>()
        .execute(),
    async sweep(signal) {
      while (!signal.aborted && (await sweepSome()));
    },
  };
}

/**
 * Columns of a row without those with an index that have their value already: SQLite writes the index of
 * each one that is set.
 */
function withoutKept<Columns extends Indexed>(columns: Columns, stored: Indexed): Partial<Columns> {
  const kept = new Set<string>(indexed.filter((name) => columns[name] === stored[name]));
  const entries = Object.entries(columns).filter(([name]) => !kept.has(name));
  return Object.fromEntries(entries) as Partial<Columns>;
}

function isIn({ platform, workspace }: Workspace): (row: InboxRow) => boolean {
  return (row) => row.platform === platform && row.workspace === workspace;
}

/** A row of the table; undefined if there is none or its value can't be read. */
function parse(found: { value: string } | undefined): InboxRow | undefined {
  if (!found) return undefined;
  try {
    return InboxRow.parse(JSON.parse(found.value));
  } catch {
    return undefined;
  }
}

/** What is left of a row that has expired: its message was handled. */
function toEmptyRow(id: string): InboxRow {
  const message = { platform: '', workspace: '', channel: '', id: '' };
  const row = toRow({ kind: 'message', id, message });
  return { ...row, state: 'handled', createdAt: 0, dueAt: 0 };
}
