import { z } from 'zod';
import { readServerSentEvents } from '../../shared/primitives/server-sent-events.ts';
import { AnswerError } from './answer-error.ts';

/** A part of a completion. */
export interface CompletionPart {
  text: string;
  /** Whether the model works: it gave text, or reasoning, which is not shown. */
  isAlive: boolean;
  /** Whether the text tells why the model does not answer. */
  isRefusal: boolean;
  finishReason: string | undefined;
  /** What the server counted, which comes with one part or none. */
  usage: TokenUsage | undefined;
}

/** How many tokens a request and its reply took. */
export interface TokenUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/** The server gave an error in place of an answer, or within one. */
export class CompletionError extends Error {
  override name = 'CompletionError';
  /** An HTTP status, if the error holds one. */
  readonly status: number | undefined;
  readonly detail: string;

  constructor(error: unknown) {
    const detail = JSON.stringify(error).slice(0, 4000);
    super(`The model server gave an error: ${detail.slice(0, 500)}`);
    this.detail = detail;
    this.status = ErrorWithStatus.safeParse(error).data;
  }
}

/** OpenRouter and others give a status as `code`. */
const ErrorWithStatus = z
  .looseObject({ code: z.coerce.number().int().min(400).max(599) })
  .transform(({ code }) => code);

/** Text, or parts of which some hold text, as Mistral's reasoning models give them. */
const Content = z.union([
  z.string(),
  z.array(
    z.looseObject({
      type: z.string().nullish(),
      text: z.string().nullish(),
      refusal: z.string().nullish(),
    }),
  ),
]);

const Said = z.looseObject({
  content: Content.nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.unknown().optional(),
  reasoning: z.unknown().optional(),
});

const Choice = z.looseObject({
  delta: Said.nullish(),
  message: Said.nullish(),
  finish_reason: z.string().nullish(),
});

const Count = z.number().int().min(0);
const Usage = z
  .object({ prompt_tokens: Count, completion_tokens: Count, total_tokens: Count })
  .optional()
  .catch(undefined);

const Completion = z.looseObject({
  choices: z.array(Choice).nullish(),
  usage: Usage,
  error: z.unknown().optional(),
});

/** Max length of all events. Anything longer is not a useful answer. */
const maxCharacters = 32 * 1024 * 1024;

/**
 * Reads the response of `/chat/completions`: events if it streams, or one object if the server
 * doesn't stream.
 * @throws {Error} when the body is neither, contains an error, or breaks off
 */
export async function* readCompletion(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncGenerator<CompletionPart, void> {
  if (/^application\/json\b/i.test(contentType)) {
    yield parsePart(await readWhole(body));
    return;
  }
  let hasEnd = false;
  let isEmpty = true;
  let characters = 0;
  for await (const data of readServerSentEvents(body, tooLarge)) {
    if (data.trim() === '[DONE]') return;
    characters += data.length;
    if (characters > maxCharacters) throw new Error('The completion is too large');
    const part = parsePart(data);
    hasEnd ||= part.finishReason !== undefined;
    isEmpty = false;
    yield part;
  }
  if (isEmpty) {
    throw new AnswerError('model_not_there');
  }
  if (!hasEnd) throw new AnswerError('model_broke_off');
}

const tooLarge = () => new Error('An event of the stream is too large');

function parsePart(json: string): CompletionPart {
  const { choices, usage, error } = Completion.parse(JSON.parse(json));
  if (error !== undefined && error !== null) throw new CompletionError(error);
  const [choice] = choices ?? [];
  const said = choice?.delta ?? choice?.message ?? {};
  const { text, refusal } = readContent(said.content ?? '');
  const shown = text + refusal + (said.refusal ?? '');
  return {
    text: shown,
    isAlive: shown !== '' || hasReasoning(said),
    isRefusal: shown.length > text.length,
    finishReason: choice?.finish_reason ?? undefined,
    usage,
  };
}

function readContent(content: z.output<typeof Content>): { text: string; refusal: string } {
  if (typeof content === 'string') return { text: content, refusal: '' };
  const texts = content.filter(({ type }) => type === 'text' || type === 'output_text' || !type);
  return {
    text: texts.map(({ text }) => text ?? '').join(''),
    refusal: content.map(({ refusal }) => refusal ?? '').join(''),
  };
}

function hasReasoning({ content, reasoning, reasoning_content: more }: z.output<typeof Said>) {
  return Boolean(reasoning) || Boolean(more) || (Array.isArray(content) && content.length > 0);
}

async function readWhole(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of body) {
    text += decoder.decode(part, { stream: true });
    if (text.length > maxCharacters) throw new Error('The completion is too large');
  }
  return text + decoder.decode();
}
