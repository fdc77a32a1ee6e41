import type { Sleep } from '../../primitives/sleep.ts';
import type { Log } from '../log.ts';
import type { Embedder } from '../retrieval/embedder.ts';
import { EmbeddingError } from '../retrieval/embedding-vectors.ts';
import type { Store } from '../store/store.ts';
import type { UnembeddedPassage } from '../store/vector-store.ts';

/** Embeds passages: those of a source while it is ingested, and later those without a vector. */
export interface Embedding extends AsyncDisposable {
  /**
   * Embeds the source's passages that have no vector. A failure is stored in the source's meta as
   * `embedding_error` and retried later; rejects only when aborted.
   */
  embedSource(uuid: string, signal: AbortSignal): Promise<void>;
  /** Embeds, in the background, ready sources that have passages without a vector. */
  wake(): void;
  /** Resolves when there is nothing to do except wait for a retry. */
  settled(): Promise<void>;
}

const batchSize = 64;
const maxFailures = 3;
const retryMs = 5 * 60_000;

/** Without an embedder, it does nothing. */
export function createEmbedding(parts: {
  store: Store;
  embedder: Embedder | undefined;
  log: Log;
  sleep: Sleep;
}): Embedding {
  const { store, embedder, log, sleep } = parts;
  const stop = new AbortController();
  let pass: Promise<void> | undefined;
  let isWaiting = false;

  const setError = (uuid: string, message: string | undefined) => {
    const source = store.sources.find(uuid);
    if (source === undefined || source.meta.embedding_error === message) return;
    const { embedding_error: _, ...meta } = source.meta;
    const changed = message === undefined ? meta : { ...meta, embedding_error: message };
    store.sources.update({ ...source, meta: changed });
  };

  /** Resolves with whether all passages of the source have vectors. */
  const embed = async (embedder: Embedder, uuid: string, signal: AbortSignal) => {
    const { model } = embedder;
    try {
      for (;;) {
        const passages = store.vectors.listMissing(uuid, model, batchSize);
        if (passages.length === 0) break;
        const vectors = await embedder.embed(passages.map(toText), signal);
        signal.throwIfAborted();
        const embedded = passages.flatMap(({ id, text }, index) => {
          const vector = vectors[index];
          return vector ? [{ id, text, vector }] : [];
        });
        store.transaction(() => store.vectors.put(model, embedded));
      }
      setError(uuid, undefined);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error, source: uuid }, 'a source could not be embedded');
      if (!(error instanceof EmbeddingError)) throw error;
      setError(uuid, error.message);
      return false;
    }
  };

  const isReady = (uuid: string) => store.sources.find(uuid)?.status === 'success';

  /**
   * A single failure may be the source's fault; after several in a row, the others would fail too.
   */
  const embedReady = async (embedder: Embedder) => {
    let failures = 0;
    for (const uuid of store.vectors.listSourcesMissing(embedder.model)) {
      if (!isReady(uuid)) continue;
      failures = (await embed(embedder, uuid, stop.signal)) ? 0 : failures + 1;
      if (failures > 0) tryAgainLater();
      if (failures >= maxFailures) return;
    }
  };

  const tryAgainLater = () => {
    if (isWaiting) return;
    isWaiting = true;
    void waitAndWake();
  };

  const waitAndWake = async () => {
    try {
      await sleep(retryMs, stop.signal);
    } catch {
      return;
    }
    isWaiting = false;
    wake();
  };

  const wake = () => {
    if (embedder === undefined || stop.signal.aborted || pass !== undefined) return;
    pass = embedReady(embedder)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) log.error({ err: error }, 'sources could not be embedded');
      })
      .finally(() => {
        pass = undefined;
      });
  };

  return {
    async embedSource(uuid, signal) {
      if (embedder === undefined) return;
      if (!(await embed(embedder, uuid, signal))) tryAgainLater();
    },
    wake,
    settled: () => pass ?? Promise.resolve(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await pass;
    },
  };
}

/** A passage says more together with its headings. */
function toText({ title, headings, text }: UnembeddedPassage): string {
  const place = [...new Set([title, ...headings])].filter(Boolean).join(' > ');
  return place === '' ? text : `${place}\n\n${text}`;
}
