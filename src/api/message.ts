import { z } from 'zod';
import { LooseText, Timestamp, Uuid } from './fields.ts';

export const Message = z.looseObject({
  uuid: Uuid,
  query: LooseText,
  response: LooseText,
  /** A JSON string: see `parseCitations`. */
  cite_data_json: LooseText,
  /** `stop`, or `length` where the reply was cut. */
  finish_reason: LooseText,
  meta_json: LooseText,
  error_message: LooseText,
  created_at: Timestamp,
  modified_at: Timestamp,
});
export type Message = z.infer<typeof Message>;

export const MessageCreate = z.strictObject({
  query: z.string().min(1, 'must not be empty').max(100_000),
});

export const MessageCreateWhole = z.strictObject({
  ...MessageCreate.shape,
  pre_canned_response: z.string().max(100_000).optional(),
  direct_function_response: z.boolean().optional(),
  session_document_uuids: z.array(Uuid).max(100).optional(),
});

export const MessageAnswer = z.looseObject({ response: z.string() });

/** A file that counts for one session only. */
export const SessionDocument = z.looseObject({ uuid: Uuid });

/** What a marker like [3.4] in a reply refers to. */
export const Citation = z.looseObject({
  data_source_uuid: LooseText,
  title: LooseText,
  text: LooseText,
  file_name: LooseText,
  type: LooseText,
});
export type Citation = z.infer<typeof Citation>;

/**
 * The citations of a message by their marker, without its brackets (`3.4`). Empty where there are
 * none, and where the field's JSON is not what it should be: a reply stands without its sources.
 */
export function parseCitations(citeDataJson: string): Map<string, Citation> {
  try {
    const entries = z
      .record(z.string(), Citation.catch(emptyCitation))
      .parse(JSON.parse(citeDataJson));
    return new Map(Object.entries(entries));
  } catch {
    return new Map();
  }
}

const emptyCitation: Citation = {
  data_source_uuid: '',
  title: '',
  text: '',
  file_name: '',
  type: '',
};
