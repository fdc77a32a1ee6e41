import { z } from 'zod';
import { LooseNumber, LooseText, Timestamp, Uuid } from './fields.ts';

export const DataSource = z.looseObject({
  uuid: Uuid,
  title: LooseText,
  file_name: LooseText,
  file_size: LooseNumber.describe('Bytes.'),
  tokens: LooseNumber,
  /** See `sourceProgress`. */
  status: z
    .string()
    .describe(
      'await, downloading, extracting, chunking, embedding, running, then success or a word that begins with error or is fail. An open set.',
    ),
  type: z.string().describe('upload, link or qa. An open set.'),
  /** A few clients have seen it as an object. */
  meta_json: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
    .optional()
    .transform((value) => (typeof value === 'string' ? value : JSON.stringify(value ?? {})))
    .describe(
      'A JSON string: reference_source_link, the question and answer of a qa source, and error, the reason why it failed.',
    ),
  created_at: Timestamp,
  modified_at: Timestamp,
});
export type DataSource = z.infer<typeof DataSource>;

/**
 * What a source's status means to one who waits: the field knows fourteen values and may learn
 * more, so an unknown one counts as still under way.
 */
export function sourceProgress(status: string): 'waiting' | 'ready' | 'failed' {
  if (status === 'success') return 'ready';
  return status === 'fail' || status.startsWith('error') ? 'failed' : 'waiting';
}

/** The reason of a failed source, from its meta_json, or '' where none is given. */
export function sourceFailure(source: DataSource): string {
  return sourceMeta(source).error ?? '';
}

/** What a source's meta_json holds, as far as it can be read. */
export function sourceMeta(source: DataSource): SourceMeta {
  try {
    return SourceMeta.parse(JSON.parse(source.meta_json));
  } catch {
    return {};
  }
}

/** What the service keeps in a source's meta_json. */
const SourceMeta = z.looseObject({
  error: z.string().optional(),
  /** Why a source that is ready is found by its words alone. */
  embedding_error: z.string().optional(),
  reference_source_link: z.string().optional(),
  question: z.string().optional(),
  answer: z.string().optional(),
});
export type SourceMeta = z.infer<typeof SourceMeta>;

const ReferenceLink = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

/** The form fields beside the file of an upload. */
export const UploadFields = z.strictObject({
  reference_source_link: ReferenceLink.optional(),
  meta_json: z
    .string()
    .max(10_000)
    .optional()
    .describe('A JSON object that holds reference_source_link, in place of the field.'),
});

export const UrlSourceCreate = z.strictObject({
  url: z.string().min(1).max(2048),
  reference_source_link: ReferenceLink.optional(),
});

export const QaSourceCreate = z.strictObject({
  question: z.string().trim().min(1).max(2000),
  answer: z.string().trim().min(1).max(20_000),
  reference_source_link: ReferenceLink.optional(),
});

export const DataSourceUpdate = z.strictObject({ title: z.string().trim().min(1).max(500) });

/** The outcome of a re-scrape, one for each uuid that was asked for. */
export const RescrapeResult = z.union([
  z.looseObject({ uuid: Uuid, status: z.string() }),
  z.looseObject({ uuid: Uuid, error: z.string() }),
]);
