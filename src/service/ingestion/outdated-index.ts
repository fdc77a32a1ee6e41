import { sourceProgress } from '../../shared/api/data-source.ts';
import type { SourceRecord } from '../store/source-store.ts';
import type { Store } from '../store/store.ts';

/**
 * Sources whose passages were indexed in another way (`indexVersion`) are `indexing` until that
 * is done again. This needs only their stored passages, not their files or pages.
 * They remain searchable, as far as old and new tokens agree.
 *
 * @returns the number of such sources
 */
export function takeUpOutdated(store: Store): number {
  return store.transaction(() => {
    const ready = store.passages
      .listOutdated()
      .map((uuid) => store.sources.find(uuid))
      .filter((source) => source && sourceProgress(source.status) !== 'waiting');
    for (const source of ready) {
      if (source === undefined) continue;
      const meta = { ...source.meta, stage: 'indexing' };
      store.sources.update({ ...source, status: 'embedding', meta });
    }
    return ready.length;
  });
}

/** A source that is `indexing` has all its passages, whichever build stored them. */
export function isIndexOutdated({ meta }: SourceRecord): boolean {
  return meta.stage === 'indexing';
}
