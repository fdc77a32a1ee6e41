import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { addressKey } from '../conversation/address.ts';
import type { Inbox } from '../conversation/inbox/inbox.ts';
import { changeRow, InboxRow, toRow, type TurnState } from '../conversation/inbox/row.ts';
import { createWrite, retryBusy, type Sweeping } from '../../shared/stores/sqlite-database.ts';

export const inboxTable = `
  CREATE TABLE inbox (
    arrival INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    thread TEXT,
    created_at INTEGER NOT NULL,
    due_at INTEGER,
    attempts INTEGER NOT NULL,
    failing_since INTEGER,
    value TEXT NOT NULL,
    expires INTEGER
  ) STRICT;
  CREATE INDEX inbox_due ON inbox (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX inbox_thread ON inbox (thread) WHERE thread IS NOT NULL;
  CREATE INDEX inbox_expires ON inbox (expires) WHERE expires IS NOT NULL;
`;

/**
 * Messages that are done are kept this long: for their buttons, and to recognize redeliveries and
 * edits. With a shorter retention, only the id is left of an expired row until then.
 */
const usualMs = 30 * 24 * 60 * 60 * 1000;
/** What else is done is only kept to recognize redeliveries. */
const briefMs = 60 * 60 * 1000;
const done = new Set<TurnState>(['ended', 'handled']);

/** Expired rows emptied or removed per row inserted: more than one, so that they don't pile up. */
const sweepLimit = 10;

/** The rows in `inboxTable` of a database. */
export function createSqliteInbox(
  database: DatabaseSync,
  {
    now = () => Date.now(),
    retentionMs = usualMs,
  }: { now?: () => number; retentionMs?: number } = {},
): Inbox & Sweeping {
  const keptMs = Math.min(usualMs, retentionMs);
  const write = createWrite(database);
  const add = database.prepare(
    `INSERT INTO inbox (id, state, thread, created_at, due_at, attempts, failing_since, value, expires)
     VALUES (:id, :state, :thread, :createdAt, :dueAt, :attempts, :failingSince, :value, :expires)
     ON CONFLICT DO NOTHING`,
  );
  const replace = database.prepare(
    `UPDATE inbox SET state = :state, thread = :thread, created_at = :createdAt, due_at = :dueAt,
       attempts = :attempts, failing_since = :failingSince, value = :value, expires = :expires
     WHERE id = :id`,
  );
  const select = database.prepare('SELECT id, value FROM inbox WHERE id = ?');
  const remove = database.prepare('DELETE FROM inbox WHERE id = ?');
  const inThread = database.prepare('SELECT 1 FROM inbox WHERE thread = ? LIMIT 1');
  // Without the plus, SQLite reads the whole table in its order.
  const due = database.prepare('SELECT id, value FROM inbox WHERE due_at <= ? ORDER BY +arrival');
  const open = database.prepare(
    'SELECT count(*) AS open, min(created_at) AS oldest FROM inbox WHERE due_at IS NOT NULL',
  );
  // They are kept for a while, for whoever looks for the reason.
  const setAside = database.prepare(
    "UPDATE inbox SET state = 'unreadable', due_at = NULL, expires = ? WHERE id = ?",
  );
  const empty = database.prepare(
    `UPDATE inbox SET state = 'empty', thread = NULL, value = '', expires = expires + :rest
     WHERE arrival IN (SELECT arrival FROM inbox
       WHERE expires <= :now AND state NOT IN ('empty', 'brief') LIMIT ${sweepLimit})`,
  );
  const removeEmpty = database.prepare(
    `DELETE FROM inbox WHERE arrival IN (SELECT arrival FROM inbox
       WHERE expires <= :now AND state IN ('empty', 'brief') LIMIT ${sweepLimit})`,
  );

  function sweep(): boolean {
    const emptied = empty.run({ now: now(), rest: usualMs - keptMs }).changes;
    const removed = removeEmpty.run({ now: now() }).changes;
    return Number(emptied) + Number(removed) > 0;
  }

  function toColumns(row: InboxRow) {
    const { id, kind, state, address, query, createdAt, attempts, failingSince = null } = row;
    const isDone = done.has(state) && !row.unsettled;
    const isBrief = kind !== 'message' || (row.overheard === true && !address);
    return {
      id,
      state: isDone && isBrief ? 'brief' : state,
      // Only questions make a thread ours.
      thread: address && query && state !== 'handled' ? addressKey(address) : null,
      createdAt,
      dueAt: isDone ? null : row.dueAt,
      attempts,
      failingSince,
      value: JSON.stringify(row),
      expires: isDone ? now() + (isBrief ? briefMs : keptMs) : null,
    };
  }

  function insert(row: InboxRow): boolean {
    sweep();
    return add.run(toColumns(row)).changes > 0;
  }

  function update(
    id: string,
    change: Partial<InboxRow>,
    from: Parameters<Inbox['update']>[2] = () => true,
  ): InboxRow | undefined {
    const known = parse(select.get(id));
    const isFrom =
      typeof from === 'function' ? from : ({ state }: InboxRow) => from.includes(state);
    if (!known || !isFrom(known)) return undefined;
    const changed = changeRow(known, change);
    replace.run(toColumns(changed));
    return changed;
  }

  function readDue(time: number) {
    const rows: InboxRow[] = [];
    const unreadable: string[] = [];
    for (const found of due.all(time)) {
      const row = parse(found);
      if (row) rows.push(row);
      else unreadable.push(String(found['id']));
    }
    return { rows, unreadable };
  }

  return {
    insert: (row) => write(() => insert(row)),
    get: (id) => retryBusy(() => read(select.get(id))),
    update: (id, change, from) => write(() => update(id, change, from)),
    delete: (id) => write(() => void remove.run(id)),
    hasTurnIn: (thread) => retryBusy(() => inThread.get(addressKey(thread)) !== undefined),
    async claimDue(time) {
      const found = await retryBusy(() => readDue(time));
      if (found.unreadable.length === 0) return found;
      // Where nothing can be written, a later call does it.
      await write(() => {
        for (const id of found.unreadable) setAside.run(now() + keptMs, id);
      }).catch(() => {});
      return found;
    },
    backlog: () =>
      retryBusy(() => {
        const found = open.get();
        const oldest = found?.['oldest'];
        return {
          open: Number(found?.['open']),
          ...(oldest !== null && { oldest: Number(oldest) }),
        };
      }),
    *sweep() {
      while (sweep()) yield;
    },
  };
}

/** A row of the table, also one of which only the id is left. */
function read(found: Record<string, SQLOutputValue> | undefined): InboxRow | undefined {
  return found?.['value'] === '' ? toEmptyRow(String(found['id'])) : parse(found);
}

/** A row of the table; undefined if there is none or its value can't be read. */
function parse(found: Record<string, SQLOutputValue> | undefined): InboxRow | undefined {
  if (!found) return undefined;
  try {
    return InboxRow.parse(JSON.parse(String(found['value'])));
  } catch {
    return undefined;
  }
}

/** What is left of a row that has expired: its message was handled. */
function toEmptyRow(id: string): InboxRow {
  const message = { platform: '', workspace: '', channel: '', id: '' };
  return { ...toRow({ kind: 'message', id, message, event: undefined, now: 0 }), state: 'handled' };
}
