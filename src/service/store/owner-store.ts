import type { DatabaseSync } from 'node:sqlite';
import { readRows } from './database.ts';

/** Whom data belongs to. */
export interface OwnerRecord {
  /** What the data's rows name. Where a key was its own owner, the key's SHA-256 in hex. */
  id: string;
  /** Unique. Null until the first start with owners that have names. */
  name: string | null;
  createdMs: number;
}

export interface OwnerStore {
  insert(owner: OwnerRecord): void;
  rename(id: string, name: string): void;
  /** All of them, the oldest first. */
  list(): OwnerRecord[];
  /** Whether chatbots or documents belong to it. */
  hasData(id: string): boolean;
}

/** Owners in the database. They are as few as the keys. */
export function createOwnerStore(database: DatabaseSync): OwnerStore {
  const insert = database.prepare('INSERT INTO owners (id, name, created_ms) VALUES (?, ?, ?)');
  const rename = database.prepare('UPDATE owners SET name = ? WHERE id = ?');
  const list = database.prepare(
    'SELECT id, name, created_ms AS createdMs FROM owners ORDER BY created_ms, rowid',
  );
  const hasData = database.prepare(
    `SELECT EXISTS (SELECT 1 FROM chatbots WHERE owner = ?1)
         OR EXISTS (SELECT 1 FROM session_documents WHERE owner = ?1) AS has`,
  );
  return {
    insert: ({ id, name, createdMs }) => {
      insert.run(id, name, createdMs);
    },
    rename: (id, name) => {
      rename.run(name, id);
    },
    list: () => readRows<OwnerRecord>(list),
    hasData: (id) => hasData.get(id)?.['has'] === 1,
  };
}
