import { type Dispatcher, request } from 'undici';
import { readUpTo } from '../../shared/primitives/bytes.ts';
import type { LanguageModelOptions } from '../../shared/primitives/model-server.ts';
import { parseRetryAfterMs } from '../../shared/primitives/retry.ts';
import { type Sleep, sleep as sleepFor } from '../../shared/primitives/time.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { toEndpoint, toHeaders } from './model-endpoint.ts';
import {
  AnswerError,
  isOutOfCredit,
  type Refusal,
  RefusalError,
  toFailure,
  toFinishReason,
  toRefusalError,
  UnknownModelError,
} from './answer-errors.ts';
import {
  adaptForm,
  type ChatMessage,
  type CompletionRequest,
  toBody,
  usualForm,
} from './chat-request.ts';
import {
  type CompletionPart,
  createReasoningFilter,
  readCompletion,
  type TokenUsage,
} from './completion.ts';
import { createStallWatch } from './stall-watch.ts';
import { createModelCatalog, type ModelCatalog } from './model-catalog.ts';

/** How long a reply may be silent, in ms. */
export interface ReplyLimits {
  /** From the question to the first text, or the first reasoning. */
  firstTextMs: number;
  /** Between texts. */
  textMs: number;
}

interface CompletionEnd {
  finishReason: 'stop' | 'length';
  /** The model that answered. */
  model: string;
  /** Absent: the server did not report it. */
  usage?: TokenUsage;
}

