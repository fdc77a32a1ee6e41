import type { EventEmitter } from 'node:events';
import { keyvStorageCapability, type KeyvStorageAdapter, type KeyvStorageEntry } from 'keyv';
import { type Kysely, sql } from 'kysely';
import { createQueue } from '../primitives/queue.ts';
import type { Database } from './database.ts';
import type { SqlDialect } from './dialect.ts';

/** The table of all values. */
export interface KeyvTables {
  keyv: {
    namespace: string;
    key: string;
    value: string;
    /** Milliseconds since the epoch. */
    expires: number | null;
  };
}

/** The statements that create it. */
export const createKeyv = ({ integer, text }: SqlDialect) => [
  `CREATE TABLE keyv (
    namespace ${text} NOT NULL,
    key ${text} NOT NULL,
    value ${text} NOT NULL,
    expires ${integer},
    PRIMARY KEY (namespace, key)
  )`,
  'CREATE INDEX keyv_expires ON keyv (expires) WHERE expires IS NOT NULL',
];

/** Expired rows removed at a time. */
const sweepLimit = 50;
/** Max rows the iterator holds in memory. */
const pageLength = 100;
/** Stands after all others in the order of keys. */
const lastCharacter = '\u{10FFFF}';

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
  /** The live keys that go on after a prefix, with their values as text. */
  entries(prefix: string): AsyncGenerator<[key: string, value: string], void>;
}

type Queries = Kysely<KeyvTables>;

export interface KeyvOptions<Tables> {
  namespace?: string;
  retentionMs?: number;
  /**
   * What each write checks in its transaction, and throws for if it may not be; undefined where there
   * is nothing to check.
   */
  check?: () => ((tx: Kysely<Tables>) => Promise<void>) | undefined;
  /** Told after the commit which key was written; undefined if several were. */
  onWritten?(key: string | undefined): void;
}

/**
 * A Keyv 6 storage adapter on the table of a database, which any number of adapters and processes
 * can share (https://keyv.org/docs/, "Storage Adapter Contract (v6)").
 *
 * Values are the strings that Keyv's serializer produces. `expires` is in milliseconds since the
 * epoch and compared with `Date.now()`, the clock Keyv computes it with. An expired row is never
 * returned; `sweepKeyv` removes it. `setMany` and `deleteMany` are all or nothing. Writes take
 * effect in the order of their calls. A failed call rejects.
 *
 * Entries that expire do so after `retentionMs` at the latest.
 *
 * The database belongs to the caller: `disconnect` leaves it open. Once it is closed, every call
 * rejects.
 */
