import { z } from 'zod';
import {
  failureFields,
  LooseNumber,
  LooseText,
  LooseTexts,
  LooseValues,
  type StoredFailure,
  Timestamp,
  Uuid,
} from './fields.ts';

export const Session = z.looseObject({
  uuid: Uuid,
  created_at: Timestamp,
  modified_at: Timestamp,
  initial_variables: LooseValues.describe(
    'The initial variables that the session was created with, if any.',
  ),
  variables: LooseValues.describe(
    'The known values of the agent’s variables: the initial ones, and those found in the conversation.',
  ),
});
export type Session = z.infer<typeof Session>;

/** The interface writes them as 2024-09-12T00:19:12.000Z (§4.15). */
const FilterTimestamp = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be a time or a date, like 2024-09-12T00:19:12.000Z or 2024-09-12',
});

export const SessionFilter = z.object({
  start_timestamp: FilterTimestamp.optional().describe(
    'Only sessions created at this time or later, such as 2024-09-12T00:19:12.000Z, or on this day in UTC or later.',
  ),
  end_timestamp: FilterTimestamp.optional().describe(
    'Only sessions created at this time or earlier, such as 2024-09-12T00:19:12.000Z, or on this day in UTC or earlier.',
  ),
});
export type SessionFilter = z.infer<typeof SessionFilter>;

const Scalar = z.union([z.string().max(2000), z.number(), z.boolean()]);

/** The interface has no body here; the field accepts initial values for the agent's variables. */
export const SessionCreate = z.strictObject({
  initial_variables: z
    .record(z.string().max(200), Scalar)
    .optional()
    .describe('Initial values of the agent’s variables.'),
});

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
    'A JSON string with the agent and model that answered, the tokens that took (actual_token_distribution, with prompt_tokens, completion_tokens and total_tokens), the page of each citation and when its source was last read (cited, by marker), and flags: unanswered if it found no answer, weak if it may not answer the question. If the reply failed, error_code and error_params say the same as error_message as data, as code and params of an error do; other services lack them.',
  ),
  error_message: LooseText.describe('Why the reply failed; otherwise empty.'),
  session_documents: LooseTexts.describe('The uuids of the session documents used for the reply.'),
  labels: LooseTexts.describe(
    'The names of the tags that background agents gave the conversation.',
  ),
  background_pending_tasks: LooseNumber.describe(
    'Number of tasks that background agents still have to do for this message.',
  ),
  detected_frustrations: z
    .union([z.array(z.unknown()), z.string(), z.null()])
    .optional()
    .describe('Always empty here. Other services may send JSON.'),
  feedback_json: z
    .union([z.record(z.string(), z.unknown()), z.string(), z.null()])
    .optional()
    .describe('Always empty here. Other services may send JSON.'),
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

/** A query sent again with its key gives the reply that it has, instead of another one. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters');

export const MessageStop = z.strictObject({
  idempotency_key: IdempotencyKey.describe('The Idempotency-Key that the query was sent with.'),
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

/** A query, and the conversation of people before it, one message per line. */
export interface QueryInContext {
  query: string;
  context?: string;
}

const opening = '(People talked here meanwhile:\n';
const closing = '\nWhat follows is said to you.)\n\n';

/** Joins both into one text that a language model can read, because the interface has no context field. */
export function joinContext({ query, context }: QueryInContext): string {
  return context ? opening + context + closing + query : query;
}

/** Splits a joined text into its query and context. Any other text is a query alone. */
export function splitContext(text: string): QueryInContext {
  // People may write the closing words too; the last ones come from `joinContext`.
  const end = text.startsWith(opening) ? text.lastIndexOf(closing) : -1;
  const query = text.slice(end + closing.length);
  if (end === -1 || query === '') return { query: text };
  return { query, context: text.slice(opening.length, end) };
}
