import { type SourceStatus, sourceProgress } from '../../shared/api/data-source.ts';
import { toBatches } from '../../shared/primitives/iterables.ts';
import { type Problem, type ProblemCode, renderProblem } from '../../shared/problems/problem.ts';
import type { JobHandler, Run } from '../../shared/jobs/jobs.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { Quota } from '../quota.ts';
import type { Draft } from '../store/passage-draft.ts';
import { type SourceChanges, type SourceRecord, toPassageSource } from '../store/source-store.ts';
import { toFailureFields, withoutEmbedding, withoutFailure } from '../meta.ts';
import type { Store, Stores } from '../store/store.ts';
import { IngestionError, toDocument } from './document.ts';
import type { Embedding, EmbeddingState } from './embedding.ts';
import type { Extractor, PassageBatch } from './extract.ts';
import type { UrlFetcher } from './fetch-url.ts';
import { countTokens, type Passage, toPassages } from './passages.ts';
import { codeOf } from '../../shared/stores/open-error.ts';
import { eachPage } from '../../shared/stores/pages.ts';
import type { TemporaryFiles } from '../../shared/primitives/private-files.ts';

/** The problems of a source for which its owner has no storage left. */
const fullCodes = new Set<ProblemCode>(['storage_full', 'text_too_large']);

/** Passages of an answer stored at a time. Those of a file come in batches too. */
const qaBatchSize = 5;
/** Passages indexed again at a time. */
const indexedAtOnce = 50;
/** Sources taken up in a transaction. Each one waits for the disk, and others wait for it. */
const takenUpAtOnce = 100;

/**
 * The steps of a source: `await → chunking → embedding → success`, or `fail` with the reason in
 * `meta` (`error:storage` if its page or its text doesn't fit into its owner's storage). Where its `stage`
 * says more, it is `downloading` (a link that still has to `await`), `extracting` (a file that is
 * `chunking`) or `indexing` (one with only an outdated index, which is `embedding`). The source's
 * passages stay until the new ones replace them, which a failure does not change. Each run starts
 * from the beginning, so it can follow one that was killed at any step. Each step holds the job in its
 * transaction, so that one process at a time takes a source further.
 */
