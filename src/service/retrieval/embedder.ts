import { request } from 'undici';
import { readUpTo } from '../../shared/primitives/bytes.ts';
import type { ModelServer } from '../../shared/primitives/model-server.ts';
import { growingWaitMs, parseRetryAfterMs, retry } from '../../shared/primitives/retry.ts';
import type { Sleep } from '../../shared/primitives/time.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { toEndpoint, toHeaders } from '../model/model-endpoint.ts';
import {
  EmbeddingError,
  isTooMuch,
  parseVectors,
  EmbedderRefusal,
  toEmbeddingError,
} from './embedding-response.ts';
import { leansOnPrevious, type SearchedQuery } from './search-query.ts';

export interface Embedder {
  model: string;
  /**
   * A unit vector for each text, in order; undefined for a text that the server refuses even when
   * shortened. Sent in batches as large as the server takes, and retried when it fails.
   * @throws {EmbeddingError} or the signal's reason
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]>;
  /** A query's unit vector; undefined if it takes too long, because someone is waiting. */
  embedQuery(text: string, signal: AbortSignal): Promise<Float32Array | undefined>;
}

const maxBatchSize = 64;
/** No useful response is longer. */
const maxBytes = 32 * 1024 * 1024;
const batchTimeoutMs = 30_000;
const queryTimeoutMs = 3000;
/** Max characters sent of a text: models read only a few hundred words. */
const maxCharacters = 8000;
/** A refused text is not shortened below this. */
const minCharacters = 32;
const maxRetries = 3;
const retryWaits = { firstMs: 500 };
const maxRetryMs = 30_000;
/** After so many failures in a row, queries skip the embedder for a while. */
const maxQueryFailures = 3;
/** How long a server that is away is not asked. */
const pauseMs = 30_000;

