import type { Queries } from './schema.ts';

/** An owner of data. */
export interface OwnerRecord {
  /** As in the rows of the data. */
  id: string;
  /** Unique. */
  name: string;
  createdMs: number;
}

export interface OwnerStore {
  /** Does nothing if there is one of that name. */
  insert(owner: OwnerRecord): Promise<void>;
  /** All of them, the oldest first. */
  list(): Promise<OwnerRecord[]>;
}

/** Owners in the database. They are as few as the keys. */
export function createOwnerStore(db: Queries): OwnerStore {
  return {
    async insert(owner) {
      await db
        .insertInto('owners')
        .values(owner)
        .onConflict((oc) => oc.column('name').doNothing())
        .execute();
    },
    list: () =>
      db
        .selectFrom('owners')
        .select(['id', 'name', 'createdMs'])
        .orderBy('createdMs')
        .orderBy('name')
        .execute(),
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
  insert(key: KeyRecord): Promise<void>;
  /** All of them, the oldest first, revoked ones included. */
  list(): Promise<KeyRecord[]>;
  /** Those that are accepted. */
  listValid(): Promise<Pick<KeyRecord, 'hash' | 'owner'>[]>;
  /** Does nothing if another process has stored a later time. */
  setLastUsed(hash: Uint8Array, ms: number): Promise<void>;
  /** Does nothing to a key that was revoked before. */
  revoke(hash: Uint8Array, ms: number): Promise<void>;
}

/** Keys in the database. */
export function createKeyStore(db: Queries): KeyStore {
  return {
    async insert(key) {
      await db.insertInto('keys').values(key).execute();
    },
    list: () => db.selectFrom('keys').selectAll().orderBy('createdMs').execute(),
    listValid: () =>
      db.selectFrom('keys').select(['hash', 'owner']).where('revokedMs', 'is', null).execute(),
    async setLastUsed(hash, lastUsedMs) {
      await db
        .updateTable('keys')
        .set({ lastUsedMs })
        .where('hash', '=', hash)
        .where((eb) => eb.or([eb('lastUsedMs', 'is', null), eb('lastUsedMs', '<', lastUsedMs)]))
        .execute();
    },
    async revoke(hash, revokedMs) {
      await db
        .updateTable('keys')
        .set({ revokedMs })
        .where('hash', '=', hash)
        .where('revokedMs', 'is', null)
        .execute();
    },
  };
}
