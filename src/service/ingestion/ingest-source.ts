import { rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sourceProgress, type SourceStatus } from '../../shared/api/data-source.ts';
import { toBatches } from '../../shared/primitives/iterables.ts';
import { type Problem, type ProblemCode, renderProblem } from '../../shared/problems/problem.ts';
import type { Files } from '../files.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { Quota } from '../quota.ts';
import { type SourceRecord, toPassageSource } from '../store/source-store.ts';
import { withoutEmbedding, withoutFailure } from '../meta.ts';
import { toFailureFields } from '../meta.ts';
import type { Store } from '../store/store.ts';
import { toDocument } from './document.ts';
import type { Embedding, EmbeddingState } from './embedding.ts';
import type { Extractor, PassageBatch } from './extract.ts';
import type { UrlFetcher } from './fetch-url.ts';
import { IngestionError } from './ingestion-error.ts';
import type { IngestSource } from './ingestion.ts';
import { type Passage, toPassages } from './passages.ts';
import { countTokens } from './tokens.ts';

/** The problems of a source for which its owner has no storage left. */
const fullCodes = new Set<ProblemCode>(['storage_full', 'text_too_large']);

/** Passages of an answer stored per turn. Those of a file come in batches too. */
const qaBatchSize = 5;

/**
 * The steps of a source: `await → chunking → embedding → success`, or `fail` with the reason in
 * `meta` (`error:storage` if its page or its text doesn't fit into its owner's storage). Where its `stage`
 * says more, it is `downloading` (a link that still has to `await`), `extracting` (a file that is
 * `chunking`) or `indexing` (one with only an outdated index, which is `embedding`). The source's
 * passages stay until the new ones replace them, which a failure does not change. Each run starts
 * from the beginning, so it can follow one that was killed at any step.
 */
export function createIngestSource(parts: {
  store: Store;
  files: Files;
  extractor: Extractor;
  fetcher: UrlFetcher;
  embedding: Pick<Embedding, 'embedDraft'>;
  quota: Pick<Quota, 'requireFits'>;
  log: Log;
  now: () => number;
}): IngestSource {
  const { store, files, extractor, fetcher, embedding, quota, log, now } = parts;

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

  const download = async ({ uuid, fileName }: SourceRecord, path: string, signal: AbortSignal) => {
    enter(uuid, signal, 'await', 'downloading');
    const { bytes, contentType } = await fetcher.fetchToFile(fileName, path, signal);
    quota.requireFits(uuid, { fileSize: bytes });
    return { fileSize: bytes, contentType };
  };

  /** Reads few passages at a time, so that the process can do other work in between. */
  async function* read(
    source: SourceRecord,
    path: string,
    signal: AbortSignal,
  ): AsyncGenerator<PassageBatch> {
    if (source.type === 'qa') return yield* readQa(source);
    enter(source.uuid, signal, 'chunking', 'extracting');
    if (source.type === 'upload' && !files.has(source.uuid)) {
      throw new IngestionError('source_file_gone');
    }
    const { fileName, contentType } = source;
    yield* extractor.passages({ path, fileName, contentType }, signal);
  }

  const createDraft = (uuid: string, documentTitle: string, signal: AbortSignal) => {
    const source = enter(uuid, signal, 'embedding');
    const title = chooseTitle(source, documentTitle);
    return store.passages.draft(source.chatbot, { ...toPassageSource(source), title });
  };

  /** Changes the source and its passages, all at once. */
  const publish = (draft: string, uuid: string, signal: AbortSignal, changes: Published) =>
    store.transaction(() => {
      const { documentTitle, embedded, ...rest } = changes;
      const source = change(uuid, signal, { ...rest, status: 'success' });
      const meta = { ...withoutEmbedding(withoutFailure(source.meta)), ...embedded };
      change(uuid, signal, { meta, title: chooseTitle(source, documentTitle) });
      store.passages.publish(draft, now());
    });

  const ingest = async (source: SourceRecord, signal: AbortSignal) => {
    const { uuid } = source;
    const isLink = source.type === 'link';
    const path = isLink ? files.createIncomingPath() : files.path(uuid);
    let draft: string | undefined;
    try {
      const page = isLink ? await download(source, path, signal) : {};
      const count = createTokenCount();
      let documentTitle = '';
      for await (const { title, passages } of read({ ...source, ...page }, path, signal)) {
        documentTitle = title;
        draft ??= createDraft(uuid, title, signal);
        signal.throwIfAborted();
        store.passages.add(draft, passages);
        for (const passage of passages) count.add(passage);
      }
      if (draft === undefined) throw new IngestionError('document_without_text');
      const next = { fileSize: source.fileSize, ...page, draft };
      quota.requireFits(uuid, next);
      const embedded = await embedding.embedDraft(draft, signal);
      signal.throwIfAborted();
      // Vectors take up room too, and others may have taken some meanwhile.
      quota.requireFits(uuid, next);
      if (isLink) files.keep(path, uuid);
      publish(draft, uuid, signal, { ...page, tokens: count.total(), documentTitle, embedded });
    } finally {
      // Once published, the draft is the source's passages and the page its file: nothing is left.
      if (draft !== undefined) store.passages.remove(draft);
      if (isLink) await rm(path, { force: true });
    }
  };

  const indexAnew = async (uuid: string, signal: AbortSignal) => {
    for (const _ of store.passages.indexAnew(uuid)) {
      await nextTurn();
      signal.throwIfAborted();
    }
    const { meta } = store.sources.find(uuid) ?? {};
    enter(uuid, signal, meta?.error === undefined ? 'success' : 'fail');
  };

  return async (uuid, signal) => {
    const source = store.sources.find(uuid);
    if (source === undefined) return;
    try {
      await (isIndexOutdated(source) ? indexAnew(uuid, signal) : ingest(source, signal));
    } catch (error) {
      if (signal.aborted || store.sources.find(uuid) === undefined) return;
      log.warn({ err: error, source: uuid }, 'a source ended in an error');
      const { meta } = store.sources.find(uuid) ?? source;
      const problem = toProblem(error);
      const failure = { error: renderProblem(problem), ...toFailureFields(problem) };
      change(uuid, signal, {
        status: fullCodes.has(problem.code) ? 'error:storage' : 'fail',
        meta: { ...meta, ...failure, stage: undefined },
      });
    }
  };
}

