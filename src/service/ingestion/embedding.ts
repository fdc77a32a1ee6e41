import { isDeepStrictEqual } from 'node:util';
import { type SourceMeta, sourceProgress } from '../../shared/api/data-source.ts';
import type { Sleep } from '../../shared/primitives/time.ts';
import { type Problem, renderProblem } from '../../shared/problems/problem.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { withoutEmbedding } from '../meta.ts';
import type { Embedder } from '../retrieval/embedder.ts';
import { EmbeddingError } from '../retrieval/embedding-response.ts';
import type { Store, Stores } from '../store/store.ts';
import type { UnembeddedPassage } from '../store/vector-store.ts';

/** How much of a source has vectors, and why not all of it, as its meta says it. */
export type EmbeddingState = Pick<
  SourceMeta,
  'embedded' | 'embedding_error' | 'embedding_code' | 'embedding_params'
>;

/** Embeds passages: those of a source while it is ingested, and later those without a vector. */
export interface Embedding extends AsyncDisposable {
  /**
   * Embeds the passages of a source's draft, and resolves with the result; a failure is retried later,
   * once the draft is published. Rejects only when aborted.
   */
  embedDraft(draft: SourceVersion, signal: AbortSignal): Promise<EmbeddingState>;
  /**
   * Embeds, in the background, ready sources that are known to have passages without a vector: the first
   * time all are looked at.
   * @param source may have some now, too
   */
  wake(source?: string): void;
  /**
   * Notes the dimension of a vector from the embedder. If it has changed, all passages are embedded
   * again in the background.
   * @returns false if it has changed back: a server that varies the dimension is of no use
   */
  fits(dimensions: number): Promise<boolean>;
  /** Resolves when there is nothing to do except wait for a retry. */
  settled(): Promise<void>;
}

/** The uuid of a source, and the number of a version of its passages. */
interface SourceVersion {
  source: string;
  version: number;
}