export function createIngestion(parts: {
  store: Store;
  files: TemporaryFiles;
  extractor: Extractor;
  fetcher: UrlFetcher;
  embedding: Pick<Embedding, 'embedDraft' | 'wake'>;
  quota: Pick<Quota, 'requireFits'>;
  log: Log;
  now: () => number;
}): JobHandler {
  const { store, files, extractor, fetcher, embedding, quota, log, now } = parts;

  /** Whether the store failed and not the source: the job is tried again. */
  const mayPass = (error: unknown) => store.isShared && codeOf(error) !== '';

  /**
   * Changes a source as it is now, in a transaction. One that is only indexed again was not modified.
   * @throws {Error} when the source was cancelled or deleted in the meantime, or is taken over
   */
  const changeIn = async (
    tx: Stores,
    run: Run,
    change: (source: SourceRecord) => SourceChanges,
  ): Promise<SourceRecord> => {
    const uuid = run.key;
    const source = await tx.sources.find(uuid);
    if (source === undefined) throw new Error(`Data source ${uuid} is gone`);
    await run.hold(tx.queries);
    const modifiedMs = isIndexOutdated(source) ? source.modifiedMs : now();
    const changes = { ...change(source), modifiedMs };
    await tx.sources.update(uuid, changes);
    return { ...source, ...changes };
  };

  /** A source that is indexed again stays in that stage. */
  const enter = (run: Run, status: SourceStatus, stage?: string) =>
    store.transaction((tx) =>
      changeIn(tx, run, (source) =>
        isIndexOutdated(source) ? {} : { status, meta: { ...source.meta, stage } },
      ),
    );

  const publishIn = async (tx: Pick<Stores, 'passages'>, draft: Draft, source: SourceRecord) => {
    const since = isIndexOutdated(source) ? await tx.passages.publishedMs(source.uuid) : undefined;
    await tx.passages.publish(draft, since ?? now());
  };

  const download = async ({ uuid, fileName }: SourceRecord, path: string, run: Run) => {
    await enter(run, 'await', 'downloading');
    const { bytes, contentType } = await fetcher.fetchToFile(fileName, path, run.signal);
    await quota.requireFits(store, uuid, { fileSize: bytes });
    return { fileSize: bytes, contentType };
  };

  /** Reads few passages at a time, so that the process can do other work in between. */
  async function* read(source: SourceRecord, path: string, run: Run): AsyncGenerator<PassageBatch> {
    if (source.type === 'qa') return yield* readQa(source);
    await enter(run, 'chunking', 'extracting');
    if (source.type === 'upload' && !(await store.files.copyTo(path, source.uuid))) {
      throw new IngestionError('source_file_gone');
    }
    const { fileName, contentType } = source;
    yield* extractor.passages({ path, fileName, contentType }, run.signal);
  }

  const createDraft = async (documentTitle: string, run: Run) => {
    const source = await enter(run, 'embedding');
    const title = chooseTitle(source, documentTitle);
    return store.drafts.begin(source.chatbot, { ...toPassageSource(source), title });
  };

  /** Changes the source and its passages, all at once. */
  const publish = (draft: Draft, source: SourceRecord, run: Run, changes: Published) =>
    store.transaction(async (tx) => {
      const { uuid } = source;
      const { documentTitle, embedded, fileSize, ...rest } = changes;
      // Vectors take up room too, and others may have taken some in the meantime.
      await quota.requireFits(tx, uuid, { fileSize, draft: draft.version });
      await publishIn(tx, draft, source);
      const changed = await changeIn(tx, run, (source) => ({
        ...rest,
        fileSize,
        status: 'success',
        meta: { ...withoutEmbedding(withoutFailure(source.meta)), ...embedded },
        title: chooseTitle(source, documentTitle),
      }));
      // It may have been renamed since the draft was begun.
      await tx.passages.retitle(toPassageSource(changed));
    });

  const ingest = async (source: SourceRecord, run: Run) => {
    const { uuid } = source;
    const { signal } = run;
    const path = files.createPath();
    let draft: Draft | undefined;
    try {
      const page = source.type === 'link' ? await download(source, path, run) : {};
      const count = createTokenCount();
      let documentTitle = '';
      for await (const { title, passages } of read({ ...source, ...page }, path, run)) {
        documentTitle = title;
        draft ??= await createDraft(title, run);
        signal.throwIfAborted();
        await draft.add(passages);
        for (const passage of passages) count.add(passage);
      }
      if (draft === undefined) throw new IngestionError('document_without_text');
      await draft.finish();
      const before = await store.passages.liveVersion(uuid);
      if (before !== undefined) await store.vectors.copy(before, draft.version);
      const size = { fileSize: source.fileSize, ...page };
      await quota.requireFits(store, uuid, { fileSize: size.fileSize, draft: draft.version });
      const embedded = await embedding.embedDraft({ source: uuid, version: draft.version }, signal);
      const changes = { ...size, tokens: count.total(), documentTitle, embedded };
      await publish(draft, source, run, changes);
    } finally {
      // Once published, the draft is the source's passages: nothing is left.
      if (draft !== undefined) await store.passages.discard(draft.version);
      await files.remove(path);
    }
  };

  /**
   * Replaces a source's passages by those that this version reads from what is stored of it. Those of a
   * page, which isn't stored, stay the same, and so do those of a file that can't be read any more.
   */
  const readAnew = async (source: SourceRecord, run: Run) => {
    if (source.type === 'link') return indexAnew(source, run);
    try {
      await ingest(source, run);
    } catch (error) {
      run.signal.throwIfAborted();
      if (mayPass(error)) throw error;
      log.warn({ err: error, source: source.uuid }, 'a source keeps the passages that it had');
      await indexAnew(source, run);
    }
  };

  const indexAnew = async (source: SourceRecord, run: Run) => {
    const { uuid } = source;
    const version = await store.passages.liveVersion(uuid);
    if (version === undefined) return;
    const draft = await store.drafts.begin(source.chatbot, toPassageSource(source));
    try {
      let place = 0;
      for (let rest = true; rest;) {
        run.signal.throwIfAborted();
        const passages = await store.passages.listFrom(version, place, indexedAtOnce);
        await draft.add(passages);
        place += passages.length;
        rest = passages.length === indexedAtOnce;
      }
      await draft.finish();
      await store.vectors.copy(version, draft.version);
      await store.transaction(async (tx) => {
        await publishIn(tx, draft, source);
        const changed = await changeIn(tx, run, toIndexed);
        await tx.passages.retitle(toPassageSource(changed));
      });
      // Passages without a vector had to wait.
      embedding.wake(uuid);
    } finally {
      await store.passages.discard(draft.version);
    }
  };

  const fail = (run: Run, problem: Problem) =>
    store.transaction((tx) => changeIn(tx, run, (source) => toFailed(source, problem)));

  return {
    async run(run) {
      const { key: uuid, signal } = run;
      const source = await store.sources.find(uuid);
      // An earlier run may have ended it, and died before it could say so.
      if (source === undefined || sourceProgress(source.status) !== 'waiting') return;
      await store.passages.discardDrafts(uuid);
      try {
        await (isIndexOutdated(source) ? readAnew(source, run) : ingest(source, run));
      } catch (error) {
        if (signal.aborted || (await store.sources.find(uuid)) === undefined) return;
        if (mayPass(error)) throw error;
        log.warn({ err: error, source: uuid }, 'a source ended in an error');
        await fail(run, toProblem(error));
      }
    },

    async giveUp(uuid) {
      log.error(
        { source: uuid },
        'a source was given up: it failed too often, or ended its process',
      );
      await store.transaction(async (tx) => {
        const source = await tx.sources.find(uuid);
        if (source === undefined || sourceProgress(source.status) !== 'waiting') return;
        const changes = isIndexOutdated(source)
          ? toIndexed(source)
          : { ...toFailed(source, { code: 'source_failed' }), modifiedMs: now() };
        await tx.sources.update(uuid, changes);
      });
      embedding.wake(uuid);
    },
  };
}

