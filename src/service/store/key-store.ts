import type { DatabaseSync } from 'node:sqlite';
import { readRows } from './database.ts';

/** An owner of data. */
export interface OwnerRecord {
  /** As in the rows of the data. */
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

/** A stored key: its SHA-256, never the key itself. */
export interface KeyRecord {
  hash: Uint8Array;
  /** The id of its owner. */
  owner: string;
  /** What people call it; may be empty. */
  name: string;
  /** The start of the key, by which people recognize it; not secret. */
  prefix: string;
  createdMs: number;
  lastUsedMs: number | null;
  revokedMs: number | null;
}

export interface KeyStore {
  insert(key: KeyRecord): void;
  /** All of them, the oldest first, revoked ones included. */
  list(): KeyRecord[];
  setLastUsed(hash: Uint8Array, ms: number): void;
  revoke(hash: Uint8Array, ms: number): void;
  /** Changes when another connection has changed the database. */
  version(): number;
}

/** Keys in the database. */
export function createKeyStore(database: DatabaseSync): KeyStore {
  const insert = database.prepare(
    `INSERT INTO keys (hash, owner, name, prefix, created_ms, last_used_ms, revoked_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const list = database.prepare(
    `SELECT hash, owner, name, prefix, created_ms AS createdMs, last_used_ms AS lastUsedMs,
       revoked_ms AS revokedMs
     FROM keys ORDER BY created_ms`,
  );
  const setLastUsed = database.prepare('UPDATE keys SET last_used_ms = ? WHERE hash = ?');
  const revoke = database.prepare('UPDATE keys SET revoked_ms = ? WHERE hash = ?');
  // https://sqlite.org/pragma.html#pragma_data_version
  const version = database.prepare('PRAGMA data_version');
  return {
    insert: ({ hash, owner, name, prefix, createdMs, lastUsedMs, revokedMs }) => {
      insert.run(hash, owner, name, prefix, createdMs, lastUsedMs, revokedMs);
    },
    list: () => readRows<KeyRecord>(list),
    setLastUsed: (hash, ms) => {
      setLastUsed.run(ms, hash);
    },
    revoke: (hash, ms) => {
      revoke.run(ms, hash);
    },
    version: () => Number(version.get()?.['data_version']),
  };
}
