import type { DatabaseSync } from 'node:sqlite';
import { createContents, type Contents } from './contents.ts';

/** Documents by kind and id, with an optional parent to list by, in insertion order. */
export interface Records {
  /** Writes a document; an existing one is replaced and keeps its place in the order. */
  put(kind: string, id: string, document: object, parent?: string): void;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows its kind
  get<T>(kind: string, id: string): T | undefined;
  /** Every document of a kind, or of one parent, oldest first. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
  list<T>(kind: string, parent?: string): T[];
  /** The documents of one parent, newest first. Each is read when it is asked for. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
  newest<T>(kind: string, parent: string, range?: Omit<Range, 'after'>): Iterable<T>;
  /** The documents of one parent, oldest first. Each is read when it is asked for. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
  oldest<T>(kind: string, parent: string, range?: Omit<Range, 'before'>): Iterable<T>;
  delete(kind: string, id: string): void;
  count(kind: string, parent?: string): number;
  /**
   * Deletes the oldest documents of a kind (of one parent) until `keep` are left; returns their
   * ids.
   */
  trim(kind: string, keep: number, parent?: string): string[];
  /** The bytes of files, which are too large for documents. */
  readonly contents: Contents;
}

/** Some of a parent's documents. Their ids must sort, by length and then as text, as they were put. */
interface Range {
  /** An id, stored or not: only what is older. */
  before?: string;
  /** An id, stored or not: only what is newer. */
  after?: string;
  /** Only documents with this `thread_ts`. */
  thread?: string;
}

/**
 * Stores records in two tables of `database`, which the caller closes. The time of a put, a delete
 * or a trim doesn't grow with the number of documents.
 */
export function createRecords(database: DatabaseSync): Records {
  const put = database.prepare(`
    INSERT INTO records (kind, id, parent, document) VALUES (?, ?, ?, ?)
    ON CONFLICT (kind, id) DO UPDATE SET parent = excluded.parent, document = excluded.document
  `);
  const get = database.prepare('SELECT document FROM records WHERE kind = ? AND id = ?');
  const parentOf = database.prepare('SELECT parent FROM records WHERE kind = ? AND id = ?');
  const remove = database.prepare('DELETE FROM records WHERE kind = ? AND id = ? RETURNING parent');
  const ofKind = prepareLists(database, 'kind = :kind');
  const ofParent = prepareLists(database, 'kind = :kind AND parent = :parent');
  /** The statements for a kind or, with a parent, for its documents; and which ones those are. */
  const lists = (kind: string, parent?: string) =>
    parent === undefined
      ? { ...ofKind, given: { kind } as Record<string, string> }
      : { ...ofParent, given: { kind, parent } };
  const totals = createTotals((kind, parent) => {
    const { count, given } = lists(kind, parent);
    return Number(count.get(given)?.['total'] ?? 0);
  });

  return {
    put(kind, id, document, parent = '') {
      const before = parentOf.get(kind, id)?.['parent'];
      put.run(kind, id, parent, JSON.stringify(document));
      if (before === parent) return;
      if (before !== undefined) totals.add(kind, String(before), -1);
      totals.add(kind, parent, 1);
    },
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the interface has it
    get<T>(kind: string, id: string) {
      const row = get.get(kind, id);
      return row && (JSON.parse(String(row['document'])) as T);
    },
    list<T>(kind: string, parent?: string) {
      const { list, given } = lists(kind, parent);
      return list.all(given).map((row) => JSON.parse(String(row['document'])) as T);
    },
    newest: (kind, parent, range) => walk(database, { kind, parent }, range, 'DESC'),
    oldest: (kind, parent, range) => walk(database, { kind, parent }, range, 'ASC'),
    delete(kind, id) {
      const parent = remove.get(kind, id)?.['parent'];
      if (parent !== undefined) totals.add(kind, String(parent), -1);
    },
    count: (kind, parent) => totals.get(kind, parent),
    trim(kind, keep, parent) {
      const surplus = totals.get(kind, parent) - keep;
      if (surplus <= 0) return [];
      const { trim, given } = lists(kind, parent);
      const rows = trim.all({ ...given, surplus });
      for (const row of rows) totals.add(kind, String(row['parent']), -1);
      return rows.map((row) => String(row['id']));
    },
    contents: createContents(database),
  };
}

/** A part of the records of its own, by name. Files are shared with the others. */
export function scopeRecords(records: Records, scope: string): Records {
  const own = (kind: string) => `${kind}@${scope}`;
  return {
    put: (kind, id, document, parent) => records.put(own(kind), id, document, parent),
    get: (kind, id) => records.get(own(kind), id),
    list: (kind, parent) => records.list(own(kind), parent),
    newest: (kind, parent, range) => records.newest(own(kind), parent, range),
    oldest: (kind, parent, range) => records.oldest(own(kind), parent, range),
    delete: (kind, id) => records.delete(own(kind), id),
    count: (kind, parent) => records.count(own(kind), parent),
    trim: (kind, keep, parent) => records.trim(own(kind), keep, parent),
    contents: records.contents,
  };
}

/** One statement per condition: with an optional parent, SQLite could not use an index. */
function prepareLists(database: DatabaseSync, condition: string) {
  const records = `FROM records WHERE ${condition}`;
  return {
    list: database.prepare(`SELECT document ${records} ORDER BY position`),
    count: database.prepare(`SELECT count(*) AS total ${records}`),
    trim: database.prepare(`
      DELETE FROM records WHERE position IN (
        SELECT position ${records} ORDER BY position LIMIT :surplus
      ) RETURNING id, parent
    `),
  };
}

function* walk<T>(
  database: DatabaseSync,
  of: { kind: string; parent: string },
  range: Range = {},
  order: 'ASC' | 'DESC',
): Generator<T> {
  const given = Object.entries(range).filter(([, value]) => value !== undefined);
  const conditions = given.map(([name]) => conditionsByRange[name as keyof Range]);
  const where = ['kind = :kind', 'parent = :parent', ...conditions].join(' AND ');
  // A statement of its own: others may walk at the same time.
  const statement = database.prepare(
    `SELECT document FROM records WHERE ${where} ORDER BY position ${order}`,
  );
  for (const row of statement.iterate({ ...of, ...Object.fromEntries(given) })) {
    yield JSON.parse(String(row['document'])) as T;
  }
}

const conditionsByRange: Record<keyof Range, string> = {
  before: '(length(id), id) < (length(:before), :before)',
  after: '(length(id), id) > (length(:after), :after)',
  thread: "document ->> '$.thread_ts' = :thread",
};

/** Remembers how many documents each kind and parent has: SQLite would count them one by one. */
function createTotals(count: (kind: string, parent?: string) => number) {
  const known = new Map<string, number>();
  const keyOf = (kind: string, parent?: string) => JSON.stringify([kind, parent]);
  /** Totals of 0 are not kept: there may be many. */
  function set(key: string, total: number): number {
    if (total > 0) known.set(key, total);
    else known.delete(key);
    return total;
  }
  function change(key: string, by: number): void {
    const total = known.get(key);
    if (total !== undefined) set(key, total + by);
  }
  return {
    get(kind: string, parent?: string): number {
      const key = keyOf(kind, parent);
      return known.get(key) ?? set(key, count(kind, parent));
    },
    add(kind: string, parent: string, by: number): void {
      change(keyOf(kind), by);
      change(keyOf(kind, parent), by);
    },
  };
}
