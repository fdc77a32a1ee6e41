import { z } from 'zod';
import {
  failureFields,
  LooseList,
  LooseNumber,
  LooseObject,
  LooseText,
  LooseTexts,
  type StoredFailure,
  Timestamp,
  Uuid,
} from './fields.ts';

export const Message = z.looseObject({
  uuid: Uuid,
  query: LooseText,
  response: LooseText,
  /** See `parseCitations`. */
  cite_data_json: LooseText.describe(
    'A JSON string: for each marker (3.4 for [3.4] in the response), the data_source_uuid, title, text, file_name and type of the cited passage. {} if nothing is cited.',
  ),
  finish_reason: LooseText.describe(
    'stop; length if the reply was cut at its max length; empty while it streams, or if it was interrupted or failed.',
  ),
  meta_json: LooseText.describe(
    'A JSON string with the agent and model that answered, the tokens that took (actual_token_distribution, with prompt_tokens, completion_tokens and total_tokens), and flags. If the reply failed, error_code and error_params say the same as error_message as data, as code and params of an error do; other services lack them.',
  ),
  error_message: LooseText.describe('Why the reply failed; otherwise empty.'),
  session_documents: LooseTexts.describe('The uuids of the session documents used for the reply.'),
  labels: LooseTexts.describe(
    'The names of the tags that background agents gave the conversation.',
  ),
  background_pending_tasks: LooseNumber.describe(
    'Number of tasks that background agents still have to do for this message.',
  ),
  detected_frustrations: LooseList.describe('Always empty here. Other services may send JSON.'),
  feedback_json: LooseObject.describe('Always empty here. Other services may send JSON.'),
  created_at: Timestamp,
  modified_at: Timestamp,
});
export type Message = z.infer<typeof Message>;

const FailureMeta = z.looseObject(failureFields);

/** Why a reply failed; its sentence is '' if it did not fail. */
export function replyFailure({ error_message: error, meta_json: meta }: Message): StoredFailure {
  try {
    const { error_code: code, error_params: params } = FailureMeta.parse(JSON.parse(meta));
    return { error, code, params };
  } catch {
    return { error };
  }
}

/** How a list of messages is cut and sorted. Services without these parameters ignore them. */
export const MessageFilter = z.object({
  limit: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('Max number of messages, the first of the given order. All by default.'),
  order: z
    .enum(['asc', 'desc'])
    .optional()
    .describe('asc lists the oldest message first (the default), desc the newest.'),
});
export type MessageFilter = z.output<typeof MessageFilter>;

const query = z.string().min(1).max(100_000).regex(/\S/u, 'must not be blank');

const documents = z
  .array(Uuid)
  .max(100)
  .optional()
  .describe('Uploaded session documents, to use for this message and the session’s later ones.');

/** Existing clients send two more fields, which have no effect here. */
export const MessageCreate = z.strictObject({
  query,
  session_document_uuids: documents,
  stream: z.unknown().optional().describe('Ignored: the path decides.'),
  conversation_id: z.unknown().optional().describe('Ignored: the session decides.'),
});

export const MessageCreateWhole = z.strictObject({
  query,
  pre_canned_response: z
    .union([z.string().max(100_000), z.boolean()])
    .optional()
    .describe('Text becomes the reply; no agent is asked. true and false have no effect.'),
  direct_function_response: z
    .boolean()
    .optional()
    .describe('Accepted without effect: agents call no functions here.'),
  session_document_uuids: documents,
});

export const MessageAnswer = z.looseObject({ response: z.string() });

/** A file that is used in one session only. */
export const SessionDocument = z.looseObject({
  uuid: Uuid,
  file_name: LooseText,
  file_size: LooseNumber.describe('Bytes.'),
  created_at: Timestamp.nullish(),
});

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
 * The citations of a message by their marker, without its brackets (`3.4`). Empty if there are none,
 * or if the JSON is invalid: the reply is then shown without sources.
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