/** What a source gets together with its new passages. */
type Published = Pick<SourceRecord, 'tokens'> &
  Partial<Pick<SourceRecord, 'fileSize' | 'contentType'>> & {
    documentTitle: string;
    embedded: EmbeddingState;
  };

/** The document's own title, unless it has none or a user named the source. */
function chooseTitle({ title, titleIsGiven }: SourceRecord, documentTitle: string): string {
  return titleIsGiven || documentTitle === '' ? title : documentTitle;
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
async function* readQa({ meta }: SourceRecord): AsyncGenerator<PassageBatch> {
  const question = meta.question ?? '';
  const blocks = [{ text: meta.answer ?? '', headings: [question] }];
  const passages = toPassages(toDocument({ title: question, blocks }));
  for (const batch of toBatches(passages, qaBatchSize)) {
    await nextTurn();
    yield { title: question, passages: batch };
  }
}

/** The reason shown to the source's owner; internal errors go only to the log. */
function toProblem(error: unknown): Problem {
  if (error instanceof IngestionError) return error.problem;
  return { code: 'source_failed' };
}

/**
 * Sources whose passages were indexed in another way (`indexVersion`) are `indexing` until they
 * are indexed again. This needs only their stored passages, not their files or pages. They remain
 * searchable, as far as old and new tokens agree.
 * @returns the number of such sources
 */
export function takeUpOutdated(store: Store): number {
  return store.transaction(() => {
    const ready = store.passages
      .listOutdated()
      .flatMap((uuid) => store.sources.find(uuid) ?? [])
      .filter(({ status }) => sourceProgress(status) !== 'waiting');
    for (const source of ready) {
      const meta = { ...source.meta, stage: 'indexing' };
      store.sources.update({ ...source, status: 'embedding', meta });
    }
    return ready.length;
  });
}

/** A source that is `indexing` has all its passages, whichever version stored them. */
function isIndexOutdated({ meta }: SourceRecord): boolean {
  return meta.stage === 'indexing';
}
