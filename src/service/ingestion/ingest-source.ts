import { rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SourceStatus } from '../../api/data-source.ts';
import { type Problem, renderProblem } from '../../messages/problem.ts';
import type { Files } from '../files.ts';
import type { Log } from '../log.ts';
import { type SourceRecord, toPassageSource } from '../store/source-store.ts';
import { toFailureFields } from '../stored-failure.ts';
import type { Store } from '../store/store.ts';
import { toDocument } from './document.ts';
import type { Embedding } from './embedding.ts';
import type { Extractor, PassageBatch } from './extract.ts';
import { ExtractionError } from './extraction-error.ts';
import { FetchError, type UrlFetcher } from './fetch-url.ts';
import type { IngestSource } from './ingestion.ts';
import { isIndexOutdated } from './outdated-index.ts';
import { type Passage, toPassages } from './passages.ts';
import { countTokens } from './tokens.ts';

/**
 * The steps of a source: `await → chunking → embedding → success`, or `fail` with the reason in
 * `meta`. Where its `stage` says more, it is `downloading` (a link that still has to `await`),
 * `extracting` (a file that is `chunking`) or `indexing` (one with only an outdated index, which is
 * `embedding`). Each run starts from the beginning, so it can follow one that was killed at any step.
 */
export function createIngestSource(parts: {
  store: Store;
  files: Files;
  extractor: Extractor;
  fetcher: UrlFetcher;
  embedding: Pick<Embedding, 'embedSource'>;
  log: Log;
  now: () => number;
}): IngestSource {
  const { store, files, extractor, fetcher, embedding, log, now } = parts;

  /** @throws {Error} when the source was cancelled or deleted in the meantime */
  const change = (uuid: string, signal: AbortSignal, changes: Partial<SourceRecord>) => {
    signal.throwIfAborted();
    const source = store.sources.find(uuid);
    if (source === undefined) throw new Error(`Data source ${uuid} is gone`);
    const changed = { ...source, ...changes, modifiedMs: now() };
    store.sources.update(changed);
    return changed;
  };

  const enter = (uuid: string, signal: AbortSignal, status: SourceStatus, stage?: string) => {
    const meta = store.sources.find(uuid)?.meta;
    return change(uuid, signal, { status, meta: { ...meta, stage } });
  };

  const download = async (source: SourceRecord, signal: AbortSignal) => {
    enter(source.uuid, signal, 'await', 'downloading');
    const path = files.createIncomingPath();
    try {
      const { bytes, contentType } = await fetcher.fetchToFile(source.fileName, path, signal);
      const changed = change(source.uuid, signal, { fileSize: bytes, contentType });
      files.keep(path, source.uuid);
      return changed;
    } finally {
      await rm(path, { force: true });
    }
  };

  /** Reads few passages at a time, so that the process can do other work in between. */
  async function* read(source: SourceRecord, signal: AbortSignal): AsyncGenerator<PassageBatch> {
    if (source.type === 'qa') return yield toQaPassages(source);
    const found = source.type === 'link' ? await download(source, signal) : source;
    enter(source.uuid, signal, 'chunking', 'extracting');
    if (!files.has(source.uuid)) {
      throw new ExtractionError('damaged', 'source_file_gone');
    }
    const { fileName, contentType } = found;
    yield* extractor.passages({ path: files.path(source.uuid), fileName, contentType }, signal);
  }

  /** Deletes what an earlier run stored. */
  const begin = (uuid: string, documentTitle: string, signal: AbortSignal) => {
    const { titleIsGiven } = enter(uuid, signal, 'embedding');
    const title = titleIsGiven || documentTitle === '' ? {} : { title: documentTitle };
    const source = change(uuid, signal, title);
    store.transaction(() => {
      store.passages.remove(uuid);
      store.passages.putSource(source.chatbot, toPassageSource(source));
    });
  };

  const ingest = async (source: SourceRecord, signal: AbortSignal) => {
    const { uuid } = source;
    const count = createTokenCount();
    let hasBegun = false;
    for await (const { title, passages } of read(source, signal)) {
      if (!hasBegun) begin(uuid, title, signal);
      hasBegun = true;
      signal.throwIfAborted();
      store.passages.add(uuid, passages);
      for (const passage of passages) count.add(passage);
    }
    await embedding.embedSource(uuid, signal);
    change(uuid, signal, { status: 'success', tokens: count.total() });
  };

  const indexAnew = async (uuid: string, signal: AbortSignal) => {
    for (const _ of store.passages.indexAnew(uuid)) {
      await nextTurn();
      signal.throwIfAborted();
    }
    enter(uuid, signal, 'success');
  };

  return async (uuid, signal) => {
    const source = store.sources.find(uuid);
    if (source === undefined) return;
    try {
      await (isIndexOutdated(source) ? indexAnew(uuid, signal) : ingest(source, signal));
    } catch (error) {
      if (signal.aborted || store.sources.find(uuid) === undefined) return;
      log.warn({ err: error, source: uuid }, 'a source ended in an error');
      store.passages.remove(uuid);
      const { meta } = store.sources.find(uuid) ?? source;
      const problem = toProblem(error);
      const failure = { error: renderProblem(problem), ...toFailureFields(problem) };
      change(uuid, signal, {
        status: 'fail',
        tokens: 0,
        meta: { ...meta, ...failure, stage: undefined },
      });
    }
  };
}

/** Counts a document's tokens passage by passage; overlapping text counts once. */
function createTokenCount() {
  let tokens = 0;
  let countedTo = 0;
  return {
    add(passage: Passage) {
      const overlap = countedTo - passage.start;
      tokens += overlap > 0 ? countTokens(passage.text.slice(overlap)) : passage.tokens;
      countedTo = passage.end;
    },
    total: () => tokens,
  };
}

/** The question becomes the heading of its answer. */
function toQaPassages({ meta }: SourceRecord): PassageBatch {
  const question = meta.question ?? '';
  const blocks = [{ text: meta.answer ?? '', headings: [question] }];
  const passages = toPassages(toDocument({ title: question, blocks }));
  return { title: question, passages };
}

/** The reason shown to the source's owner; internal errors go only to the log. */
function toProblem(error: unknown): Problem {
  if (error instanceof ExtractionError || error instanceof FetchError) return error.problem;
  return { code: 'source_failed' };
}
