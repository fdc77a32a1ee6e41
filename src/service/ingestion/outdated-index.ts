import type { SourceRecord } from '../store/source-store.ts';
import type { Store } from '../store/store.ts';

/**
 * Ready sources that were indexed with another version of the tokenizer become `running`, and stay
 * so until they are indexed again. This needs only their stored passages, not their files or pages.
 * They remain searchable, as far as old and new tokens agree.
 *
 *
 * @returns the number of such sources
 */
export function takeUpOutdated(store: Store): number {
  return store.transaction(() => {
    const ready = store.passages
      .listOutdated()
      .map((uuid) => store.sources.find(uuid))
      .filter((source) => source?.status === 'success');
    for (const source of ready) if (source) store.sources.update({ ...source, status: 'running' });
    return ready.length;
  });
}

/** A source that is `running` has all its passages, whichever build stored them. */
export function isIndexOutdated({ uuid, status }: SourceRecord, store: Store): boolean {
  return status === 'running' && store.passages.isOutdated(uuid);
}
