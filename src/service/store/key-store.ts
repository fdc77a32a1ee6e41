import type { Queries, Row } from './schema.ts';

export type OwnerRecord = Omit<Row<'owners'>, 'bytes'>;

export type OwnerStore = ReturnType<typeof createOwnerStore>;

/** Owners in the database. They are as few as the keys. */
export function createOwnerStore(db: Queries) {
  return {
    /** Does nothing if there is one of that name. */
    async insert(owner: OwnerRecord) {
      await db
        .insertInto('owners')
        .values(owner)
        .onConflict((oc) => oc.column('name').doNothing())
        .execute();
    },
    /** All of them, the oldest first. */
    list: () =>
      db
        .selectFrom('owners')
        .select(['id', 'name', 'createdMs'])
        .orderBy('createdMs')
        .orderBy('name')
        .execute(),
  };
}

export type KeyRecord = Row<'keys'>;

export type KeyStore = ReturnType<typeof createKeyStore>;

/** Keys in the database. */
export function createKeyStore(db: Queries) {
  return {
    async insert(key: KeyRecord) {
      await db.insertInto('keys').values(key).execute();
    },
    /** All of them, the oldest first, revoked ones included. */
    list: () => db.selectFrom('keys').selectAll().orderBy('createdMs').execute(),
    /** Those that are accepted. */
    listValid: () =>
      db.selectFrom('keys').select(['hash', 'owner']).where('revokedMs', 'is', null).execute(),
    /** Does nothing if another process has stored a later time. */
    async setLastUsed(hash: Uint8Array, lastUsedMs: number) {
      await db
        .updateTable('keys')
        .set({ lastUsedMs })
        .where('hash', '=', hash)
        .where((eb) => eb.or([eb('lastUsedMs', 'is', null), eb('lastUsedMs', '<', lastUsedMs)]))
        .execute();
    },
    /** Does nothing to a key that was revoked before. */
    async revoke(hash: Uint8Array, revokedMs: number) {
      await db
        .updateTable('keys')
        .set({ revokedMs })
        .where('hash', '=', hash)
        .where('revokedMs', 'is', null)
        .execute();
    },
  };
}
