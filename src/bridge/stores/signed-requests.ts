import { createHash } from 'node:crypto';
import type { Store, StoreReader } from './open-store.ts';

const namespace = 'signed-request';

/** Stores that a request from Slack was signed with this secret. The secret itself is not stored. */
export async function rememberSigned(store: Store, secret: string): Promise<void> {
  await store.keyv<number>(namespace).set(fingerprint(secret), Date.now());
}

/** When a request was last remembered for this secret, in ms since the epoch. */
export function lastSigned(store: StoreReader, secret: string): Promise<number | undefined> {
  return store.get<number>(namespace, fingerprint(secret));
}

function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
