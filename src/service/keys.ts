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
  named(name?: string): string;
  /** The name of the owner with this id. */
  nameOf(id: string): string;
}

export interface Keys {
  /** The id of the owner for an Authorization header. */
  findOwner(authorization: string | undefined): string | undefined;
  /** Creates a key for the main owner if none was ever stored. It can't be read again. */
  ensureFirst(): string | undefined;
  /** Creates a key for the main owner that is held in memory. */
  createTemporary(): string;
  /** Stores when keys were last used, now and then. */
  storeUses(): void;
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

/** The owners of what the service stores. The main one always exists. */
export function createOwners(store: OwnerStore, now: () => number): Owners {
  const named = (name = mainOwner) => {
    const known = store.list().find((owner) => owner.name === name);
    if (known) return known.id;
    const id = createUuid();
    store.insert({ id, name, createdMs: now() });
    return id;
  };
  named();
  return {
    named,
    nameOf: (id) => store.list().find((owner) => owner.id === id)?.name ?? '',
  };
}

/**
 * The keys that requests are checked against. What another process adds or revokes takes effect at
 * once.
 * @param given keys of the environment, held in memory and never stored
 */
export function createKeys(tools: KeyTools, given: readonly ApiKey[], log: Log): Keys {
  const { store, owners, now } = tools;
  const held: HeldKey[] = given.map(({ key, owner }) => ({
    hash: hashKey(key),
    owner: owners.named(owner),
  }));
  let stored: KeyRecord[] = [];
  /** Not stored yet: if every request wrote, it would wait for other writers. */
  const uses = new Map<KeyRecord, number>();
  let version: number | undefined;

  function readChanges(): void {
    const current = store.version();
    if (current === version) return;
    stored = store.list().filter(({ revokedMs }) => revokedMs === null);
    version = current;
  }

  return {
    findOwner(authorization) {
      const presented = readBearer(authorization);
      if (presented === undefined) return undefined;
      readChanges();
      const hash = hashKey(presented);
      let found: HeldKey | KeyRecord | undefined;
      // Every key is compared, so that the time taken does not reveal which one matched.
      for (const key of [...held, ...stored]) {
        if (timingSafeEqual(key.hash, hash)) found = key;
      }
      if (found && 'lastUsedMs' in found) uses.set(found, now());
      return found?.owner;
    },
    ensureFirst() {
      if (store.list().length > 0) return undefined;
      const key = addKey(tools, { owner: mainOwner, name: 'first key' });
      version = undefined;
      return key;
    },
    createTemporary() {
      const key = createKey();
      held.push({ hash: hashKey(key), owner: owners.named() });
      return key;
    },
    storeUses() {
      try {
        for (const [{ hash }, ms] of uses) store.setLastUsed(hash, ms);
        uses.clear();
      } catch (error) {
        log.warn({ err: error }, 'the last use of keys could not be stored');
      }
    },
  };
}

/**
 * Creates and stores a key.
 * @param description the name of its owner, who is created if missing, and what people call it
 * @returns the key, which can't be read again
 */
export function addKey(
  { store, owners, now }: KeyTools,
  { owner, name }: { owner: string; name: string },
): string {
  const key = createKey();
  store.insert({
    hash: hashKey(key),
    owner: owners.named(owner),
    name,
    prefix: key.slice(0, prefixLength),
    createdMs: now(),
    lastUsedMs: null,
    revokedMs: null,
  });
  return key;
}

/** The stored keys that a text can mean: the start of a key's prefix, or the whole key. */
export function findKeys({ store }: KeyTools, text: string): KeyRecord[] {
  const hash = hashKey(text);
  return store
    .list()
    .filter(({ prefix, ...key }) => prefix.startsWith(text) || hash.equals(key.hash));
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
