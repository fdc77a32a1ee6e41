import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Keyv } from 'keyv';
import type { Coordinator, KeyedStore } from '../conversation/ports.ts';
import { createSqliteCoordinator } from './sqlite-coordinator.ts';
import { openDatabase } from './sqlite-database.ts';
import { createSqliteStore } from './sqlite-store.ts';

/** Where state lies. Disposing closes it; every call made afterwards rejects. */
export interface Store extends AsyncDisposable {
  /**
   * The values of one namespace. A call that fails rejects, and never answers as if nothing were
   * there; this holds even after an `error` listener is added.
   */
  keyv<Value>(namespace: string): Keyv<Value> & KeyedStore<Value>;
  coordinator: Coordinator;
}

const advice = 'Write sqlite:path/to/file.sqlite, or memory: to forget everything at the end.';

/**
 * Opens the store that STORE_URL names.
 * @param storeUrl `sqlite:` and a file's path, absolute or relative to the working directory, or
 * `memory:`, which forgets everything when it is disposed of
 * @throws {Error} naming STORE_URL, what is wrong with it and how to mend it
 */
export function openStore(storeUrl: string): Store {
  const database = openNamedDatabase(parsePath(storeUrl));
  return {
    keyv<Value>(namespace: string) {
      if (!namespace) throw new TypeError('A namespace of the store needs a name.');
      return createKeyv<Value>(database, namespace);
    },
    coordinator: createSqliteCoordinator(database),
    async [Symbol.asyncDispose]() {
      if (database.isOpen) database.close();
    },
  };
}

function parsePath(storeUrl: string): string {
  // What follows an unknown scheme may hold a password, so errors do not repeat it.
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(storeUrl) ?? [];
  if (scheme === undefined) throw new Error(`STORE_URL does not begin with a scheme. ${advice}`);
  if (scheme === 'memory' && rest === '') return ':memory:';
  if (scheme === 'memory') throw new Error(`STORE_URL has more than memory: in it. ${advice}`);
  if (scheme !== 'sqlite')
    throw new Error(`STORE_URL has the unknown scheme ${scheme}:. ${advice}`);
  if (rest === '' || rest.endsWith('/')) throw new Error(`STORE_URL names no file. ${advice}`);
  if (rest.startsWith('//') || rest.startsWith(':')) {
    throw new Error(`STORE_URL has ${rest.slice(0, 2)} where the path of a file begins. ${advice}`);
  }
  return resolve(rest);
}

function openNamedDatabase(path: string): DatabaseSync {
  try {
    return openDatabase(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `STORE_URL names ${path}, which cannot be opened: ${reason}. Choose a SQLite file, or a new one, in a folder this user may write to.`,
      { cause: error },
    );
  }
}

function createKeyv<Value>(
  database: DatabaseSync,
  namespace: string,
): Keyv<Value> & KeyedStore<Value> {
  const keyv = new Keyv<Value>({
    store: createSqliteStore(database),
    namespace,
    // The adapter judges expiry to the millisecond; Keyv's own check would delete on reading, and
    // with it what another process has just written anew.
    checkExpired: false,
  });
  // With a listener that returns, Keyv answers a failed read as a miss. This one throws, which
  // makes the call reject, and being the first it does so whatever others are added.
  keyv.on('error', (error: unknown) => {
    throw error instanceof Error ? error : new Error(String(error));
  });
  return Object.assign(keyv, { entries: () => keyv.iterator() });
}
