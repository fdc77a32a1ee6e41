import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createUuid } from './identifiers.ts';
import type { Log } from '../shared/primitives/log.ts';
import type { KeyRecord, KeyStore, OwnerStore } from './store/key-store.ts';

/** The owner of the bridge, of the first key, and of keys that name no owner. */
export const mainOwner = 'local';

/** A key in clear text, and the name of its owner unless that is the main one. */
export interface ApiKey {
  key: string;
  owner?: string;
}

export interface Owners {
  /** The id of the owner with this name, who is created if missing. Default: the main owner. */
  named(name?: string): Promise<string>;
  /** The name of the owner with this id. */
  nameOf(id: string): Promise<string>;
}

export interface Keys {
  /** The id of the owner for an Authorization header. */
  findOwner(authorization: string | undefined): Promise<string | undefined>;
  /** Creates a key for the main owner if none was ever stored. It can't be read again. */
  ensureFirst(): Promise<string | undefined>;
  /** Creates a key for the main owner that is held in memory: only this process accepts it. */
  createTemporary(): Promise<string>;
  /** Stores when keys were last used, now and then. Never rejects. */
  storeUses(): Promise<void>;
}

/** The parts that keys need, in the service and beside it. */
export interface KeyTools {
  store: KeyStore;
  owners: Owners;
  now: () => number;
}

/** A key that is not stored. */
type HeldKey = Pick<KeyRecord, 'hash' | 'owner'>;

/** The start of a key, which people may see. What follows is its secret. */
const prefixLength = 'cw_'.length + 8;

/** The owners of what the service stores. */
export function createOwners(store: OwnerStore, now: () => number): Owners {
  const find = async (name: string) => (await store.list()).find((owner) => owner.name === name);
  return {
    async named(name = mainOwner) {
      const known = await find(name);
      if (known) return known.id;
      const id = createUuid();
      await store.insert({ id, name, createdMs: now() });
      return (await find(name))?.id ?? id;
    },
    nameOf: async (id) => (await store.list()).find((owner) => owner.id === id)?.name ?? '',
  };
}

/**
 * The keys that requests are checked against. What another process adds or revokes takes effect at
 * once.
 * @param given keys of the environment, held in memory and never stored
 */
export async function createKeys(
  tools: KeyTools,
  given: readonly ApiKey[],
  log: Log,
): Promise<Keys> {
  const { store, owners, now } = tools;
  const held: HeldKey[] = [];
  for (const { key, owner } of given) {
    held.push({ hash: hashKey(key), owner: await owners.named(owner) });
  }
  /** Not stored yet: if every request wrote, it would wait for other writers. */
  const uses = new Map<string, { hash: Uint8Array; ms: number }>();

  return {
    async findOwner(authorization) {
      const presented = readBearer(authorization);
      if (presented === undefined) return undefined;
      const hash = hashKey(presented);
      // The bridge's requests have a key that is held: they wait for no query.
      const found = findKey(held, hash) ?? findKey(await store.listValid(), hash);
      if (found) uses.set(hash.toString('hex'), { hash, ms: now() });
      return found?.owner;
    },
    async ensureFirst() {
      if ((await store.list()).length > 0) return undefined;
      return addKey(tools, { owner: mainOwner, name: 'first key' });
    },
    async createTemporary() {
      const key = createKey();
      held.push({ hash: hashKey(key), owner: await owners.named() });
      return key;
    },
    async storeUses() {
      try {
        for (const [id, use] of uses) {
          await store.setLastUsed(use.hash, use.ms);
          // It may have been used again in the meantime.
          if (uses.get(id) === use) uses.delete(id);
        }
      } catch (error) {
        log.warn({ err: error }, 'the last use of keys could not be stored');
      }
    },
  };
}

/** Every key is compared, so that the time taken does not reveal which one matched. */
function findKey(keys: readonly HeldKey[], hash: Uint8Array): HeldKey | undefined {
  let found: HeldKey | undefined;
  for (const key of keys) if (timingSafeEqual(key.hash, hash)) found = key;
  return found;
}

/**
 * Creates and stores a key.
 * @param description the name of its owner, who is created if missing, and what people call it
 * @returns the key, which can't be read again
 */
export async function addKey(
  { store, owners, now }: KeyTools,
  { owner, name }: { owner: string; name: string },
): Promise<string> {
  const key = createKey();
  await store.insert({
    hash: hashKey(key),
    owner: await owners.named(owner),
    name,
    prefix: key.slice(0, prefixLength),
    createdMs: now(),
    lastUsedMs: null,
    revokedMs: null,
  });
  return key;
}

/** The stored keys that a text can mean: the start of a key's prefix, or the whole key. */
export async function findKeys({ store }: KeyTools, text: string): Promise<KeyRecord[]> {
  const hash = hashKey(text);
  const keys = await store.list();
  return keys.filter(({ prefix, ...key }) => prefix.startsWith(text) || hash.equals(key.hash));
}

/** The key in an Authorization header. */
export function readBearer(authorization: string | null | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

function createKey(): string {
  return `cw_${randomBytes(24).toString('base64url')}`;
}

/** What is stored and compared instead of a key. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