const batchSize = 64;
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

  const dimensionsSeen = new Set<number>();
  let dimensions: number | undefined;
  /** The pass under way may have missed something. */
  let isWanted = false;
  /** Uuids of sources that may have passages without a vector. Those that failed last are at the end. */
  const missing = new Set<string>();
  /** Other sources may have some, too. */
  let isUnknown = true;

  const toState = async (
    { vectors }: Pick<Stores, 'vectors'>,
    { version, model, problem }: { version: number; model: string; problem?: Problem },
  ): Promise<EmbeddingState> => ({
    embedded: await vectors.count(version, model),
    ...(problem && {
      embedding_error: renderProblem(problem),
      embedding_code: problem.code,
      embedding_params: problem.params && { ...problem.params },
    }),
  });

  const setState = ({ source: uuid, version }: SourceVersion, model: string, problem?: Problem) =>
    store.transaction(async (tx) => {
      const source = await tx.sources.find(uuid);
      // A version that came in the meantime has a state of its own.
      if (source === undefined || (await tx.passages.liveVersion(uuid)) !== version) return;
      const state = await toState(tx, { version, model, problem });
      const meta = { ...withoutEmbedding(source.meta), ...state };
      if (!isDeepStrictEqual(meta, source.meta)) await tx.sources.update(uuid, { meta });
    });

  const fits = async ({ model }: Embedder, given: number): Promise<boolean> => {
    if (given === dimensions) return true;
    if (dimensionsSeen.has(given)) return false;
    dimensionsSeen.add(given);
    dimensions = given;
    const vectors = await store.transaction((tx) => tx.vectors.dropOtherDimensions(model, given));
    if (vectors === 0) return true;
    const message = 'the embeddings have another length now: all passages are embedded again';
    log.warn({ model, dimensions, vectors }, message);
    isUnknown = true;
    wake();
    return true;
  };

  /**
   * A passage without a vector is one that the model refuses. If another source's vectors have another
   * length by now, nothing is stored.
   */
  const put = (
    model: string,
    passages: readonly UnembeddedPassage[],
    vectors: readonly (Float32Array | undefined)[],
  ) => {
    const embedded = passages.map(({ id }, index) => {
      return { id, vector: vectors[index] ?? new Float32Array() };
    });
    const length = embedded.find(({ vector }) => vector.length > 0)?.vector.length;
    return store.transaction(async (tx) => {
      if (length === undefined || length === dimensions) await tx.vectors.put(model, embedded);
    });
  };

  /** Resolves with why passages of the version are still missing, if they are. */
  const embed = async (embedder: Embedder, version: number, signal: AbortSignal) => {
    const { model } = embedder;
    try {
      for (;;) {
        const passages = await store.vectors.listMissing(version, model, batchSize);
        if (passages.length === 0) break;
        const vectors = await embedder.embed(passages.map(toText), signal);
        signal.throwIfAborted();
        const given = vectors.find((vector) => vector !== undefined)?.length;
        if (given !== undefined && !(await fits(embedder, given))) {
          throw new EmbeddingError('embeddings_wrong');
        }
        await put(model, passages, vectors);
      }
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error, version }, 'a source could not be embedded');
      if (!(error instanceof EmbeddingError)) throw error;
      return error.problem;
    }
  };

  /** One source at a time, as each takes a look-up of all its passages. */
  const findMissing = async (model: string) => {
    isUnknown = false;
    for await (const { uuid: source, meta } of store.sources.eachReady()) {
      stop.signal.throwIfAborted();
      const version = await store.passages.liveVersion(source);
      if (version === undefined) continue;
      if (meta.embedded === undefined) await setState({ source, version }, model);
      const [passage] = await store.vectors.listMissing(version, model, 1);
      if (passage !== undefined) missing.add(source);
    }
  };

  /**
   * After a failure, the others would fail too: they are tried later. It may be the source's own fault, so
   * the next pass begins with the others.
   */
  const embedReady = async (embedder: Embedder) => {
    const { model } = embedder;
    if (isUnknown) await findMissing(model);
    for (const source of missing) {
      stop.signal.throwIfAborted();
      const { status = 'fail' } = (await store.sources.find(source)) ?? {};
      const progress = sourceProgress(status);
      if (progress === 'waiting') {
        // It gets its passages soon.
        tryAgainLater();
        continue;
      }
      missing.delete(source);
      const version = await store.passages.liveVersion(source);
      if (progress === 'failed' || version === undefined) continue;
      const problem = await embed(embedder, version, stop.signal);
      await setState({ source, version }, model, problem);
      if (problem === undefined) continue;
      missing.add(source);
      tryAgainLater();
      return;
    }
  };

  const embedAlone = async (embedder: Embedder) => {
    const isAlone = await store.exclusively('embedding', 'skip', async () => {
      await embedReady(embedder);
      return true;
    });
    // The process that does it now may have passed what is new.
    if (!isAlone) tryAgainLater();
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

  const wake = (source?: string) => {
    if (embedder === undefined || stop.signal.aborted) return;
    if (source !== undefined) missing.add(source);
    isWanted = pass !== undefined;
    if (isWanted) return;
    pass = embedAlone(embedder)
      .catch((error: unknown) => {
        if (stop.signal.aborted) return;
        log.error({ err: error }, 'sources could not be embedded');
        isUnknown = true;
        tryAgainLater();
      })
      .finally(() => {
        pass = undefined;
        if (isWanted) wake();
      });
  };

  return {
    async embedDraft({ source, version }, signal) {
      if (embedder === undefined) return {};
      const problem = await embed(embedder, version, signal);
      if (problem) {
        missing.add(source);
        tryAgainLater();
      }
      return toState(store, { version, model: embedder.model, problem });
    },
    wake,
    fits: async (given) => embedder === undefined || fits(embedder, given),
    async settled() {
      while (pass !== undefined) await pass;
    },
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
