import type { SourceMeta } from '../shared/api/data-source.ts';
import type { Problem } from '../shared/problems/problem.ts';

/** A problem as the meta of a source or message holds it, beside its English sentence. */
export function toFailureFields({ code, params }: Problem) {
  return { error_code: code, error_params: params && { ...params } };
}

/** A source's meta without its stage and the reason why its ingestion failed. */
export function withoutFailure(meta: SourceMeta): SourceMeta {
  const { stage: _, error: __, error_code: ___, error_params: ____, ...rest } = meta;
  return rest;
}

/** A source's meta without how much of it search finds by meaning, and why not all of it. */
export function withoutEmbedding(meta: SourceMeta): SourceMeta {
  const { embedded: _, embedding_error: __, embedding_code: ___, ...rest } = meta;
  const { embedding_params: ____, ...others } = rest;
  return others;
}
