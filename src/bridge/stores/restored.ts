import type { Store } from './open-store.ts';

const namespace = 'restored';
const key = 'at';

/**
 * Stores that the data is that of a backup. What was asked before this time counts as too old to be
 * answered: most of it was answered after the backup was made.
 */
export async function markRestored(store: Store, ms: number): Promise<void> {
  await store.keyv<number>(namespace).set(key, ms);
}

/** When the data was restored, in ms since the epoch; undefined if it never was. */
export function restoredAt(store: Store): Promise<number | undefined> {
  return store.keyv<number>(namespace).get(key);
}