function toFailed({ meta }: SourceRecord, problem: Problem): SourceChanges {
  const failure = { error: renderProblem(problem), ...toFailureFields(problem) };
  return {
    status: fullCodes.has(problem.code) ? 'error:storage' : 'fail',
    meta: { ...meta, ...failure, stage: undefined },
  };
}

/** As it was before its index was outdated. */
function toIndexed({ meta }: SourceRecord): SourceChanges {
  return {
    status: meta.error === undefined ? 'success' : 'fail',
    meta: { ...meta, stage: undefined },
  };
}

/** What a source gets together with its new passages. */
type Published = Pick<SourceRecord, 'tokens' | 'fileSize'> &
  Partial<Pick<SourceRecord, 'contentType'>> & {
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
    yield { title: question, passages: batch };
  }
}

/** The reason shown to the source's owner; internal errors go only to the log. */
function toProblem(error: unknown): Problem {
  if (error instanceof IngestionError) return error.problem;
  return { code: 'source_failed' };
}

/**
 * Sources whose passages were indexed in another way (`indexVersion`) are `indexing` until they are
 * read and indexed again, from their stored files or passages. They remain searchable, as far as old
 * and new tokens agree.
 */
export async function takeUpOutdated(store: Store, log: Log, signal: AbortSignal): Promise<void> {
  let count = 0;
  const takeUp = (after = 0, limit: number) =>
    store.transaction(async (tx) => {
      const outdated = await tx.passages.listOutdated(after, limit);
      for (const { source: uuid } of outdated) {
        const source = await tx.sources.find(uuid);
        if (!source || sourceProgress(source.status) === 'waiting') continue;
        const meta = { ...source.meta, stage: 'indexing' };
        await tx.sources.update(uuid, { status: 'embedding', meta });
      }
      return outdated;
    });
  for await (const { length } of eachPage(takenUpAtOnce, takeUp)) {
    count += length;
    if (signal.aborted) return;
  }
  if (count > 0) {
    log.info({ sources: count }, 'sources are indexed again: they were indexed in another way');
  }
}

/** A source that is `indexing` has all its passages, whichever version stored them. */
function isIndexOutdated({ meta }: SourceRecord): boolean {
  return meta.stage === 'indexing';
}
