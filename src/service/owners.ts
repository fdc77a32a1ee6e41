import { createUuid } from './identifiers.ts';
import type { OwnerStore } from './store/key-store.ts';

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
  /** The id of the owner of a given key, who is created if missing. */
  ownerOf(key: ApiKey): string;
}

/** The owners. The main one is there from the start. */
export function createOwners(store: OwnerStore, now: () => number): Owners {
  const named = (name: string) => {
    const known = store.list().find((owner) => owner.name === name);
    if (known) return known.id;
    const id = createUuid();
    store.insert({ id, name, createdMs: now() });
    return id;
  };
  named(mainOwner);
  return {
    named,
    nameOf: (id) => store.list().find((owner) => owner.id === id)?.name ?? '',
    ownerOf: ({ owner = mainOwner }) => named(owner),
  };
}
