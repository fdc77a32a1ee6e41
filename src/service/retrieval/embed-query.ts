import type { Embedding } from '../ingestion/embedding.ts';
import type { Embedder } from './embedder.ts';
import { leansOnPrevious } from './query-weights.ts';
import type { SearchedQuery } from './search.ts';

/** Resolves with the vector of a query and the one before if it depends on it, if there is an embedder and it works. */
export type EmbedQuery = (
  query: SearchedQuery,
  signal: AbortSignal,
) => Promise<SearchedQuery['embedded']>;

export function createEmbedQuery(parts: {
  embedder: Embedder | undefined;
  embedding: Pick<Embedding, 'fits'>;
}): EmbedQuery {
  const { embedder, embedding } = parts;
  return async ({ query, previousQuery }, signal) => {
    if (embedder === undefined) return undefined;
    const leans = previousQuery !== undefined && leansOnPrevious(query);
    const vector = await embedder.embedQuery(leans ? `${previousQuery}\n${query}` : query, signal);
    if (vector === undefined || !embedding.fits(vector.length)) return undefined;
    return { model: embedder.model, vector };
  };
}
