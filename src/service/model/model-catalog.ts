import { request } from 'undici';
import { z } from 'zod';
import { fieldModels } from './field-models.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { parseJson } from '../../shared/primitives/text.ts';
import type { ModelServer } from '../../shared/primitives/model-server.ts';
import { toEndpoint, toHeaders } from './model-endpoint.ts';

/** What a model server says about its models. Rejects only with the signal's reason. */
export interface ModelCatalog {
  /**
   * How many tokens the model that answers for a name can read and write; undefined if unknown. A name
   * of the field also limits them.
   * @param model absent: the default model
   */
  contextTokens(model: string | undefined, signal: AbortSignal): Promise<number | undefined>;
  /** The default model, and those that the server lists, or last listed if it fails now. */
  list(signal: AbortSignal): Promise<string[]>;
}

const Tokens = z.number().int().positive().nullish().catch(undefined);

/** Servers' names for the context length: what is allocated comes before what the model was trained for. */
const Listed = z.looseObject({
  id: z.string(),
  owned_by: z.string().nullish().catch(undefined),
  /** vLLM, SGLang. */
  max_model_len: Tokens,
  /** LM Studio's own API. */
  loaded_context_length: Tokens,
  /** Groq. */
  context_window: Tokens,
  /** OpenRouter, Together. */
  context_length: Tokens,
  /** Mistral. */
  max_context_length: Tokens,
  /** llama.cpp; its `n_ctx_train` is not what was allocated. */
  meta: z.looseObject({ n_ctx: Tokens }).nullish().catch(undefined),
});
type Listed = z.output<typeof Listed>;

const ModelList = z.looseObject({ data: z.array(Listed) });

const OllamaRunning = z.looseObject({
  models: z.array(z.looseObject({ name: z.string(), context_length: Tokens })),
});

const OllamaModel = z.looseObject({
  parameters: z.string().nullish(),
  model_info: z.record(z.string(), z.unknown()).nullish(),
});

/** Ollama's smallest default (https://docs.ollama.com/context-length), and what is too little for long prompts. */
const ollamaDefault = 4096;
const smallContext = 16_000;
const timeoutMs = 3000;
const listTimeoutMs = 5000;
const maxListedModels = 1000;
const cacheMs = 10 * 60_000;
/** After a failure, the last known length is used for this long. */
const pauseMs = 30_000;

/**
 * A client of the server's lists of models. It asks for a context length once in ten minutes: in the
 * list of models, and otherwise in Ollama's or LM Studio's own API. A length that Ollama
 * has not allocated yet is asked for again.
 *
 * @param options.contextTokens what the operator says, instead of asking
 */
