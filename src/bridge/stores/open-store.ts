import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { jsonSerializer, Keyv, type KeyvValue } from 'keyv';
import type { Pool } from '../../shared/stores/database.ts';
import {
  createKeyvStore,
  sweepKeyv,
  type UpdatingAdapter,
} from '../../shared/stores/keyv-store.ts';
import type { Notifications } from '../../shared/stores/notifications.ts';
import { openDatabase, openToRead } from '../../shared/stores/open-database.ts';
import { openFile } from '../../shared/stores/open-error.ts';
import {
  databasePath,
  parseStoreUrl,
  renderStoreUrl,
  toPlace,
} from '../../shared/stores/store-url.ts';
import type { Inbox } from '../conversation/inbox/inbox.ts';
import type { KeyedStore, Update } from '../conversation/keyed-store.ts';
import { currentFence } from '../conversation/leases.ts';
import { createInboxStore } from './inbox-store.ts';
import { checkFence } from './lease-store.ts';
import { createQuestionStore, type QuestionStore } from './question-store.ts';
import { bridgeMigrations, type BridgeTables, type Queries } from './schema.ts';

/** The persistent state. Disposing closes it; every later call rejects. */
export interface Store extends AsyncDisposable {
  /**
   * The values of one namespace. A failed call rejects; it never looks like a miss, even after
   * another `error` listener is added.
   */
  keyv<Value>(namespace: string): Keyv<Value> & KeyedStore<Value>;
  readonly inbox: Inbox;
  readonly questions: Omit<QuestionStore, 'sweep'>;
  /** From now on, tells other processes what changes here, and hears what they change. */
  share(notifications: Notifications): void;
  /** Whether other processes use it at the same time. */
  readonly isShared: boolean;
  /** How its connections to a server are used. */
  readonly pool?: Pool;
  /** Runs work while no other process runs any of the same name. */
  exclusively(name: string, work: () => Promise<void>): Promise<void>;
  /** Deletes all rows and values in one step, but those of some namespaces. No other process uses it. */
  clear(kept: readonly string[]): Promise<void>;
  /** Deletes what has expired, and erases from the file what was deleted. */
  keepUp(signal: AbortSignal): Promise<void>;
}

/** The bridge's schema in a database of Postgres. */
export const schema = 'causeway_bridge';

/**
 * Opens the store that STORE_URL names.
 * @param storeUrl as `parseStoreUrl` takes it
 * @param options.retentionMs what would expire later expires after this time
 * @param options.maxConnections to a server of Postgres
 * @throws {Error} naming STORE_URL, what is wrong with it and how to fix it
 * @throws {RefusedError} when a newer version of Causeway wrote it
 */
