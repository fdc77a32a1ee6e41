import type { SourceRecord } from '../store/source-store.ts';
import type { Store } from '../store/store.ts';

/**
 * Sources that are ready, but indexed by the tokens of another build, become `running`: they are
 * unfinished until they are indexed anew, which needs their passages only, not their files or pages.
 * What they hold can be found meanwhile, as far as old tokens and new ones agree.
 *
 * @returns how many there are
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

/** One that is `running` has all its passages, whatever build brought it there. */
export function isIndexOutdated({ uuid, status }: SourceRecord, store: Store): boolean {
  return status === 'running' && store.passages.isOutdated(uuid);
}
