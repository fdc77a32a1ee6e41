import { request } from 'undici';
import { retry } from '../../primitives/retry.ts';
import type { Sleep } from '../../primitives/sleep.ts';
import type { Log } from '../log.ts';
import { EmbeddingError, parseVectors } from './embedding-vectors.ts';

/** A server with OpenAI's `/embeddings`. */
export interface EmbedderOptions {
  /** Such as `https://api.openai.com/v1`. */
  baseUrl: string;
  apiKey?: string;
  model: string;
}

export interface Embedder {
  model: string;
  /**
   * A unit vector for each text, in order. Sent in batches, and retried when the server fails.
   * @throws {EmbeddingError} or the signal's reason
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
  /** A query's unit vector; undefined if it takes too long, because someone is waiting. */
  embedQuery(text: string, signal: AbortSignal): Promise<Float32Array | undefined>;
}

const batchSize = 64;
const batchTimeoutMs = 30_000;
const queryTimeoutMs = 3000;
/** Max characters sent of a text: models read only a few hundred words. */
const maxCharacters = 8000;
const maxBytes = 32 * 1024 * 1024;
const retryDelaysMs = [500, 1000, 2000];
const maxRetryMs = 30_000;
/** After a failure, queries skip the embedder for this long. */
const pauseMs = 30_000;

/** A client of `options.baseUrl`. The server's error messages go only to the log. */
export function createEmbedder(
  options: EmbedderOptions,
  parts: {
    log: Log;
    now: () => number;
    sleep: Sleep;
  },
): Embedder {
  const { baseUrl, apiKey, model } = options;
  const { log, now, sleep } = parts;
  const address = `${baseUrl.replace(/\/+$/, '')}/embeddings`;
  const headers = {
    'content-type': 'application/json',
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
  };
  let queriesRestUntilMs = 0;
  let batchesRestUntilMs = 0;

  /** @throws {RefusedError} when the server returns an error */
  const post = async (texts: readonly string[], timeoutMs: number, signal: AbortSignal) => {
    const input = texts.map((text) => text.slice(0, maxCharacters).toWellFormed());
    const {
      statusCode,
      headers: got,
      body,
    } = await request(address, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model, input, encoding_format: 'float' }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await readText(body);
    if (statusCode === 200) return parseVectors(text, texts.length);
    log.warn({ status: statusCode, detail: text.slice(0, 500), model }, 'the embedder refused');
    throw new RefusedError(statusCode, Number(got['retry-after']) * 1000);
  };

  const postBatch = async (texts: readonly string[], signal: AbortSignal) => {
    try {
      return await retry(() => post(texts, batchTimeoutMs, signal), {
        sleep,
        signal,
        waitMs: (error, failures) => (signal.aborted ? undefined : retryDelayMs(error, failures)),
      });
    } catch (error) {
      signal.throwIfAborted();
      if (isPassing(error)) batchesRestUntilMs = now() + pauseMs;
      throw toEmbeddingError(error);
    }
  };

  return {
    model,
    async embed(texts, signal) {
      if (now() < batchesRestUntilMs) throw toEmbeddingError(undefined);
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += batchSize) {
        vectors.push(...(await postBatch(texts.slice(from, from + batchSize), signal)));
      }
      return vectors;
    },
    async embedQuery(text, signal) {
      if (now() < queriesRestUntilMs) return undefined;
      try {
        return (await post([text], queryTimeoutMs, signal))[0];
      } catch (error) {
        signal.throwIfAborted();
        queriesRestUntilMs = now() + pauseMs;
        log.warn({ err: error }, 'a query was answered by its words alone: the embedder failed');
        return undefined;
      }
    },
  };
}

class RefusedError extends Error {
  readonly status: number;
  /** 0 if the server gave none. */
  readonly retryAfterMs: number;

  constructor(status: number, retryAfterMs: number) {
    super(`The embedder answered ${status}`);
    this.status = status;
    this.retryAfterMs = Number.isFinite(retryAfterMs) ? retryAfterMs : 0;
  }
}

/** Whether a retry may succeed. */
function isPassing(error: unknown): boolean {
  if (error instanceof EmbeddingError) return false;
  return error instanceof RefusedError ? /^(?:408|429|5..)$/.test(String(error.status)) : true;
}

function retryDelayMs(error: unknown, failures: number): number | undefined {
  const delayMs = retryDelaysMs[failures - 1];
  if (delayMs === undefined || !isPassing(error)) return undefined;
  const wantedMs = error instanceof RefusedError ? error.retryAfterMs : 0;
  return Math.max(delayMs, Math.min(wantedMs, maxRetryMs));
}

function toEmbeddingError(error: unknown): EmbeddingError {
  if (error instanceof EmbeddingError) return error;
  const reason =
    error instanceof RefusedError
      ? `answered ${error.status}`
      : 'could not be reached or broke off';
  return new EmbeddingError(
    `The embeddings server ${reason}: this source is found by its words alone until it can be tried again.`,
    { cause: error },
  );
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maxBytes) throw new EmbeddingError('The embeddings server sent too much.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
