import type { Embedding } from '../ingestion/embedding.ts';
import type { PassageScope } from '../store/passage-store.ts';
import type { Store } from '../store/store.ts';
import type { Embedder } from './embedder.ts';
import { leansOnPrevious } from './query-weights.ts';
import type { Hit, Retriever } from './retrieve.ts';

/** Finds the passages for a query; embeds it only once for all scopes. */
export interface Search {
  /** Returns a function that finds the query's passages in a scope, best first, cached by scope. */
  begin(
    query: string,
    previousQuery: string | undefined,
    signal: AbortSignal,
  ): Promise<(scope: PassageScope, limit: number) => Hit[]>;
}

const candidateLimit = 50;

/** Searches by words, and by meaning too if there is an embedder and it works. */
export function createSearch(parts: {
  store: Pick<Store, 'passages' | 'vectors'>;
  retriever: Retriever;
  embedder: Embedder | undefined;
  embedding: Pick<Embedding, 'fits'>;
}): Search {
  const { store, retriever, embedder, embedding } = parts;

  const embed = async (query: string, previousQuery: string | undefined, signal: AbortSignal) => {
    if (embedder === undefined) return undefined;
    const leans = previousQuery !== undefined && leansOnPrevious(query);
    const vector = await embedder.embedQuery(leans ? `${previousQuery}\n${query}` : query, signal);
    if (vector === undefined || !embedding.fits(vector.length)) return undefined;
    return { model: embedder.model, vector };
  };

  return {
    async begin(query, previousQuery, signal) {
      const embedded = await embed(query, previousQuery, signal);
      const known = new Map<string, Hit[]>();

      const retrieve = (scope: PassageScope, limit: number) =>
        retriever.retrieve(query, scope, {
          previousQuery,
          limit,
          ...(embedded && {
            findSimilar: (found) => {
              const ids =
                store.vectors.search(embedded, scope, candidateLimit) ??
                store.vectors.rank(embedded, found);
              return store.passages.get(ids, scope);
            },
          }),
        });

      return (scope, limit) => {
        const key = JSON.stringify([scope.sources, limit]);
        const hits = known.get(key) ?? retrieve(scope, limit);
        known.set(key, hits);
        return hits;
      };
    },
  };
}