export function createModelCatalog(
  options: ModelServer & { contextTokens?: number },
  { log, now }: { log: Log; now: () => number },
): ModelCatalog {
  const { baseUrl, model: defaultModel } = options;
  const headers = toHeaders(options);
  const known = new Map<string, { tokens: number | undefined; untilMs: number }>();
  let lastListed: string[] = [];

  /** Undefined if the server has no such path, or answers something else there. */
  const read = async <Schema extends z.ZodType>(
    schema: Schema,
    url: string,
    signal: AbortSignal,
    body?: object,
  ): Promise<z.output<Schema> | undefined> => {
    const response = await request(url, {
      method: body ? 'POST' : 'GET',
      headers,
      body: body && JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await response.body.text();
    return response.statusCode === 200 ? schema.safeParse(parseJson(text)).data : undefined;
  };

  /** A path of the server beside its `/v1`. */
  const native = (path: string) => new URL(path, baseUrl).href;

  const askOllama = async (model: string, signal: AbortSignal) => {
    const running = await read(OllamaRunning, native('/api/ps'), signal);
    const loaded = running?.models.find(({ name }) => isSame(name, model))?.context_length;
    if (loaded) return { tokens: loaded, isSure: true };
    const shown = await read(OllamaModel, native('/api/show'), signal, { model });
    if (shown === undefined) return { tokens: undefined, isSure: true };
    const set = /^num_ctx\s+(\d+)/m.exec(shown.parameters ?? '')?.[1];
    if (set !== undefined) return { tokens: Number(set), isSure: true };
    const info = Object.entries(shown.model_info ?? {});
    const trained = info.find(([key]) => key.endsWith('.context_length'))?.[1];
    const tokens = typeof trained === 'number' ? Math.min(trained, ollamaDefault) : ollamaDefault;
    return { tokens, isSure: false };
  };

  const ask = async (asked: string, signal: AbortSignal) => {
    const list = await read(ModelList, toEndpoint(baseUrl, 'models'), signal);
    const find = (name: string) => list?.data.find(({ id }) => isSame(id, name));
    // The default model answers for one that the server doesn't have.
    const model = list && !find(asked) ? defaultModel : asked;
    return { model, ...(await askFor(model, find(model), signal)) };
  };

  const askFor = async (model: string, listed: Listed | undefined, signal: AbortSignal) => {
    const tokens = listed && toTokens(listed);
    if (tokens !== undefined) return { tokens, isSure: true };
    if (listed?.owned_by === 'organization_owner') {
      const own = await read(ModelList, native('/api/v0/models'), signal);
      const found = own?.data.find(({ id }) => id === model);
      return { tokens: found && toTokens(found), isSure: true };
    }
    // Ollama names the owner of its own library's models; others' models have other owners.
    const mayBeOllama = listed?.owned_by === 'library' || new URL(baseUrl).protocol === 'http:';
    return mayBeOllama ? askOllama(model, signal) : { tokens: undefined, isSure: true };
  };

  const askCached = async (model: string, signal: AbortSignal) => {
    const cached = known.get(model);
    if (cached && now() < cached.untilMs) return cached.tokens;
    try {
      const { model: answering, tokens, isSure } = await ask(model, signal);
      if (tokens !== undefined && tokens < smallContext && cached?.tokens !== tokens) {
        const message = 'the model has a small context: prompts are kept short for it';
        log.warn(
          { model: answering, contextTokens: tokens, variable: 'LLM_CONTEXT_TOKENS' },
          message,
        );
      }
      known.set(model, { tokens, untilMs: isSure ? now() + cacheMs : 0 });
      return tokens;
    } catch (error) {
      signal.throwIfAborted();
      log.debug({ err: error, model }, 'the model server could not be asked for its context');
      known.set(model, { tokens: cached?.tokens, untilMs: now() + pauseMs });
      return cached?.tokens;
    }
  };

  return {
    async contextTokens(model = defaultModel, signal) {
      const tokens = options.contextTokens ?? (await askCached(model, signal));
      const named = fieldModels.get(model)?.contextTokens;
      return named === undefined ? tokens : Math.min(named, tokens ?? named);
    },
    async list(signal) {
      try {
        const { statusCode, body } = await request(toEndpoint(baseUrl, 'models'), {
          headers,
          signal: AbortSignal.any([signal, AbortSignal.timeout(listTimeoutMs)]),
        });
        if (statusCode === 200) {
          const { data } = ModelList.parse(await body.json());
          lastListed = data.map(({ id }) => id).slice(0, maxListedModels);
        } else await body.dump();
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ err: error }, 'the model server did not list its models');
      }
      return [...new Set([defaultModel, ...lastListed])];
    },
  };
}

function toTokens(listed: Listed): number | undefined {
  return (
    listed.max_model_len ??
    listed.loaded_context_length ??
    listed.meta?.n_ctx ??
    listed.context_window ??
    listed.context_length ??
    listed.max_context_length ??
    undefined
  );
}

/** Ollama lists a model with its tag, which may be left out in requests. */
export function isSame(listed: string, model: string): boolean {
  return listed === model || listed === `${model}:latest`;
}
