import { createHash } from 'node:crypto';
import type { Store, StoreReader } from './open-store.ts';

const namespace = 'signed-request';

/** Stores the time of a request that Slack signed with this secret, but not the secret itself. */
export async function rememberSigned(store: Store, secret: string): Promise<void> {
  await store.keyv<number>(namespace).set(fingerprint(secret), Date.now());
}

/** When Slack last signed a request with this secret, in ms since the epoch. */
export function lastSigned(store: StoreReader, secret: string): Promise<number | undefined> {
  return store.get<number>(namespace, fingerprint(secret));
}

function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
