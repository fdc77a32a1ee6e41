import type { PassageScope } from '../store/seen-passages.ts';
import type { Store } from '../store/store.ts';
import type { Hit, Retriever } from './retrieve.ts';

/** What is searched for. */
export interface SearchedQuery {
  query: string;
  previousQuery?: string;
  /** Its vector, if it is searched by meaning too. */
  embedded?: { model: string; vector: Float32Array };
}

/** Finds the passages for a query. */
export interface Search {
  /** Returns a function that finds the query's passages in a scope, best first, cached by scope. */
  begin(query: SearchedQuery): (scope: PassageScope, limit: number) => Hit[];
}

const candidateLimit = 50;

/** Searches by words, and by meaning too if the query is embedded. */
export function createSearch(parts: {
  vectors: Pick<Store['vectors'], 'search' | 'rank'>;
  retriever: Retriever;
}): Search {
  const { vectors, retriever } = parts;

  return {
    begin({ query, previousQuery, embedded }) {
      const known = new Map<string, Hit[]>();

      const retrieve = (scope: PassageScope, limit: number) =>
        retriever.retrieve(query, scope, {
          previousQuery,
          limit,
          findSimilar:
            embedded &&
            ((found) =>
              vectors.search(embedded, scope, candidateLimit) ?? vectors.rank(embedded, found)),
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