export function createKeyvStore<Tables extends KeyvTables>(
  database: Database<Tables>,
  options: KeyvOptions<Tables> = {},
): UpdatingAdapter {
  const { queries, transaction } = database as unknown as Database<KeyvTables>;
  const { onWritten = () => {} } = options;
  const writes = createQueue();
  const inOrder = <Result>(write: () => Promise<Result>) => writes.run('', write);

  /** Writes that are one, after what is to be checked. */
  function changeAll<Result>(
    work: (tx: Queries) => Promise<Result>,
    scope?: string,
  ): Promise<Result> {
    const check = options.check?.();
    return inOrder(() =>
      transaction(async (tx) => {
        await check?.(tx as unknown as Kysely<Tables>);
        return work(tx);
      }, scope),
    );
  }

  /** Writes of the same key wait for each other: what one has read, another may not change meanwhile. */
  function change<Result>(key: string, write: (tx: Queries) => Promise<Result>): Promise<Result> {
    return changeAll(write, `keyv ${namespace()} ${key}`);
  }

  const namespace = () => toSqlText('namespace', store.namespace ?? '');

  const live = (db: Queries) =>
    db
      .selectFrom('keyv')
      .where('namespace', '=', namespace())
      .where((eb) => eb.or([eb('expires', 'is', null), eb('expires', '>', Date.now())]));

  async function read(db: Queries, key: string): Promise<string | undefined> {
    const row = await live(db)
      .select('value')
      .where('key', '=', toSqlText('key', key))
      .executeTakeFirst();
    return row?.value;
  }

  async function readMany(keys: string[]): Promise<(string | undefined)[]> {
    if (keys.length === 0) return [];
    const rows = await live(queries)
      .select(['key', 'value'])
      .where(
        'key',
        'in',
        keys.map((key) => toSqlText('key', key)),
      )
      .execute();
    const found = new Map(rows.map(({ key, value }) => [key, value]));
    return keys.map((key) => found.get(key));
  }

  async function write(
    db: Queries,
    key: string,
    value: unknown,
    expires: number | undefined,
  ): Promise<void> {
    const { retentionMs = Infinity } = options;
    const until = expires === undefined ? null : Math.min(expires, Date.now() + retentionMs);
    const row = { value: toSqlText('value', value), expires: until };
    await db
      .insertInto('keyv')
      .values({ namespace: namespace(), key: toSqlText('key', key), ...row })
      .onConflict((oc) => oc.columns(['namespace', 'key']).doUpdateSet(row))
      .execute();
  }

  /** @returns whether it was live */
  async function remove(db: Queries, key: string): Promise<boolean> {
    const row = await db
      .deleteFrom('keyv')
      .where('namespace', '=', namespace())
      .where('key', '=', toSqlText('key', key))
      .where((eb) => eb.or([eb('expires', 'is', null), eb('expires', '>', Date.now())]))
      .executeTakeFirst();
    return row.numDeletedRows > 0n;
  }

  const store = {
    namespace: options.namespace,

    get: (key: string) => read(queries, key),
    getMany: readMany,
    has: async (key: string) => (await read(queries, key)) !== undefined,
    async hasMany(keys: string[]) {
      return (await readMany(keys)).map((value) => value !== undefined);
    },
    async set(key: string, value: unknown, expires?: number) {
      await change(key, (db) => write(db, key, value, expires));
      onWritten(key);
      return true;
    },
    async update(
      key: string,
      toNext: (value: string | undefined) => string | undefined,
      expires?: number,
    ) {
      const isChanged = await change(key, async (tx) => {
        const before = await read(tx, key);
        const after = toNext(before);
        if (after === before) return false;
        if (after === undefined) await remove(tx, key);
        else await write(tx, key, after, expires);
        return true;
      });
      if (isChanged) onWritten(key);
    },
    async setMany(entries: KeyvStorageEntry<unknown>[]) {
      await changeAll(async (tx) => {
        for (const { key, value, expires } of entries) await write(tx, key, value, expires);
      });
      onWritten(undefined);
      return entries.map(() => true);
    },
    async delete(key: string) {
      const isRemoved = await change(key, (db) => remove(db, key));
      if (isRemoved) onWritten(key);
      return isRemoved;
    },
    async deleteMany(keys: string[]) {
      const removed = await changeAll(async (tx) => {
        const each: boolean[] = [];
        for (const key of keys) each.push(await remove(tx, key));
        return each;
      });
      onWritten(undefined);
      return removed;
    },
    /** Clears the namespace; without one, the whole table, as Keyv specifies. */
    async clear() {
      await changeAll(async (tx) => {
        const all = tx.deleteFrom('keyv');
        await (store.namespace ? all.where('namespace', '=', namespace()) : all).execute();
      });
      onWritten(undefined);
    },
    iterator: () => store.entries(''),
    /** Reads page by page: a cursor held open between pages would keep SQLite's log from shrinking. */
    async *entries(prefix: string): AsyncGenerator<[key: string, value: string], void> {
      let last = prefix;
      for (;;) {
        const rows = await live(queries)
          .select(['key', 'value'])
          .where('key', '>', last)
          .where('key', '<', `${prefix}${lastCharacter}`)
          .orderBy('key')
          .limit(pageLength)
          .execute();
        for (const { key, value } of rows) {
          last = key;
          yield [key, value];
        }
        if (rows.length < pageLength) return;
      }
    },
    async disconnect() {},
  };
  return Object.assign(store, { capabilities: keyvStorageCapability(store) });
}

/** Deletes expired values, some at a time. */
export async function sweepKeyv<Tables extends KeyvTables>(
  db: Kysely<Tables>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const now = Date.now();
    // One that was found may have been written again by now.
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM keyv WHERE expires <= ${now} AND (namespace, key) IN
        (SELECT namespace, key FROM keyv WHERE expires <= ${now} LIMIT ${sweepLimit})
    `.execute(db);
    if (numAffectedRows === 0n) return;
  }
}

/**
 * Checks that the database returns a text unchanged.
 * @param name what the text is, for the error
 * @throws {TypeError} when it is not a string, or contains a lone surrogate: databases store UTF-8,
 * which can't represent one, so two such keys would become the same
 */
function toSqlText(name: string, text: unknown): string {
  if (typeof text !== 'string') {
    throw new TypeError(`The ${name} must be a string for the store, not of type ${typeof text}.`);
  }
  if (!text.isWellFormed()) {
    throw new TypeError(`The ${name} contains a lone surrogate, which the store cannot hold.`);
  }
  return text;
}