/** A client of the server's `/embeddings`. Its error messages go only to the log. */
export function createEmbedder(
  options: ModelServer,
  parts: {
    log: Log;
    now: () => number;
    sleep: Sleep;
  },
): Embedder {
  const { model } = options;
  const { log, now, sleep } = parts;
  const address = toEndpoint(options.baseUrl, 'embeddings');
  const headers = toHeaders(options);
  /** How many texts the server accepts at once, as far as known. */
  let batchSize = maxBatchSize;
  let refusals = 0;
  let queryFailures = 0;
  let queriesRestUntilMs = 0;
  let batchesRestUntilMs = 0;

  /** @throws {EmbedderRefusal} when the server returns an error */
  const post = async (texts: readonly string[], timeoutMs: number, signal: AbortSignal) => {
    const input = texts.map((text) => text.slice(0, maxCharacters).toWellFormed());
    const response = await request(address, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model, input, encoding_format: 'float' }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const { statusCode: status } = response;
    const tooLarge = () => new EmbeddingError('embeddings_wrong');
    const text = (await readUpTo(response.body, maxBytes, tooLarge)).toString();
    if (status === 200) return parseVectors(text, texts.length);
    log.warn({ status, detail: text.slice(0, 500), model }, 'the embedder refused');
    const retryAfter = String(response.headers['retry-after'] ?? '');
    throw new EmbedderRefusal(status, text, parseRetryAfterMs(retryAfter, Date.now()));
  };

  /** @throws {EmbedderRefusal} when it is too much for the server */
  const postBatch = async (texts: readonly string[], signal: AbortSignal) => {
    try {
      return await retry(() => post(texts, batchTimeoutMs, signal), {
        sleep,
        signal,
        waitMs: (error, failures) => (signal.aborted ? undefined : retryDelayMs(error, failures)),
      });
    } catch (error) {
      signal.throwIfAborted();
      if (isTooMuch(error)) throw error;
      if (isPassing(error)) batchesRestUntilMs = now() + pauseMs;
      throw toEmbeddingError(error);
    }
  };

  /** The vector of the text's longest half, quarter and so on that the server takes. */
  const embedShortened = async (
    text: string,
    embed: (texts: readonly string[]) => Promise<Float32Array[]>,
  ): Promise<Float32Array | undefined> => {
    for (
      let length = Math.floor(Math.min(text.length, maxCharacters) / 2);
      length >= minCharacters;
      length = Math.floor(length / 2)
    ) {
      try {
        const [vector] = await embed([text.slice(0, length)]);
        log.info(
          { characters: length, of: text.length, model },
          'a text was shortened to embed it',
        );
        return vector;
      } catch (error) {
        if (!isTooMuch(error)) throw error;
      }
    }
    log.warn(
      { characters: text.length, model },
      'a text could not be embedded even when shortened',
    );
    return undefined;
  };

  /**
   * Halves what is refused. A server that refuses even a single word refuses everything.
   *
   * @param check rejects with the refusal if the server refuses everything
   */
  const embedBatch = async (
    texts: readonly string[],
    check: (refusal: unknown) => Promise<void>,
    signal: AbortSignal,
  ): Promise<(Float32Array | undefined)[]> => {
    try {
      return await postBatch(texts, signal);
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      await check(error);
      refusals += 1;
    }
    const before = refusals;
    const [text = ''] = texts;
    if (texts.length === 1) {
      return [await embedShortened(text, (shorter) => postBatch(shorter, signal))];
    }
    const middle = Math.ceil(texts.length / 2);
    const vectors = [
      ...(await embedBatch(texts.slice(0, middle), check, signal)),
      ...(await embedBatch(texts.slice(middle), check, signal)),
    ];
    // Both halves were accepted as they are, so no single text was too long.
    if (refusals === before) batchSize = Math.min(batchSize, middle);
    return vectors;
  };

  const createCheck = (signal: AbortSignal) => {
    let checked: Promise<unknown> | undefined;
    return async (refusal: unknown) => {
      checked ??= postBatch(['word'], signal);
      try {
        await checked;
      } catch {
        signal.throwIfAborted();
        throw toEmbeddingError(refusal);
      }
    };
  };

  return {
    model,
    async embed(texts, signal) {
      if (now() < batchesRestUntilMs) throw toEmbeddingError(undefined);
      const check = createCheck(signal);
      const vectors: (Float32Array | undefined)[] = [];
      while (vectors.length < texts.length) {
        const batch = texts.slice(vectors.length, vectors.length + batchSize);
        vectors.push(...(await embedBatch(batch, check, signal)));
      }
      return vectors;
    },
    async embedQuery(text, signal) {
      if (now() < queriesRestUntilMs) return undefined;
      const embed = (texts: readonly string[]) => post(texts, queryTimeoutMs, signal);
      try {
        const [vector] = await embed([text]);
        queryFailures = 0;
        return vector;
      } catch (error) {
        if (isTooMuch(error)) return embedShortened(text, embed).catch(() => undefined);
        signal.throwIfAborted();
        queryFailures += 1;
        const isAway = queryFailures >= maxQueryFailures;
        queriesRestUntilMs = now() + (isAway ? pauseMs : Math.min(retryAfterMsOf(error), pauseMs));
        log.warn({ err: error }, 'the embedder failed: a query is searched by its words alone');
        return undefined;
      }
    },
  };
}

/** Whether a retry may succeed. */
function isPassing(error: unknown): boolean {
  if (error instanceof EmbeddingError || isTooMuch(error)) return false;
  return error instanceof EmbedderRefusal ? /^(?:408|429|5..)$/.test(String(error.status)) : true;
}

function retryDelayMs(error: unknown, failures: number): number | undefined {
  if (failures > maxRetries || !isPassing(error)) return undefined;
  return Math.max(growingWaitMs(failures, retryWaits), Math.min(retryAfterMsOf(error), maxRetryMs));
}

function retryAfterMsOf(error: unknown): number {
  return error instanceof EmbedderRefusal ? error.retryAfterMs : 0;
}

/**
 * Resolves with the vector of a query, together with the one before if it depends on it; with
 * undefined if there is no embedder or it fails.
 */
export type EmbedQuery = (
  query: SearchedQuery,
  signal: AbortSignal,
) => Promise<SearchedQuery['embedded']>;

/** In characters: it leaves room for the query itself. */
const maxPreviousLength = 3_900;

/** @param embedding knows how long the stored vectors are */
export function createEmbedQuery(
  embedder: Embedder | undefined,
  embedding: { fits(dimensions: number): Promise<boolean> },
): EmbedQuery {
  return async ({ query, previousQuery }, signal) => {
    if (embedder === undefined) return undefined;
    const leans = previousQuery !== undefined && leansOnPrevious(query);
    const before = leans ? `${previousQuery.slice(-maxPreviousLength)}\n` : '';
    const vector = await embedder.embedQuery(before + query, signal);
    if (vector === undefined || !(await embedding.fits(vector.length))) return undefined;
    return { model: embedder.model, vector };
  };
}
