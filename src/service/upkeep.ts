import type { Jobs } from '../shared/jobs/jobs.ts';
import type { Store } from './store/store.ts';

/** Each source that waits has a job, whatever has become of the one that it had. */
export async function addUnfinished(store: Store, jobs: Jobs): Promise<void> {
  await jobs.add(await store.sources.listUnfinished());
}

/** A reply with an idempotency key can be asked for again this long. */
const continuedMs = 60 * 60 * 1000;

/** Closes the replies of processes that have died. */
export async function finishAbandoned(
  store: Store,
  generator: string,
  nowMs: number,
): Promise<void> {
  const problem = { code: 'answer_stopped' } as const;
  const keyedBeforeMs = nowMs - continuedMs;
  await store.transaction((tx) =>
    tx.messages.finishAbandoned({ problem, nowMs, keyedBeforeMs, generator }),
  );
}

/** Session documents are kept for a day, because they are meant for the next messages. */
const documentsMs = 24 * 60 * 60 * 1000;

/**
 * Deletes session documents after a day and sessions after `retentionMs` without use, and erases from
 * the database's files what was deleted.
 */
export async function keepUp(
  store: Store,
  { nowMs, retentionMs, signal }: { nowMs: number; retentionMs?: number; signal: AbortSignal },
): Promise<void> {
  await store.documents.deleteBefore(nowMs - documentsMs, signal);
  if (retentionMs !== undefined) await store.sessions.deleteUnused(nowMs - retentionMs, signal);
  await store.passages.discardAbandoned();
  await store.passages.deleteHidden(signal);
  if (!signal.aborted) await store.reclaimSpace();
}
