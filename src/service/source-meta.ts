import { z } from 'zod';
import { type SourceMeta, UploadFields } from '../api/data-source.ts';
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
