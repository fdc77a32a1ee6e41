import { z } from 'zod';
import { type SourceMeta, UploadFields } from '../shared/api/data-source.ts';
import { HttpError } from './http-error.ts';

const UploadMeta = z.looseObject({
  reference_source_link: UploadFields.shape.reference_source_link,
});

/**
 * The link of an upload, which clients give as a form field or within `meta_json`.
 * @throws {HttpError} 400 when `meta_json` holds no JSON object with a good link
 */
export function parseUploadMeta(fields: z.output<typeof UploadFields>): SourceMeta {
  const link = fields.reference_source_link ?? parseMetaLink(fields.meta_json);
  return link === undefined ? {} : { reference_source_link: link };
}

function parseMetaLink(metaJson: string | undefined): string | undefined {
  if (metaJson === undefined || metaJson === '') return undefined;
  try {
    return UploadMeta.parse(JSON.parse(metaJson)).reference_source_link;
  } catch {
    throw new HttpError(400, 'meta_invalid');
  }
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
