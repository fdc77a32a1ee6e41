import type { DatabaseSync } from 'node:sqlite';
import { readRows } from './database.ts';

/** Whom data belongs to. */
export interface OwnerRecord {
  /** What the data's rows name. */
  id: string;
  /** Unique. */
  name: string;
  createdMs: number;
}

export interface OwnerStore {
  insert(owner: OwnerRecord): void;
  /** All of them, the oldest first. */
  list(): OwnerRecord[];
}

/** Owners in the database. They are as few as the keys. */
export function createOwnerStore(database: DatabaseSync): OwnerStore {
  const insert = database.prepare('INSERT INTO owners (id, name, created_ms) VALUES (?, ?, ?)');
  const list = database.prepare(
    'SELECT id, name, created_ms AS createdMs FROM owners ORDER BY created_ms, rowid',
  );
  return {
    insert: ({ id, name, createdMs }) => {
      insert.run(id, name, createdMs);
    },
    list: () => readRows<OwnerRecord>(list),
  };
}
