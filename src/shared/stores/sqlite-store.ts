import type { EventEmitter } from 'node:events';
import type { DatabaseSync } from 'node:sqlite';
import { keyvStorageCapability, type KeyvStorageAdapter, type KeyvStorageEntry } from 'keyv';
import { createWrite, retryBusy, type Sweeping, toSqlText } from './sqlite-database.ts';

export const keyvTable = `
  CREATE TABLE keyv (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    expires INTEGER,
    PRIMARY KEY (namespace, key)
  ) STRICT;
  CREATE INDEX keyv_expires ON keyv (expires) WHERE expires IS NOT NULL;
`;

const liveCondition = '(expires IS NULL OR expires > ?)';

/** Expired rows removed per row written: more than one, so that they don't pile up. */
const sweepLimit = 10;

/** Max rows the iterator holds in memory. */
const pageLength = 100;

/** Keyv's storage adapter without its events, which are optional and unused here. */
export type KeyvAdapter = Omit<KeyvStorageAdapter, keyof EventEmitter>;

/** A storage adapter that can also change a value in one transaction. */
export interface UpdatingAdapter extends KeyvAdapter {
  /**
   * Stores what `change` makes of a live value: undefined deletes it, the same text leaves the row as
   * it is. `change` may run several times; only its last run counts.
   */
  update(
    key: string,
    change: (value: string | undefined) => string | undefined,
    expires?: number,
  ): Promise<void>;
}

/**
 * A Keyv 6 storage adapter on `keyvTable` of a database, which any number of adapters and processes
 * can share (https://keyv.org/docs/, "Storage Adapter Contract (v6)").
 *
 * Values are the strings that Keyv's serializer produces. `expires` is in milliseconds since the
 * epoch and compared with `Date.now()`, the clock Keyv computes it with. An expired row is never
 * returned and is removed by later writes. `setMany` and `deleteMany` are all or nothing. Writes take
 * effect in the order of their calls. A failed call rejects.
 *
 * Entries that expire do so after `retentionMs` at the latest.
 *
 * The database belongs to the caller: `disconnect` leaves it open. Once it is closed, every call
 * rejects.
 */
export function createSqliteStore(
  database: DatabaseSync,
  options: { namespace?: string; retentionMs?: number } = {},
): UpdatingAdapter & Sweeping {
  const select = database.prepare(
    `SELECT value FROM keyv WHERE namespace = ? AND key = ? AND ${liveCondition}`,
  );
  const exists = database.prepare(
    `SELECT 1 FROM keyv WHERE namespace = ? AND key = ? AND ${liveCondition}`,
  );
  const page = database.prepare(
    `SELECT key, value FROM keyv WHERE namespace = ? AND key > ? AND ${liveCondition}
     ORDER BY key LIMIT ${pageLength}`,
  );
  const upsert = database.prepare(
    `INSERT INTO keyv (namespace, key, value, expires) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value, expires = excluded.expires`,
  );
  const sweep = database.prepare(
    `DELETE FROM keyv WHERE rowid IN (SELECT rowid FROM keyv WHERE expires <= ? LIMIT ${sweepLimit})`,
  );
  const remove = database.prepare(
    `DELETE FROM keyv WHERE namespace = ? AND key = ? AND ${liveCondition}`,
  );
  const clearNamespace = database.prepare('DELETE FROM keyv WHERE namespace = ?');
  const clearAll = database.prepare('DELETE FROM keyv');

  const writeInOrder = createWrite(database);

  const namespace = () => toSqlText('namespace', store.namespace ?? '');

  function read(key: string): string | undefined {
    const row = select.get(namespace(), toSqlText('key', key), Date.now());
    return row && toSqlText('value', row.value);
  }

  function has(key: string): boolean {
    return exists.get(namespace(), toSqlText('key', key), Date.now()) !== undefined;
  }

  function write(key: string, value: unknown, expires: number | undefined): void {
    sweep.run(Date.now());
    const { retentionMs = Infinity } = options;
    const until = expires === undefined ? null : Math.min(expires, Date.now() + retentionMs);
    upsert.run(namespace(), toSqlText('key', key), toSqlText('value', value), until);
  }

  function update(
    key: string,
    change: (value: string | undefined) => string | undefined,
    expires: number | undefined,
  ): void {
    const before = read(key);
    const after = change(before);
    if (after === before) return;
    if (after === undefined) removeLive(key);
    else write(key, after, expires);
  }

  function removeLive(key: string): boolean {
    return remove.run(namespace(), toSqlText('key', key), Date.now()).changes > 0;
  }

  const store = {
    namespace: options.namespace,

    async get(key: string) {
      return retryBusy(() => read(key));
    },
    async getMany(keys: string[]) {
      return retryBusy(() => keys.map(read));
    },
    async has(key: string) {
      return retryBusy(() => has(key));
    },
    async hasMany(keys: string[]) {
      return retryBusy(() => keys.map(has));
    },
    async set(key: string, value: unknown, expires?: number) {
      await writeInOrder(() => write(key, value, expires));
      return true;
    },
    async update(
      key: string,
      change: (value: string | undefined) => string | undefined,
      expires?: number,
    ) {
      await writeInOrder(() => update(key, change, expires));
    },
    async setMany(entries: KeyvStorageEntry<unknown>[]) {
      return writeInOrder(() =>
        entries.map(({ key, value, expires }) => {
          write(key, value, expires);
          return true;
        }),
      );
    },
    async delete(key: string) {
      return writeInOrder(() => removeLive(key));
    },
    async deleteMany(keys: string[]) {
      return writeInOrder(() => keys.map(removeLive));
    },
    /** Clears the namespace; without one, the whole table, as Keyv specifies. */
    async clear() {
      await writeInOrder(() =>
        store.namespace ? clearNamespace.run(namespace()) : clearAll.run(),
      );
    },
    /**
     * Reads page by page: a cursor held open between pages would keep SQLite's WAL from shrinking.
     */
    async *iterator() {
      const scope = namespace();
      let last = '';
      for (;;) {
        const after = last;
        const rows = await retryBusy(() => page.all(scope, after, Date.now()));
        for (const row of rows) {
          last = toSqlText('key', row.key);
          yield [last, toSqlText('value', row.value)];
        }
        if (rows.length < pageLength) return;
      }
    },
    *sweep() {
      while (sweep.run(Date.now()).changes > 0) yield;
    },
    async disconnect() {},
  };
  return Object.assign(store, { capabilities: keyvStorageCapability(store) });
}
