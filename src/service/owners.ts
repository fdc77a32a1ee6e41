import { createHash } from 'node:crypto';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { createUuid } from './identifiers.ts';
import type { OwnerStore } from './store/owner-store.ts';

/** The owner of the bridge, of the first key, and of keys that name no owner. */
export const mainOwner = 'local';

/** A key in clear text, and the name of its owner if it has another than the main one. */
export interface ApiKey {
  key: string;
  owner?: string;
}

export interface Owners {
  /** The id of the owner with this name, who is created if missing. */
  named(name: string): string;
  /** The name of the owner with this id. */
  nameOf(id: string): string;
  /**
   * The id of the owner of a given key.
   * @throws {RefusedError} when it names an owner, and data from before it did belongs to another
   */
  ownerOf(key: ApiKey): string;
}

/**
 * The owners. Those of a folder from before owners had names get names.
 * @param given the keys of the environment
 */
export function createOwners(
  store: OwnerStore,
  given: readonly ApiKey[],
  now: () => number,
): Owners {
  const find = (wanted: string) => store.list().find(({ name }) => name === wanted);
  if (!find(mainOwner)) nameOwners(store, given, now);

  const named = (name: string) => {
    const known = find(name);
    if (known) return known.id;
    const id = createUuid();
    store.insert({ id, name, createdMs: now() });
    return id;
  };
  return {
    named,
    nameOf: (id) => store.list().find((owner) => owner.id === id)?.name ?? '',
    ownerOf({ key, owner: name }) {
      const former = store.list().find(({ id }) => id === formerOwner(key));
      if (name === undefined) return former?.id ?? named(mainOwner);
      if (former && former.name !== name && store.hasData(former.id)) {
        throw new RefusedError(
          `SERVICE_API_KEYS gives ${name} a key whose data belongs to ${former.name}. Write ${former.name} before that key, or give ${name} a new key.`,
        );
      }
      return named(name);
    },
  };
}

/** Keys of the environment were their own owners once: by this id. */
function formerOwner(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/**
 * Makes the main owner, and names those from before there were names. The first key's data becomes
 * the main owner's, because it is the bridge's; every other key keeps an owner of its own, even if
 * it has no data yet.
 */
function nameOwners(store: OwnerStore, given: readonly ApiKey[], now: () => number): void {
  const former = store.list();
  const ids = new Set(former.map(({ id }) => id));
  const first = formerOwner(given[0]?.key ?? '');
  const others = given.slice(1).filter(({ owner }) => owner === undefined);
  const keysWereOwners = former.some(({ id }) => id !== mainOwner);
  const main = ids.has(first) ? first : mainOwner;
  if (ids.has(main)) store.rename(main, mainOwner);
  else store.insert({ id: createUuid(), name: mainOwner, createdMs: now() });
  for (const id of keysWereOwners ? others.map(({ key }) => formerOwner(key)) : []) {
    if (!ids.has(id)) store.insert({ id, name: null, createdMs: now() });
  }
  for (const [index, { id }] of store
    .list()
    .filter(({ name }) => name === null)
    .entries()) {
    store.rename(id, `owner-${index + 1}`);
  }
}
