import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { jsonSerializer, Keyv, type KeyvValue } from 'keyv';
import type { KeyedStore, Update } from '../conversation/keyed-store.ts';
import type { Inbox } from '../conversation/inbox/inbox.ts';
import { openDatabase, openToRead } from '../../shared/stores/database.ts';
import {
  createKeyvStore,
  sweepKeyv,
  type UpdatingAdapter,
} from '../../shared/stores/keyv-store.ts';
import { openFile } from '../../shared/stores/open-error.ts';
import { createInboxStore } from './inbox-store.ts';
import { bridgeMigrations, type BridgeTables } from './schema.ts';

/** The persistent state. Disposing closes it; every later call rejects. */
export interface Store extends AsyncDisposable {
  /**
   * The values of one namespace. A failed call rejects; it never looks like a miss, even after
   * another `error` listener is added.
   */
  keyv<Value>(namespace: string): Keyv<Value> & KeyedStore<Value>;
  readonly inbox: Inbox;
  /** Deletes what has expired, and erases from the file what was deleted. */
  keepUp(signal: AbortSignal): Promise<void>;
}

const advice = 'Use sqlite:path/to/file.sqlite, or memory: for no persistence.';

/**
 * Opens the store that STORE_URL names.
 * @param storeUrl `sqlite:` and a file path, absolute or relative to the working directory, or
 *   `memory:`, which loses everything when disposed of
 * @param options.retentionMs what would expire later expires after this time
 * @throws {Error} naming STORE_URL, what is wrong with it and how to fix it
 * @throws {RefusedError} when another version of Causeway wrote the file
 */
export async function openStore(
  storeUrl: string,
  { retentionMs }: { retentionMs?: number } = {},
): Promise<Store> {
  const path = parsePath(storeUrl);
  const database = await openFile(
    `STORE_URL names ${path}, which`,
    () => openDatabase<BridgeTables>(path, bridgeMigrations),
    'Use an existing or new SQLite file in a folder that this user can write to.',
  );
  const { queries } = database;
  const inbox = createInboxStore(queries, { retentionMs });
  return {
    keyv<Value>(namespace: string) {
      if (!namespace) throw new TypeError('A namespace of the store needs a name.');
      return createKeyv<Value>(createKeyvStore(database, { retentionMs }), namespace);
    },
    inbox,
    async keepUp(signal) {
      await inbox.sweep(signal);
      await sweepKeyv(queries, signal);
      if (!signal.aborted) await database.reclaimSpace();
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** The persistent state, read while another process may be writing it. */
export interface StoreReader extends AsyncDisposable {
  get<Value>(namespace: string, key: string): Promise<Value | undefined>;
  /** All keys of a namespace with their values. */
  entries<Value>(namespace: string): AsyncIterable<[string, Value]>;
}

/**
 * Opens the store that STORE_URL names to read it, beside a process that uses it or without one.
 * @returns undefined if there is no store yet
 * @throws {OpenError} when the file can't be read
 * @throws {RefusedError} when another version of Causeway wrote it
 */
export async function readStore(storeUrl: string): Promise<StoreReader | undefined> {
  const path = databasePath(storeUrl);
  if (!path || !existsSync(path)) return undefined;
  const database = await openFile(`STORE_URL names ${path}, which`, () =>
    openToRead<BridgeTables>(path, bridgeMigrations),
  );
  if (!database) return undefined;
  const keyv = <Value>(namespace: string) =>
    createKeyv<Value>(createKeyvStore(database), namespace);
  return {
    get: (namespace, key) => keyv<never>(namespace).get(key),
    entries: <Value>(namespace: string) => keyv<Value>(namespace).entries(),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** The file that STORE_URL names; undefined for a store in memory. */
export function databasePath(storeUrl: string): string | undefined {
  const path = parsePath(storeUrl);
  return path === ':memory:' ? undefined : path;
}

function parsePath(storeUrl: string): string {
  // The rest of an unknown scheme's URL may contain a password, so errors do not repeat it.
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(storeUrl) ?? [];
  if (scheme === undefined) throw new Error(`STORE_URL does not start with a scheme. ${advice}`);
  if (scheme === 'memory' && rest === '') return ':memory:';
  if (scheme === 'memory')
    throw new Error(`STORE_URL must not have anything after memory:. ${advice}`);
  if (scheme !== 'sqlite')
    throw new Error(`STORE_URL has an unknown scheme, ${scheme}:. ${advice}`);
  if (rest === '' || rest.endsWith('/')) throw new Error(`STORE_URL names no file. ${advice}`);
  if (rest.startsWith('//') || rest.startsWith(':')) {
    throw new Error(`STORE_URL has ${rest.slice(0, 2)} at the start of its file path. ${advice}`);
  }
  return resolve(rest);
}

function createKeyv<Value>(
  store: UpdatingAdapter,
  namespace: string,
): Keyv<Value> & KeyedStore<Value> {
  const keyv = new Keyv<Value>({
    store,
    namespace,
    serialization: jsonSerializer,
    // The adapter checks expiry to the millisecond. Keyv's own check deletes on read, which could
    // remove a value that another process has just written.
    checkExpired: false,
  });
  // If the listener returns, Keyv reports a failed read as a miss. This one throws, so the call
  // rejects. It is the first listener, so this holds whatever listeners are added later.
  keyv.on('error', (error: unknown) => {
    throw error instanceof Error ? error : new Error(String(error));
  });
  return Object.assign(keyv, {
    entries: () => keyv.iterator(),
    update: createUpdate<Value>(store),
  });
}

/** Keyv has nothing like it, so this reads and writes values as Keyv does. */
function createUpdate<Value>(store: UpdatingAdapter): KeyedStore<Value>['update'] {
  return async (key, change, ttl) => {
    const expires = ttl === undefined ? undefined : Date.now() + ttl;
    let values: Update<Value> = { before: undefined, after: undefined };
    const toStored = (stored: string | undefined) => {
      const known =
        stored === undefined ? undefined : jsonSerializer.parse<KeyvValue<Value>>(stored);
      const before = known?.value;
      const after = change(before);
      values = { before, after };
      if (after === before) return stored;
      return after === undefined ? undefined : jsonSerializer.stringify({ value: after, expires });
    };
    await store.update(key, toStored, expires);
    return values;
  };
}
