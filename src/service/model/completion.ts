import { z } from 'zod';
import { readUpTo } from '../../shared/primitives/bytes.ts';
import { readServerSentEvents } from '../../shared/primitives/server-sent-events.ts';
import { AnswerError, CompletionError } from './answer-errors.ts';

/** A part of a completion. */
export interface CompletionPart {
  text: string;
  /** Whether the model is working: it sent text, or reasoning, which is not shown. */
  isAlive: boolean;
  /** Whether the text tells why the model does not answer. */
  isRefusal: boolean;
  finishReason: string | undefined;
  /** The server's count, in at most one of the parts. */
  usage: TokenUsage | undefined;
}

/** Text, or parts, some of which hold text, as from Mistral's reasoning models. */
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
  /** Before the end, some servers send '' or 'null'. */
  finish_reason: z
    .string()
    .nullish()
    .transform((reason) => (reason === '' || reason === 'null' ? undefined : reason)),
});

const Count = z.number().int().min(0);
/** How many tokens a request and its reply took. */
const TokenUsage = z.object({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
});
export type TokenUsage = z.output<typeof TokenUsage>;

const Completion = z.looseObject({
  choices: z.array(Choice).nullish(),
  usage: TokenUsage.optional().catch(undefined),
  error: z.unknown().optional(),
});

/** Max length of a completion. Anything longer is not a useful answer. */
const maxLength = 32 * 1024 * 1024;

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
    yield parsePart(new TextDecoder().decode(await readUpTo(body, maxLength, tooLong)));
    return;
  }
  let hasEnd = false;
  let isEmpty = true;
  let characters = 0;
  for await (const data of readServerSentEvents(body, tooLarge)) {
    if (data.trim() === '[DONE]') return;
    characters += data.length;
    if (characters > maxLength) throw tooLong();
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

const tooLong = () => new Error('The completion is too large');
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

/** How models mark their reasoning at the start of a text. */
const marks = [
  { open: '<think>', close: '</think>', closePattern: /<\/think>/i },
  { open: '<thinking>', close: '</thinking>', closePattern: /<\/thinking>/i },
  { open: '[think]', close: '[/think]', closePattern: /\[\/think\]/i },
];

/** More white space than this before reasoning is text. */
const maxBlank = 200;

/**
 * Removes the reasoning that a text begins with, and the white space around it. Reasoning without an
 * end is removed whole. Reads each character a bounded number of times, wherever the deltas are cut.
 */
export function createReasoningFilter() {
  let held = '';
  /** The mark that began the reasoning; undefined outside it. */
  let open: (typeof marks)[number] | undefined;
  let isText = false;
  let hasReasoned = false;

  const release = (): string => {
    const text = held;
    held = '';
    return text;
  };

  /** Reads on in the reasoning; false if it needs more text. */
  const leave = ({ close, closePattern }: (typeof marks)[number]): boolean => {
    const found = closePattern.exec(held);
    // The rest of the mark may still come.
    held = found ? held.slice(found.index + close.length) : held.slice(1 - close.length);
    if (found) open = undefined;
    return found !== null;
  };

  /** Reads on at the start of the text; false if that needs more text, or is no reasoning. */
  const enter = (): boolean => {
    const start = held.trimStart();
    open = marks.find((mark) => start.slice(0, mark.open.length).toLowerCase() === mark.open);
    if (open) {
      held = start.slice(open.open.length);
      hasReasoned = true;
      return true;
    }
    if (hasReasoned) held = start;
    const begun = start.toLowerCase();
    isText = held.length > maxBlank || !marks.some((mark) => mark.open.startsWith(begun));
    return false;
  };

  return {
    /** Takes the next delta, and returns what is final. */
    push(delta: string): string {
      if (isText) return delta;
      held += delta;
      while (open ? leave(open) : enter());
      return isText ? release() : '';
    },
    /** The rest that was held back. */
    end(): string {
      const rest = release();
      return open || rest.trim() === '' ? '' : rest;
    },
  };
}
