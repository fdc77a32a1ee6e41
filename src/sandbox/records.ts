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

interface Row {
  document: string;
}

/** Stores records in two tables of `database`, which the caller closes. */
export function createRecords(database: DatabaseSync): Records {
  database.exec(`
    CREATE TABLE IF NOT EXISTS records (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL, id TEXT NOT NULL, parent TEXT NOT NULL, document TEXT NOT NULL,
      UNIQUE (kind, id)
    );
    CREATE INDEX IF NOT EXISTS records_by_parent ON records (kind, parent, position);
  `);
  const put = database.prepare(`
    INSERT INTO records (kind, id, parent, document) VALUES (?, ?, ?, ?)
    ON CONFLICT (kind, id) DO UPDATE SET parent = excluded.parent, document = excluded.document
  `);
  const get = database.prepare('SELECT document FROM records WHERE kind = ? AND id = ?');
  const remove = database.prepare('DELETE FROM records WHERE kind = ? AND id = ?');
  const ofKind = prepareLists(database, 'kind = :kind');
  const ofParent = prepareLists(database, 'kind = :kind AND parent = :parent');

  return {
    put(kind, id, document, parent = '') {
      put.run(kind, id, parent, JSON.stringify(document));
    },
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the interface has it
    get<T>(kind: string, id: string) {
      const row = get.get(kind, id) as Row | undefined;
      return row && (JSON.parse(row.document) as T);
    },
    list<T>(kind: string, parent?: string) {
      const rows = (parent === undefined
        ? ofKind.list.all({ kind })
        : ofParent.list.all({ kind, parent })) as unknown as Row[];
      return rows.map((row) => JSON.parse(row.document) as T);
    },
    delete(kind, id) {
      remove.run(kind, id);
    },
    count(kind, parent) {
      const row =
        parent === undefined ? ofKind.count.get({ kind }) : ofParent.count.get({ kind, parent });
      return Number(row?.['total'] ?? 0);
    },
    trim(kind, keep, parent) {
      const rows =
        parent === undefined
          ? ofKind.trim.all({ kind, keep })
          : ofParent.trim.all({ kind, parent, keep });
      return rows.map((row) => String(row['id']));
    },
    contents: createContents(database),
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
        SELECT position ${records} ORDER BY position DESC LIMIT -1 OFFSET :keep
      ) RETURNING id
    `),
  };
}
