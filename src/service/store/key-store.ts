import type { DatabaseSync } from 'node:sqlite';
import { readRows } from './database.ts';

/** A stored key: its SHA-256, never the key itself. */
export interface KeyRecord {
  hash: Uint8Array;
  owner: string;
}

export interface KeyStore {
  insert(key: KeyRecord, createdMs: number): void;
  list(): KeyRecord[];
}

/** Keys in the database. Inserting a known one changes its owner. */
export function createKeyStore(database: DatabaseSync): KeyStore {
  const insert = database.prepare(
    `INSERT INTO keys (hash, owner, created_ms) VALUES (?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET owner = excluded.owner`,
  );
  const list = database.prepare('SELECT hash, owner FROM keys ORDER BY created_ms');
  return {
    insert: ({ hash, owner }, createdMs) => {
      insert.run(hash, owner, createdMs);
    },
    list: () => readRows<KeyRecord>(list),
  };
}