export async function openStore(
  storeUrl: string,
  { retentionMs, maxConnections }: StoreOptions = {},
): Promise<Store> {
  const place = toPlace(parseStoreUrl(storeUrl), { schema, maxConnections });
  const database = await openFile(
    nameOf(storeUrl),
    () => openDatabase<BridgeTables>(place, bridgeMigrations),
    'Use an existing or new SQLite file in a folder that this user can write to.',
  );
  const { queries } = database;
  const inbox = createInboxStore(queries, { retentionMs });
  const questions = createQuestionStore(database, { retentionMs });
  const invalidations = createInvalidations();
  return {
    keyv<Value>(namespace: string) {
      if (!namespace) throw new TypeError('A namespace of the store needs a name.');
      const onWritten = (key: string | undefined) => invalidations.tell(namespace, key);
      const options = { retentionMs, check: toFenceCheck, onWritten };
      const keyv = createKeyv<Value>(createKeyvStore(database, options), namespace);
      const onChange: Listen = (listener) => invalidations.listen(namespace, listener);
      return Object.assign(keyv, { onChange });
    },
    inbox,
    questions,
    share: invalidations.share,
    isShared: database.isShared,
    get pool() {
      return database.pool;
    },
    exclusively: (name, work) => database.exclusively(name, 'wait', work),
    async clear(kept) {
      await database.transaction(async (tx) => {
        await tx.deleteFrom('inbox').execute();
        await tx.deleteFrom('questions').execute();
        await tx.deleteFrom('keyv').where('namespace', 'not in', kept).execute();
      });
      invalidations.forget();
    },
    keepUp: (signal) =>
      database.exclusively('upkeep', 'skip', async () => {
        await inbox.sweep(signal);
        await questions.sweep(signal);
        await sweepKeyv(queries, signal);
        if (!signal.aborted) await database.reclaimSpace();
      }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

type Listen = NonNullable<KeyedStore<unknown>['onChange']>;

/** What a write of a lease's work checks. */
function toFenceCheck() {
  const fence = currentFence();
  return fence && ((tx: Queries) => checkFence(tx, fence));
}

interface StoreOptions {
  retentionMs?: number;
  maxConnections?: number;
}

/** Names what STORE_URL names at the start of an error. */
export function nameOf(storeUrl: string): string {
  return `STORE_URL names ${databasePath(storeUrl) ?? renderStoreUrl(storeUrl)}, which`;
}

/** The persistent state, read while another process may be writing it. */
export interface StoreReader extends AsyncDisposable {
  /** @throws {OpenError} when it can't be read */
  get<Value>(namespace: string, key: string): Promise<Value | undefined>;
  /**
   * All keys of a namespace with their values.
   * @throws {OpenError} when they can't be read
   */
  entries<Value>(namespace: string): Promise<[string, Value][]>;
}

/**
 * Opens the store that STORE_URL names to read it, beside a process that uses it or without one.
 * @returns undefined if there is no store yet
 * @throws {OpenError} when it can't be read
 * @throws {RefusedError} when another version of Causeway wrote it
 */
export async function readStore(storeUrl: string): Promise<StoreReader | undefined> {
  const place = toPlace(parseStoreUrl(storeUrl), { schema });
  if (typeof place === 'string' && !existsSync(place)) return undefined;
  const explained = <Result>(read: () => Promise<Result>) => openFile(nameOf(storeUrl), read);
  const database = await explained(() => openToRead<BridgeTables>(place, bridgeMigrations));
  if (!database) return undefined;
  const keyv = <Value>(namespace: string) =>
    createKeyv<Value>(createKeyvStore(database), namespace);
  return {
    get: (namespace, key) => explained(() => keyv<never>(namespace).get(key)),
    entries: <Value>(namespace: string) =>
      explained(() => Array.fromAsync(keyv<Value>(namespace).entries())),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
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
    async *entries(prefix = ''): AsyncGenerator<[string, Value], void> {
      for await (const [key, stored] of store.entries(prefix)) {
        const { value } = jsonSerializer.parse<KeyvValue<Value>>(stored);
        if (value !== undefined) yield [key, value];
      }
    },
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

/** Gets the key that another process has changed; undefined if it may be any. */
type Listener = (key: string | undefined) => void;

const changed = 'changed';
/** For any other key, a notification names only its namespace. */
const shortKey = /^\S{1,1000}$/;

/** How processes that share a store tell each other what to drop from memory. */
function createInvalidations() {
  const listeners = new Map<string, Listener[]>();
  let notifications: Notifications | undefined;

  function hear(word: string): void {
    const [kind, namespace = '', key] = word.split(' ');
    if (kind !== changed) return;
    for (const listener of listeners.get(namespace) ?? []) listener(key);
  }

  /** Tells listeners here that any key may have been written, of which others are not told. */
  function forget(): void {
    for (const each of [...listeners.values()].flat()) each(undefined);
  }

  return {
    forget,
    /** Tells the others that a key was written; without one, that any of the namespace may have been. */
    tell(namespace: string, key: string | undefined): void {
      if (!notifications || !listeners.has(namespace)) return;
      const word = `${changed} ${namespace}`;
      notifications.send(shortKey.test(key ?? '') ? `${word} ${key}` : word);
    },
    /** Hears what others write. All processes keep the same, so nothing else is told. */
    listen(namespace: string, listener: Listener): void {
      listeners.set(namespace, [...(listeners.get(namespace) ?? []), listener]);
    },
    /** From now on, notifications go to other processes and come from them. */
    share(shared: Notifications): void {
      notifications = shared;
      shared.listen((word) => {
        if (word !== undefined) hear(word);
        else forget();
      });
    },
  };
}

/** What the store remembers besides conversations. */
const restored = 'restored';
const signedRequest = 'signed-request';

/**
 * Stores that the data is that of a backup. What was asked before this time counts as too old to be
 * answered: most of it was answered after the backup was made.
 */
export async function markRestored(store: Store, ms: number): Promise<void> {
  await store.keyv<number>(restored).set('at', ms);
}

/** When the data was restored, in ms since the epoch; undefined if it never was. */
export function restoredAt(store: Store): Promise<number | undefined> {
  return store.keyv<number>(restored).get('at');
}

/** Stores the time of a request that Slack signed with this secret, but not the secret itself. */
export async function rememberSigned(store: Store, secret: string): Promise<void> {
  await store.keyv<number>(signedRequest).set(fingerprint(secret), Date.now());
}

/** When Slack last signed a request with this secret, in ms since the epoch. */
export function lastSigned(store: StoreReader, secret: string): Promise<number | undefined> {
  return store.get<number>(signedRequest, fingerprint(secret));
}

function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
