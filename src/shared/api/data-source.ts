import { z } from 'zod';
import {
  failureFields,
  HexColor,
  looseList,
  LooseNumber,
  LooseText,
  Name,
  type StoredFailure,
  Timestamp,
  Unchanged,
  unchangedFields,
  Uuid,
} from './fields.ts';

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
      'await, chunking, embedding, then success; on failure, fail or error:storage. meta_json may hold the finer stage. Other services have other words too.',
    ),
  type: z.string().describe('upload, link or qa. Other values are possible.'),
  /** Some clients have seen an object instead. */
  meta_json: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
    .optional()
    .transform((value) => (typeof value === 'string' ? value : JSON.stringify(value ?? {})))
    .describe(
      'A JSON string with reference_source_link, the question and answer of a qa source, stage, what is done at the moment (downloading, extracting or indexing), text_from, the time of the text that the chatbot still answers from while the source is not ready, and error, the reason for a failure. error_code and error_params say the same as data, as code and params of an error do; other services lack them.',
    ),
  created_at: Timestamp,
  modified_at: Timestamp,
});
export type DataSource = z.infer<typeof DataSource>;

/** The words for a source's status that clients know. This service uses no others. */
export type SourceStatus =
  | 'await'
  | 'chunking'
  | 'embedding'
  | 'success'
  | 'fail'
  | 'error:storage'
  | 'error:token';

/**
 * What a source's status means to someone waiting for it. The field has fourteen values and may add
 * more, so an unknown one counts as waiting.
 */
export function sourceProgress(status: string): 'waiting' | 'ready' | 'failed' {
  if (status === 'success') return 'ready';
  return status === 'fail' || status.startsWith('error') ? 'failed' : 'waiting';
}

/** What is being done with a waiting source: the finer stage in its meta_json, or its status. */
export function sourceStage(source: DataSource): string {
  return sourceMeta(source).stage ?? source.status;
}

/** Why a source failed, from its meta_json; its sentence is '' if no reason is given. */
export function sourceFailure(source: DataSource): StoredFailure {
  const { error = '', error_code: code, error_params: params } = sourceMeta(source);
  return { error, code, params };
}

/** The contents of a source's meta_json; empty if it can't be parsed. */
export function sourceMeta(source: DataSource): SourceMeta {
  try {
    return SourceMeta.parse(JSON.parse(source.meta_json));
  } catch {
    return {};
  }
}

/** What the service stores in a source's meta_json. */
const SourceMeta = z.looseObject({
  /** What is being done with it, where its status does not say it. */
  stage: z.string().optional().catch(undefined),
  error: z.string().optional(),
  ...failureFields,
  /** While it is not ready: since when the text is stored that the chatbot still answers from. */
  text_from: z.string().optional().catch(undefined),
  /** Why search finds this ready source by its words only, or in part. */
  embedding_error: z.string().optional(),
  embedding_code: failureFields.error_code,
  embedding_params: failureFields.error_params,
  /** How many of its passages search finds by meaning too, and how many the model refused. */
  embedded: z
    .looseObject({ passages: z.number(), vectors: z.number(), refused: z.number() })
    .optional()
    .catch(undefined),
  reference_source_link: z.string().optional(),
  question: z.string().optional(),
  answer: z.string().optional(),
});
export type SourceMeta = z.infer<typeof SourceMeta>;

const linkError = 'must be an http or https address';

/** Clients send an empty one, or null, where they have none. */
const ReferenceLink = z
  .union([z.url({ protocol: /^https?$/, error: linkError }), z.literal(['', null])], {
    error: linkError,
  })
  .transform((link) => link || undefined);

/** The form fields of an upload, besides the file. */
export const UploadFields = z.strictObject({
  reference_source_link: ReferenceLink.optional(),
  meta_json: z
    .string()
    .max(10_000)
    .optional()
    .describe('A JSON object with reference_source_link, as an alternative to the field.'),
  filename: z.string().optional().describe('Ignored: the file itself has a name.'),
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

export const DataSourceUpdate = z.strictObject({
  title: z.string().trim().min(1).max(500),
  ...unchangedFields,
  file_name: Unchanged,
  file_size: Unchanged,
  tokens: Unchanged,
  status: Unchanged,
  type: Unchanged,
  meta_json: Unchanged,
});

/** Our own: other services lack it. */
export const SourceQuestions = z.looseObject({
  questions: z
    .array(z.string())
    .describe(
      'Up to three questions that the chatbot answers from the source; none until it is ready.',
    ),
});

/** The result of a re-scrape, one per requested uuid. */
export const RescrapeResult = z.union([
  z.looseObject({ uuid: Uuid, status: z.string() }),
  z.looseObject({ uuid: Uuid, error: z.string() }),
]);

export const SourceTag = z.looseObject({
  uuid: Uuid,
  name: LooseText,
  color: LooseText,
  data_source_uuids: looseList(Uuid),
  created_at: Timestamp,
  modified_at: Timestamp,
});
export type SourceTag = z.infer<typeof SourceTag>;

const sources = z.array(Uuid).max(10_000).optional();

export const SourceTagCreate = z.strictObject({
  name: Name,
  color: HexColor,
  data_source_uuids: sources,
});
export type SourceTagCreate = z.infer<typeof SourceTagCreate>;

export const SourceTagUpdate = z.strictObject({
  name: Name.optional(),
  color: HexColor.optional(),
  data_source_uuids: sources,
  ...unchangedFields,
});
