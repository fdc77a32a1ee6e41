import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyRecord, KeyStore } from './store/key-store.ts';

/** A key in clear text, and the owner of what is created with it. */
export interface ApiKey {
  key: string;
  owner: string;
}

export interface Keys {
  /** The owner for an Authorization header. */
  findOwner(authorization: string | undefined): string | undefined;
  add(key: ApiKey): void;
  /** Creates a key for the owner `local` if no key is stored. It can't be read again. */
  ensureFirst(): string | undefined;
}

/** The `given` keys are held in memory and never stored. */
export function createKeys(store: KeyStore, given: readonly ApiKey[], now: () => number): Keys {
  const inMemory = given.map(toRecord);
  const stored = store.list();

  const add = (key: ApiKey) => {
    const record = toRecord(key);
    store.insert(record, now());
    stored.push(record);
  };

  return {
    findOwner(authorization) {
      const presented = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      if (presented === undefined) return undefined;
      const hash = hashKey(presented);
      let owner: string | undefined;
      // Every key is compared, so that the time taken does not reveal which one matched.
      for (const record of [...inMemory, ...stored]) {
        if (timingSafeEqual(record.hash, hash)) owner = record.owner;
      }
      return owner;
    },
    add,
    ensureFirst() {
      if (stored.length > 0) return undefined;
      const key = `cw_${randomBytes(24).toString('base64url')}`;
      add({ key, owner: 'local' });
      return key;
    },
  };
}

function toRecord({ key, owner }: ApiKey): KeyRecord {
  return { hash: hashKey(key), owner };
}

function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
