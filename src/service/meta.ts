import type { SourceMeta } from '../shared/api/data-source.ts';
import type { Problem } from '../shared/problems/problem.ts';

/** A problem as the meta of a source or message holds it, beside its English sentence. */
export function toFailureFields({ code, params }: Problem) {
  return { error_code: code, error_params: params && { ...params } };
}

/** A source's meta without its stage and the reason why its ingestion failed. */
export function withoutFailure(meta: SourceMeta): SourceMeta {
  return omit(meta, ['stage', 'error', 'error_code', 'error_params']);
}

/** A source's meta without how much of it search finds by meaning, and why not all of it. */
export function withoutEmbedding(meta: SourceMeta): SourceMeta {
  return omit(meta, ['embedded', 'embedding_error', 'embedding_code', 'embedding_params']);
}

function omit(meta: SourceMeta, names: readonly string[]): SourceMeta {
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !names.includes(name)));
}
