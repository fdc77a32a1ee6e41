import type { z } from 'zod';
import {
  type DataSource,
  type DataSourceUpdate,
  type QaSourceCreate,
  type RescrapeResult,
  type SourceMeta,
  sourceProgress,
  type UrlSourceCreate,
} from '../shared/api/data-source.ts';
import { inSteps, type Steps } from '../shared/primitives/steps.ts';
import { type Access, requireRoom } from './access.ts';
import type { Files } from './files.ts';
import { HttpError } from './http-error.ts';
import { createUuid, toTimestamp } from './identifiers.ts';
import type { Quota } from './quota.ts';
import { withoutFailure } from './meta.ts';
import type { Ingestion } from './ingestion/ingestion.ts';
import { type SourceRecord, toPassageSource } from './store/source-store.ts';
import type { Store } from './store/store.ts';

type SourceAnswer = z.input<typeof DataSource>;
type RestartAnswer = z.input<typeof RescrapeResult>;

/** A fully received file. */
export interface ReceivedFile {
  path: string;
  fileName: string;
  contentType: string;
  bytes: number;
  /** SHA-256 of its content, in hex. */
  digest: string;
}

export interface Sources {
  /**
   * A duplicate that failed is restarted.
   * @throws {HttpError} 409 with the existing source when there is a duplicate
   */
  addFile(owner: string, chatbot: string, file: ReceivedFile, meta: SourceMeta): SourceAnswer;
  /** @throws {HttpError} 409 when there is a duplicate, as with files */
  addUrl(owner: string, chatbot: string, request: z.output<typeof UrlSourceCreate>): SourceAnswer;
  addQa(owner: string, chatbot: string, request: z.output<typeof QaSourceCreate>): SourceAnswer;
  list(owner: string, chatbot: string): IteratorObject<SourceAnswer>;
  get(owner: string, uuid: string): SourceAnswer;
  rename(
    owner: string,
    uuid: string,
    request: z.output<typeof DataSourceUpdate>,
  ): Promise<SourceAnswer>;
  /**
   * All or none.
   * @throws {HttpError} 404 when one of them is missing
   */
  delete(owner: string, uuids: readonly string[]): Promise<void>;
  deleteAllOf(chatbot: string): Promise<void>;
  /** Fetches links again. */
  rescrape(owner: string, uuids: readonly string[]): Promise<RestartAnswer[]>;
  /** Restarts failed sources. */
  restart(owner: string, uuids: readonly string[]): Promise<RestartAnswer[]>;
}

const maxSources = 10_000;

