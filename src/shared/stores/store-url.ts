import { join, resolve, sep } from 'node:path';
import type { DatabasePlace } from './open-database.ts';
import type { PostgresPlace } from './postgres.ts';

/** What STORE_URL names: a database of Postgres by its URL, or else a file of SQLite. */
export type StoreUrl = Pick<PostgresPlace, 'url'> | { path: string };

const advice = 'Use sqlite:path/to/file.sqlite or postgres://user:password@host/database.';

/**
 * @param storeUrl `postgres:` and its rest; `sqlite:` and a file path, absolute or relative to the
 *   working directory; or `memory:`, which loses everything when disposed of
 * @param name what it was given as
 * @throws {Error} naming that, what is wrong with it and how to fix it
 */
export function parseStoreUrl(storeUrl: string, name = 'STORE_URL'): StoreUrl {
  // The rest of an unknown scheme's URL may contain a password, so errors do not repeat it.
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(storeUrl) ?? [];
  if (scheme === undefined) throw new Error(`${name} does not start with a scheme. ${advice}`);
  if (scheme === 'postgres' || scheme === 'postgresql') return parsePostgres(storeUrl, name);
  if (scheme === 'memory' && rest === '') return { path: ':memory:' };
  if (scheme === 'memory')
    throw new Error(`${name} must not have anything after memory:. ${advice}`);
  if (scheme !== 'sqlite') throw new Error(`${name} has an unknown scheme, ${scheme}:. ${advice}`);
  if (rest === '' || rest.endsWith('/')) throw new Error(`${name} names no file. ${advice}`);
  if (rest.startsWith('//') || rest.startsWith(':')) {
    throw new Error(`${name} has ${rest.slice(0, 2)} at the start of its file path. ${advice}`);
  }
  return { path: resolve(rest) };
}

/**
 * What keeps an address from being that of the bridge's data, in words that follow its name.
 * @returns undefined if nothing does
 */
export function explainUnusable(storeUrl: string, dataDir: string): string | undefined {
  try {
    const parsed = parseStoreUrl(storeUrl, '');
    if ('url' in parsed) return undefined;
    if (parsed.path === ':memory:') return `names no database. ${advice}`;
    // Beside a bridge on SQLite, they are the service's and the sandbox's.
    const others = ['service.sqlite', 'sandbox.sqlite'].map((name) => join(dataDir, name));
    if (!others.includes(parsed.path) && !isTemporary(parsed.path, dataDir)) return undefined;
    return `names ${parsed.path}, which is for other data. Name another file, such as ${join(dataDir, 'causeway.sqlite')}.`;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
}

/** Whether an absolute path is in the folder of the service's that each start empties. */
export function isTemporary(path: string, dataDir: string): boolean {
  return `${path}${sep}`.startsWith(join(dataDir, 'files') + sep);
}

function parsePostgres(storeUrl: string, name: string): StoreUrl {
  const url = URL.parse(storeUrl);
  if (!url) {
    throw new Error(
      `${name} has a wrong port, or special characters in its password that are not percent-encoded. ${advice}`,
    );
  }
  if (!url.hostname) throw new Error(`${name} names no host. ${advice}`);
  if (url.pathname.length < 2) throw new Error(`${name} names no database. ${advice}`);
  return { url: storeUrl };
}

/** The file that STORE_URL names; undefined for a store elsewhere. */
export function databasePath(storeUrl: string): string | undefined {
  const parsed = parseStoreUrl(storeUrl);
  return 'url' in parsed || parsed.path === ':memory:' ? undefined : parsed.path;
}

/** The place of a database: in a database of Postgres, it has a schema of its own. */
export function toPlace(parsed: StoreUrl, options: Omit<PostgresPlace, 'url'>): DatabasePlace {
  return 'url' in parsed ? { ...options, url: parsed.url } : parsed.path;
}

/** STORE_URL as people may read it: without a password. */
export function renderStoreUrl(storeUrl: string): string {
  const parsed = parseStoreUrl(storeUrl);
  if (!('url' in parsed)) return storeUrl;
  const { protocol, host, pathname } = new URL(parsed.url);
  return `${protocol}//${host}${pathname}`;
}
