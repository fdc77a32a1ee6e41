import { z } from 'zod';
import { readServerSentEvents } from '../../primitives/server-sent-events.ts';
import { AnswerError } from './answer-error.ts';

/**
 * A part of a completion. An event can have neither text nor an end, such as a model's reasoning.
 */
export interface CompletionPart {
  text: string;
  finishReason: string | undefined;
}

const Choice = z.looseObject({
  delta: z.looseObject({ content: z.string().nullish() }).nullish(),
  message: z.looseObject({ content: z.string().nullish() }).nullish(),
  finish_reason: z.string().nullish(),
});

const Completion = z.looseObject({
  choices: z.array(Choice).nullish(),
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
  const { choices, error } = Completion.parse(JSON.parse(json));
  if (error !== undefined && error !== null) throw new Error(JSON.stringify(error).slice(0, 500));
  const [choice] = choices ?? [];
  return {
    text: choice?.delta?.content ?? choice?.message?.content ?? '',
    finishReason: choice?.finish_reason ?? undefined,
  };
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