/** The rules of data sources. New sources wait for `ingestion`. */
export function createSources(parts: {
  store: Store;
  access: Access;
  files: Files;
  ingestion: Ingestion;
  quota: Pick<Quota, 'within'>;
  now: () => number;
}): Sources {
  const { store, access, files, ingestion, quota, now } = parts;

  /** A source that is not ready may still have older passages. */
  const render = (source: SourceRecord): SourceAnswer => {
    const sinceMs =
      source.status === 'success' ? undefined : store.passages.publishedMs(source.uuid);
    const textFrom = sinceMs === undefined ? undefined : toTimestamp(sinceMs);
    return toDataSource({ ...source, meta: { ...source.meta, text_from: textFrom } });
  };

  const draft = (chatbot: string, type: SourceRecord['type'], fileName: string): SourceRecord => ({
    uuid: createUuid(),
    chatbot,
    type,
    identity: null,
    title: '',
    titleIsGiven: false,
    fileName,
    fileSize: 0,
    contentType: '',
    tokens: 0,
    status: 'await',
    meta: {},
    createdMs: now(),
    modifiedMs: now(),
  });

  const queue = (owner: string, { uuid, fileSize }: SourceRecord) =>
    ingestion.add({ uuid, owner, bytes: fileSize });

  const add = (owner: string, source: SourceRecord): SourceAnswer => {
    requireRoom('source', store.sources.count(source.chatbot), maxSources);
    quota.within(owner, () => store.sources.insert(source));
    queue(owner, source);
    return render(source);
  };

  const startAgain = (owner: string, source: SourceRecord): SourceAnswer => {
    ingestion.cancel(source.uuid);
    const meta = withoutFailure(source.meta);
    const waiting: SourceRecord = { ...source, status: 'await', meta, modifiedMs: now() };
    store.sources.update(waiting);
    queue(owner, waiting);
    return render(waiting);
  };

  const addAgain = (owner: string, existing: SourceRecord): SourceAnswer => {
    if (sourceProgress(existing.status) === 'failed') return startAgain(owner, existing);
    const params = { name: existing.fileName, uuid: existing.uuid };
    const body = render(existing);
    throw new HttpError(409, { code: 'source_exists', params }, { body });
  };

  /** One source per step. */
  function* removeAll(uuids: Iterable<string>): Steps<void> {
    for (const uuid of uuids) {
      ingestion.cancel(uuid);
      store.transaction(() => {
        store.passages.remove(uuid);
        store.sources.delete(uuid);
      });
      files.remove(uuid);
      yield;
    }
  }

  /** One source per step. */
  function* eachStartable(
    owner: string,
    uuids: readonly string[],
    start: (source: SourceRecord) => RestartAnswer,
  ): Steps<RestartAnswer[]> {
    const answers: RestartAnswer[] = [];
    for (const uuid of uuids) {
      const source = store.sources.get(uuid, owner);
      answers.push(source ? start(source) : { uuid, error: 'invalid data source' });
      yield;
    }
    return answers;
  }

  /** The chatbots of the owner's sources, one source per step. */
  function* chatbotsOf(owner: string, uuids: readonly string[]): Steps<Set<string>> {
    const chatbots = new Set<string>();
    for (const uuid of uuids) {
      chatbots.add(access.source(owner, uuid).chatbot);
      yield;
    }
    return chatbots;
  }

  return {
    addFile(owner, chatbot, file, meta) {
      access.chatbot(owner, chatbot);
      const identity = `${file.digest} ${file.fileName}`;
      const existing = store.sources.findIdentical(chatbot, identity);
      if (existing) return addAgain(owner, existing);
      const source: SourceRecord = {
        ...draft(chatbot, 'upload', file.fileName),
        identity,
        title: file.fileName,
        fileSize: file.bytes,
        contentType: file.contentType,
        meta,
      };
      files.keep(file.path, source.uuid);
      try {
        return add(owner, source);
      } catch (error) {
        files.remove(source.uuid);
        throw error;
      }
    },

    addUrl(owner, chatbot, request) {
      access.chatbot(owner, chatbot);
      const { href } = parseWebAddress(request.url);
      const existing = store.sources.findIdentical(chatbot, href);
      if (existing) return addAgain(owner, existing);
      return add(owner, {
        ...draft(chatbot, 'link', href),
        identity: href,
        meta: toLinkMeta(request.reference_source_link),
      });
    },

    addQa(owner, chatbot, { question, answer, reference_source_link }) {
      access.chatbot(owner, chatbot);
      return add(owner, {
        ...draft(chatbot, 'qa', ''),
        title: question,
        titleIsGiven: true,
        fileSize: Buffer.byteLength(question) + Buffer.byteLength(answer),
        meta: { question, answer, ...toLinkMeta(reference_source_link) },
      });
    },

    list(owner, chatbot) {
      access.chatbot(owner, chatbot);
      return store.sources.each(chatbot).map(render);
    },

    get: (owner, uuid) => render(access.source(owner, uuid)),

    async rename(owner, uuid, { title }) {
      const source = {
        ...access.source(owner, uuid),
        title,
        titleIsGiven: true,
        modifiedMs: now(),
      };
      const indexing = quota.within(owner, () => {
        store.sources.update(source);
        return store.passages.retitle(toPassageSource(source));
      });
      await inSteps(indexing);
      return render(source);
    },

    async delete(owner, uuids) {
      const chatbots = await inSteps(chatbotsOf(owner, uuids));
      const numbers = store.sources.listNumbers(uuids);
      await inSteps(removeAll(uuids));
      for (const chatbot of chatbots) await inSteps(store.choices.forget(chatbot, numbers));
    },

    deleteAllOf: (chatbot) =>
      inSteps(removeAll(store.sources.each(chatbot).map(({ uuid }) => uuid))),

    rescrape: (owner, uuids) =>
      inSteps(
        eachStartable(owner, uuids, (source) => {
          if (source.type !== 'link') return { uuid: source.uuid, error: 'invalid data source' };
          startAgain(owner, source);
          return { uuid: source.uuid, status: 'restarted scraping' };
        }),
      ),

    restart: (owner, uuids) =>
      inSteps(
        eachStartable(owner, uuids, (source) => {
          if (sourceProgress(source.status) !== 'failed') {
            return { uuid: source.uuid, error: `not failed: its status is ${source.status}` };
          }
          startAgain(owner, source);
          return { uuid: source.uuid, status: 'restarted' };
        }),
      ),
  };
}

/**
 * Parses the address of a web page and removes its fragment.
 * @throws {HttpError} 400 when it is not the address of a web page
 */
function parseWebAddress(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new HttpError(400, 'url_invalid');
  }
  if (url.username !== '' || url.password !== '') {
    throw new HttpError(400, 'url_has_password');
  }
  url.hash = '';
  return url;
}

function toLinkMeta(link: string | undefined): SourceMeta {
  return link === undefined ? {} : { reference_source_link: link };
}

function toDataSource(source: SourceRecord): SourceAnswer {
  return {
    uuid: source.uuid,
    title: source.title,
    file_name: source.fileName,
    file_size: source.fileSize,
    tokens: source.tokens,
    status: source.status,
    type: source.type,
    meta_json: JSON.stringify(source.meta),
    created_at: toTimestamp(source.createdMs),
    modified_at: toTimestamp(source.modifiedMs),
  };
}
