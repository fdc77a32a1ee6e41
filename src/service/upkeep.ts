import type { Steps } from '../shared/primitives/in-steps.ts';
import type { Store } from './store/store.ts';

/** Session documents are kept for a day, because they are meant for the next messages. */
const documentsMs = 24 * 60 * 60 * 1000;

/**
 * Deletes session documents after a day and sessions after `retentionMs` without use, and erases from
 * the database's files what was deleted.
 */
export function* keepUp(
  store: Store,
  { now, retentionMs }: { now: number; retentionMs?: number },
): Steps<void> {
  yield* store.documents.deleteBefore(now - documentsMs);
  if (retentionMs !== undefined) yield* store.sessions.deleteUnused(now - retentionMs);
  store.replyLog.trim();
  yield* store.choices.deleteUnused();
  yield* store.passages.deleteHidden();
  yield* store.passages.purge();
  yield* store.reclaimSpace();
}
