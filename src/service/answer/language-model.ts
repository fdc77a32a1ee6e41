import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import type { Log } from '../log.ts';
import { AnswerError } from './answer-error.ts';
import { readCompletion } from './completion.ts';
import { toFailure, toRefusalError, UnknownModelError } from './model-failure.ts';
import type { StartTimer } from '../start-timer.ts';
import { createStallWatch, type StallWatch } from './stall-watch.ts';

/** A server with OpenAI's `/chat/completions`. */
export interface LanguageModelOptions {
  /** Such as `https://api.openai.com/v1`. */
  baseUrl: string;
  apiKey?: string;
  /** For agents without a model, and those whose model the server does not know. */
  model: string;
}

/** A message for `/chat/completions`. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

interface CompletionRequest {
  messages: ChatMessage[];
  /** Absent: the default model. */
  model?: string;
  temperature: number;
}

interface CompletionEnd {
  finishReason: 'stop' | 'length';
  /** The model that answered. */
  model: string;
}

export interface LanguageModel {
  defaultModel: string;
  /**
   * Yields the completion's deltas and returns how it ended.
   * @throws {AnswerError} or the signal's reason
   */
  complete(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<string, CompletionEnd>;
  /** The models that the server lists; only the default if it lists none. */
  list(signal: AbortSignal): Promise<string[]>;
}

const ModelList = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

/** A local model may have to be loaded first. */
const firstEventTimeoutMs = 120_000;
const eventTimeoutMs = 60_000;
const listTimeoutMs = 5000;
const maxCharacters = 200_000;
const maxListedModels = 1000;

/** A client of `options.baseUrl`. The server's error messages go only to the log. */
export function createLanguageModel(
  options: LanguageModelOptions,
  parts: { log: Log; startTimer: StartTimer },
): LanguageModel {
  const { baseUrl, apiKey, model: defaultModel } = options;
  const { log, startTimer } = parts;
  const base = baseUrl.replace(/\/+$/, '');
  const headers = {
    'content-type': 'application/json',
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
  };

  const post = async (body: CompletionRequest & { model: string }, watch: StallWatch) => {
    const response = await watch.during(
      firstEventTimeoutMs,
      request(`${base}/chat/completions`, {
        method: 'POST',
        headers: { ...headers, accept: 'text/event-stream' },
        body: JSON.stringify({ ...body, stream: true }),
        headersTimeout: 0,
        bodyTimeout: 0,
        signal: watch.signal,
      }),
    );
    if (response.statusCode === 200) return response;
    const detail = await watch.during(eventTimeoutMs, readSome(response.body));
    const { model } = body;
    log.warn({ status: response.statusCode, detail, model }, 'the model server refused a request');
    throw toRefusalError(response.statusCode, detail, model);
  };

  /** If the agent's model belongs to another service, the default model answers instead. */
  const postOrDefault = async (completion: CompletionRequest, watch: StallWatch) => {
    const { model = defaultModel, ...rest } = completion;
    try {
      return { model, response: await post({ model, ...rest }, watch) };
    } catch (error) {
      if (!(error instanceof UnknownModelError) || model === defaultModel) throw error;
      const response = await post({ model: defaultModel, ...rest }, watch);
      return { model: defaultModel, response };
    }
  };

  async function* stream(
    completion: CompletionRequest,
    watch: StallWatch,
  ): AsyncGenerator<string, CompletionEnd> {
    const { model, response } = await postOrDefault(completion, watch);
    const contentType = String(response.headers['content-type'] ?? '');
    const parts = readCompletion(response.body, contentType);
    let finishReason: string | undefined;
    let characters = 0;
    try {
      for (let limitMs = firstEventTimeoutMs; ; limitMs = eventTimeoutMs) {
        const { done, value } = await watch.during(limitMs, parts.next());
        if (done) break;
        finishReason = value.finishReason ?? finishReason;
        if (value.text === '') continue;
        characters += value.text.length;
        yield value.text;
        if (characters < maxCharacters) continue;
        finishReason = 'length';
        break;
      }
    } finally {
      response.body.on('error', () => undefined).destroy();
    }
    if (characters === 0) {
      throw new AnswerError('model_gave_nothing');
    }
    return { finishReason: finishReason === 'length' ? 'length' : 'stop', model };
  }

  return {
    defaultModel,

    async *complete(completion, signal) {
      const watch = createStallWatch(signal, startTimer);
      try {
        return yield* stream(completion, watch);
      } catch (error) {
        signal.throwIfAborted();
        const failure = toFailure(watch.signal.aborted ? watch.signal.reason : error);
        if (failure !== error) log.warn({ err: error }, 'the model server failed');
        throw failure;
      }
    },

    async list(signal) {
      try {
        const { statusCode, body } = await request(`${base}/models`, {
          headers,
          signal: AbortSignal.any([signal, AbortSignal.timeout(listTimeoutMs)]),
        });
        if (statusCode !== 200) {
          await body.dump();
          return [defaultModel];
        }
        const { data } = ModelList.parse(await body.json());
        const listed = data.map(({ id }) => id).slice(0, maxListedModels);
        return [...new Set([defaultModel, ...listed])];
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ err: error }, 'the model server did not list its models');
        return [defaultModel];
      }
    },
  };
}

/** Enough of an error's body to tell what it means. */
async function readSome(body: Dispatcher.ResponseData['body']): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of body as AsyncIterable<Uint8Array>) {
    text += decoder.decode(part, { stream: true });
    if (text.length > 4000) break;
  }
  return text.slice(0, 4000);
}
