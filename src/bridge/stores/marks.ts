import { createHash } from 'node:crypto';
import type { Store, StoreReader } from './open-store.ts';

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