export interface LanguageModel extends ModelCatalog {
  defaultModel: string;
  /** Max tokens of a reply, if that is set. */
  maxTokens?: number;
  /**
   * Yields the completion's deltas, without reasoning, and returns how it ended.
   * @throws {AnswerError} or the signal's reason
   */
  complete(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<string, CompletionEnd>;
}

/** A local model may have to be loaded first. */
export const usualLimits: ReplyLimits = { firstTextMs: 120_000, textMs: 60_000 };
/** How long to wait after the end of an answer: its usage may follow. */
const afterEndMs = 2000;
const maxCharacters = 200_000;
const retryMs = 1000;
/** With a longer Retry-After, people are told instead. */
const maxRetryMs = 30_000;

/** A client of the server's `/chat/completions`. Its error messages go only to the log. */
export function createLanguageModel(
  options: LanguageModelOptions,
  parts: { log: Log; now: () => number; sleep?: Sleep; limits: ReplyLimits },
): LanguageModel {
  const { baseUrl, model: defaultModel, maxTokens } = options;
  const { log, sleep = sleepFor, limits } = parts;
  const headers = toHeaders(options);
  /** The form of request that each model accepted last. */
  const forms = new Map<string, typeof usualForm>();

  const send = (body: object, signal: AbortSignal) =>
    request(toEndpoint(baseUrl, 'chat/completions'), {
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream' },
      body: JSON.stringify(body),
      headersTimeout: 0,
      bodyTimeout: 0,
      signal,
    });

  /**
   * Repeats a request without what its model does not accept, and once if the server is busy or hangs
   * up: it may have restarted since the connection was opened.
   * @throws {RefusalError}
   * @throws {AnswerError} if it hangs up again
   */
  const post = async (completion: CompletionRequest & { model: string }, signal: AbortSignal) => {
    const { model, temperature = options.temperature } = completion;
    let form = forms.get(model) ?? usualForm;
    let isRetried = false;
    for (;;) {
      const body = toBody({ ...completion, temperature, maxTokens }, form);
      const response = await send(body, signal).catch((error: unknown) => {
        if (signal.aborted || !hasHungUp(error)) throw error;
        if (isRetried) throw new AnswerError('model_unreachable', { cause: error });
        return undefined;
      });
      if (response === undefined) {
        isRetried = true;
        continue;
      }
      if (response.statusCode === 200) {
        forms.set(model, form);
        return response;
      }
      const refusal = { status: response.statusCode, detail: await readSome(response.body) };
      const { location } = response.headers;
      const adapted = adaptForm(form, body, refusal);
      if (adapted) {
        log.info(
          { ...refusal, model },
          'the model refused a parameter: asked again in another form',
        );
        form = adapted;
        continue;
      }
      const waitMs = isRetried ? undefined : toRetryMs(refusal, response.headers);
      const error = toRefusalError(refusal, model);
      const fields = { ...refusal, model, location, problem: error.problem.code, waitMs };
      log.warn(fields, 'the model server refused a request');
      if (waitMs === undefined) throw error;
      isRetried = true;
      await sleep(waitMs, signal);
    }
  };

  /** If the agent's model belongs to another service, the default model answers instead. */
  const postOrDefault = async (completion: CompletionRequest, signal: AbortSignal) => {
    const { model = defaultModel, ...rest } = completion;
    try {
      return { model, response: await post({ model, ...rest }, signal) };
    } catch (error) {
      if (!(error instanceof UnknownModelError) || model === defaultModel) throw error;
      const response = await post({ model: defaultModel, ...rest }, signal);
      return { model: defaultModel, response };
    }
  };

  async function* stream(
    completion: CompletionRequest,
    watch: ReturnType<typeof createStallWatch>,
  ): AsyncGenerator<string, CompletionEnd> {
    watch.expectWithin(limits.firstTextMs);
    const { model, response } = await postOrDefault(completion, watch.signal);
    const contentType = String(response.headers['content-type'] ?? '');
    const reasoning = createReasoningFilter();
    let finishReason: string | undefined;
    let usage: TokenUsage | undefined;
    let isRefused = false;
    let characters = 0;
    try {
      for await (const part of untilEnd(readCompletion(response.body, contentType))) {
        if (finishReason === undefined && part.isAlive) watch.callOff();
        isRefused ||= part.isRefusal;
        usage = part.usage ?? usage;
        const text = reasoning.push(part.text);
        characters += text.length;
        if (text !== '') yield text;
        if (characters >= maxCharacters) {
          finishReason = 'length';
          break;
        }
        if (finishReason === undefined && part.finishReason !== undefined) {
          finishReason = part.finishReason;
          watch.expectWithin(afterEndMs);
        } else if (finishReason === undefined && part.isAlive) {
          watch.expectWithin(limits.textMs);
        }
      }
    } finally {
      response.body.on('error', () => undefined).destroy();
    }
    const rest = reasoning.end();
    if (rest !== '') yield rest;
    const isEmpty = characters + rest.length === 0;
    return { finishReason: toFinishReason(finishReason, { isEmpty, isRefused }), model, usage };
  }

  return {
    defaultModel,
    maxTokens,
    ...createModelCatalog(options, parts),

    async *complete(completion, signal) {
      const watch = createStallWatch(signal, parts.sleep);
      try {
        return yield* stream(completion, watch);
      } catch (error) {
        signal.throwIfAborted();
        const cause: unknown = watch.signal.aborted ? watch.signal.reason : error;
        const failure = toFailure(cause);
        const { model = defaultModel } = completion;
        if (!(cause instanceof RefusalError)) {
          const fields = { err: cause, model, problem: failure.problem.code };
          log.warn(fields, 'the model server failed');
        }
        throw failure;
      } finally {
        watch.callOff();
      }
    },
  };
}

/** Once the answer has ended, it no longer matters what becomes of its connection. */
async function* untilEnd(
  parts: AsyncGenerator<CompletionPart, void>,
): AsyncGenerator<CompletionPart, void> {
  let hasEnded = false;
  try {
    for await (const part of parts) {
      hasEnded ||= part.finishReason !== undefined;
      yield part;
    }
  } catch (error) {
    if (!hasEnded) throw error;
  }
}

/** Whether the server closed the connection without a response. */
function hasHungUp(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

/** How long to wait before the only retry; undefined if a retry cannot help soon. */
function toRetryMs(
  refusal: Refusal,
  headers: Record<string, string | string[] | undefined>,
): number | undefined {
  const isBusy = refusal.status === 429 || refusal.status === 503;
  if (!isBusy || isOutOfCredit(refusal)) return undefined;
  const header = String(headers['retry-after'] ?? '');
  const waitMs = parseRetryAfterMs(header, Date.now()) ?? retryMs;
  return waitMs <= maxRetryMs ? waitMs : undefined;
}

/** Enough of an error's body to tell what it means. */
async function readSome(body: Dispatcher.ResponseData['body']): Promise<string> {
  return new TextDecoder().decode(await readUpTo(body, 4000));
}

/**
 * A completion as one text, for background work.
 * @throws {AnswerError} as `complete` does
 */
export async function completeWhole(
  model: LanguageModel,
  request: { messages: ChatMessage[]; model?: string },
  signal: AbortSignal,
): Promise<string> {
  return (await Array.fromAsync(model.complete(request, signal))).join('');
}
