import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { addressKey } from '../conversation/address.ts';
import { type TurnStore, TurnRow, type TurnState } from '../conversation/turns/turn-record.ts';
import { createWrite, retryBusy, type Sweeping } from '../../shared/stores/sqlite-database.ts';

export const turnsTable = `
  CREATE TABLE turns (
    arrival INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    thread TEXT,
    value TEXT NOT NULL,
    expires INTEGER
  ) STRICT;
  CREATE INDEX turns_unfinished ON turns (arrival) WHERE expires IS NULL;
  CREATE INDEX turns_thread ON turns (thread) WHERE thread IS NOT NULL;
  CREATE INDEX turns_expires ON turns (expires) WHERE expires IS NOT NULL;
`;

/**
 * Rows that are done are kept this long: for their buttons, and to recognize redeliveries and edits.
 * With a shorter retention, only the id is left of an expired row until then.
 */
const usualMs = 30 * 24 * 60 * 60 * 1000;
const done = new Set<TurnState>(['ended', 'handled']);

/** Expired rows emptied or removed per row inserted: more than one, so that they don't pile up. */
const sweepLimit = 10;

/** The turns in `turnsTable` of a database. */
export function createSqliteTurns(
  database: DatabaseSync,
  {
    now = () => Date.now(),
    retentionMs = usualMs,
  }: { now?: () => number; retentionMs?: number } = {},
): TurnStore & Sweeping {
  const keptMs = Math.min(usualMs, retentionMs);
  const write = createWrite(database);
  const add = database.prepare(
    `INSERT INTO turns (id, state, thread, value, expires)
     VALUES (:id, :state, :thread, :value, :expires) ON CONFLICT DO NOTHING`,
  );
  const replace = database.prepare(
    'UPDATE turns SET state = :state, thread = :thread, value = :value, expires = :expires WHERE id = :id',
  );
  const select = database.prepare('SELECT id, value FROM turns WHERE id = ?');
  const remove = database.prepare('DELETE FROM turns WHERE id = ?');
  const inThread = database.prepare('SELECT 1 FROM turns WHERE thread = ? LIMIT 1');
  const open = database.prepare(
    'SELECT id, value FROM turns WHERE expires IS NULL ORDER BY arrival',
  );
  // They are kept for a while, for whoever looks for the reason.
  const setAside = database.prepare(
    "UPDATE turns SET state = 'unreadable', expires = ? WHERE id = ?",
  );
  const empty = database.prepare(
    `UPDATE turns SET state = 'empty', thread = NULL, value = '', expires = expires + :rest
     WHERE arrival IN (SELECT arrival FROM turns
       WHERE expires <= :now AND state <> 'empty' LIMIT ${sweepLimit})`,
  );
  const removeEmpty = database.prepare(
    `DELETE FROM turns WHERE arrival IN (SELECT arrival FROM turns
       WHERE expires <= :now AND state = 'empty' LIMIT ${sweepLimit})`,
  );

  function sweep(): boolean {
    const emptied = empty.run({ now: now(), rest: usualMs - keptMs }).changes;
    const removed = removeEmpty.run({ now: now() }).changes;
    return Number(emptied) + Number(removed) > 0;
  }

  function toColumns(row: TurnRow) {
    const { id, state, address, query } = row;
    return {
      id,
      state,
      // Only questions make a thread ours.
      thread: address && query && state !== 'handled' ? addressKey(address) : null,
      value: JSON.stringify(row),
      expires: done.has(state) && !row.unsettled ? now() + keptMs : null,
    };
  }

  function insert(row: TurnRow): boolean {
    sweep();
    return add.run(toColumns(row)).changes > 0;
  }

  function update(
    id: string,
    change: Partial<TurnRow>,
    from: readonly TurnState[] | undefined,
  ): TurnRow | undefined {
    const known = parse(select.get(id));
    if (!known || (from && !from.includes(known.state))) return undefined;
    const changed = { ...known, ...change };
    replace.run(toColumns(changed));
    return changed;
  }

  function readUnfinished() {
    const rows: TurnRow[] = [];
    const unreadable: string[] = [];
    for (const found of open.all()) {
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
    *sweep() {
      while (sweep()) yield;
    },
    async unfinished() {
      const found = await retryBusy(readUnfinished);
      // Where nothing can be written, the next start does it.
      await write(() => {
        for (const id of found.unreadable) setAside.run(now() + keptMs, id);
      }).catch(() => {});
      return found;
    },
  };
}

/** A row of the table, also one of which only the id is left. */
function read(found: Record<string, SQLOutputValue> | undefined): TurnRow | undefined {
  return found?.['value'] === '' ? toEmptyRow(String(found['id'])) : parse(found);
}

/** A row of the table; undefined if there is none or its value can't be read. */
function parse(found: Record<string, SQLOutputValue> | undefined): TurnRow | undefined {
  if (!found) return undefined;
  try {
    return TurnRow.parse(JSON.parse(String(found['value'])));
  } catch {
    return undefined;
  }
}

/** What is left of a row that has expired: its message was handled. */
function toEmptyRow(id: string): TurnRow {
  const place = { platform: '', workspace: '', channel: '', messageId: '' };
  return { id, state: 'handled', ...place, attempt: 0, posted: [] };
}
