import { z } from 'zod';
import {
  type DataSource,
  type RescrapeResult,
  type SourceMeta,
  sourceProgress,
  UploadFields,
} from '../../shared/api/data-source.ts';
import type { Jobs } from '../../shared/jobs/jobs.ts';
import { mapEach } from '../../shared/primitives/iterables.ts';
import { type Access, createAccess, requireRoom } from '../access.ts';
import type { Handlers } from '../http/handlers.ts';
import { HttpError } from '../http-error.ts';
import { createUuid, toTimestamp } from '../identifiers.ts';
import type { Quota } from '../quota.ts';
import { withoutFailure } from '../meta.ts';
import { type SourceRecord, toPassageSource } from '../store/source-store.ts';
import type { Store, Stores } from '../store/store.ts';

type SourceAnswer = z.input<typeof DataSource>;
type RestartAnswer = z.input<typeof RescrapeResult>;

const maxSources = 10_000;

/** The rules of data sources. A source that waits has a job, which is added together with it. */
export function createSources(parts: {
  store: Store;
  access: Access;
  /** Ingest sources, by their uuids. */
  jobs: Jobs;
  quota: Pick<Quota, 'within'>;
  now: () => number;
}) {
  const { store, access, jobs, quota, now } = parts;

  /** A source that is not ready may still have older passages. */
  const render = async (source: SourceRecord): Promise<SourceAnswer> => {
    const sinceMs =
      source.status === 'success' ? undefined : await store.passages.publishedMs(source.uuid);
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

  const addJob = (tx: Stores, owner: string, { uuid, fileSize }: SourceRecord) =>
    jobs.add([{ key: uuid, owner, bytes: fileSize }], tx.queries);

  /** @param path of the source's file, if it has one */
  const add = async (owner: string, source: SourceRecord, path?: string): Promise<SourceAnswer> => {
    const { chatbot, identity, uuid } = source;
    const existing = await quota.within(owner, async (tx) => {
      await createAccess(tx).chatbot(owner, chatbot);
      // A duplicate is one however many sources there are.
      const known = identity && (await tx.sources.findIdentical(chatbot, identity));
      if (known) return known;
      requireRoom('source', await tx.sources.count(chatbot), maxSources);
      await tx.sources.insert(source);
      if (path !== undefined) await tx.files.put(uuid, path);
      await addJob(tx, owner, source);
      return undefined;
    });
    if (existing) return addAgain(owner, existing);
    jobs.wake();
    return render(source);
  };

  const startAgain = async (owner: string, { uuid }: SourceRecord): Promise<SourceAnswer> => {
    const waiting = await store.transaction(async (tx) => {
      const source = await createAccess(tx).source(owner, uuid);
      const changes = {
        status: 'await',
        meta: withoutFailure(source.meta),
        modifiedMs: now(),
      } as const;
      await tx.sources.update(uuid, changes);
      await jobs.cancel(uuid, tx.queries);
      await addJob(tx, owner, source);
      return { ...source, ...changes };
    });
    jobs.wake();
    return render(waiting);
  };

  const addAgain = async (owner: string, existing: SourceRecord): Promise<SourceAnswer> => {
    if (sourceProgress(existing.status) === 'failed') return startAgain(owner, existing);
    const params = { name: existing.fileName, uuid: existing.uuid };
    const body = await render(existing);
    throw new HttpError(409, { code: 'source_exists', params }, { body });
  };

  const remove = async (uuid: string): Promise<void> => {
    await store.transaction(async (tx) => {
      await tx.passages.remove(uuid);
      await tx.sources.delete(uuid);
      await jobs.cancel(uuid, tx.queries);
    });
    jobs.wake();
  };

  /**
   * All or none.
   * @throws {HttpError} 404 when one of them is missing
   */
  const removeEach = async (owner: string, uuids: readonly string[]) => {
    const chatbots = new Set<string>();
    for (const uuid of uuids) chatbots.add((await access.source(owner, uuid)).chatbot);
    for (const uuid of uuids) await remove(uuid);
    for (const chatbot of chatbots) {
      await store.agents.forgetSources(chatbot, uuids);
      await store.tags.forgetSources(chatbot, uuids);
    }
    return { success: true };
  };

  const startEach = async (
    owner: string,
    uuids: readonly string[],
    start: (source: SourceRecord) => Promise<RestartAnswer>,
  ): Promise<RestartAnswer[]> => {
    const answers: RestartAnswer[] = [];
    for (const uuid of uuids) {
      const source = await store.sources.get(uuid, owner);
      answers.push(source ? await start(source) : { uuid, error: 'invalid data source' });
    }
    return answers;
  };

  const handlers = {
    /**
     * A duplicate that failed is restarted.
     * @throws {HttpError} 409 with the existing source when there is a duplicate
     */
    async uploadDataSource({ owner, params: { uuid: chatbot }, body: receive }) {
      await access.chatbot(owner, chatbot);
      const { file, fields } = await receive();
      const source: SourceRecord = {
        ...draft(chatbot, 'upload', file.fileName),
        identity: `${file.digest} ${file.fileName}`,
        title: file.fileName,
        fileSize: file.bytes,
        contentType: file.contentType,
        meta: parseUploadMeta(fields),
      };
      return add(owner, source, file.path);
    },

    /** @throws {HttpError} 409 when there is a duplicate, as with files */
    async addUrlSource({ owner, params, body }) {
      const { href } = parseWebAddress(body.url);
      return add(owner, {
        ...draft(params.uuid, 'link', href),
        identity: href,
        meta: toLinkMeta(body.reference_source_link),
      });
    },

    addQaSource({ owner, params, body: { question, answer, reference_source_link } }) {
      return add(owner, {
        ...draft(params.uuid, 'qa', ''),
        title: question,
        titleIsGiven: true,
        fileSize: Buffer.byteLength(question) + Buffer.byteLength(answer),
        meta: { question, answer, ...toLinkMeta(reference_source_link) },
      });
    },

    async listDataSources({ owner, params: { uuid: chatbot } }) {
      await access.chatbot(owner, chatbot);
      return mapEach(store.sources.each(chatbot), render);
    },

    getDataSource: async ({ owner, params }) => render(await access.source(owner, params.uuid)),

    async updateDataSource({ owner, params: { uuid }, body: { title } }) {
      const source = await quota.within(owner, async (tx) => {
        const changes = { title, titleIsGiven: true, modifiedMs: now() };
        const changed = { ...(await createAccess(tx).source(owner, uuid)), ...changes };
        await tx.sources.update(uuid, changes);
        await tx.passages.retitle(toPassageSource(changed));
        return changed;
      });
      return render(source);
    },

    deleteDataSource: ({ owner, params }) => removeEach(owner, [params.uuid]),

    deleteDataSources: ({ owner, body }) => removeEach(owner, body.uuids),

    /** Fetches links again. */
    rescrapeUrlSources: ({ owner, body }) =>
      startEach(owner, body.uuids, async (source) => {
        const { uuid } = source;
        if (source.type !== 'link') return { uuid, error: 'invalid data source' };
        await startAgain(owner, source);
        return { uuid, status: 'restarted scraping' };
      }),

    /** Restarts failed sources. */
    restartDataSources: ({ owner, body }) =>
      startEach(owner, body.uuids, async (source) => {
        const { uuid, status } = source;
        if (sourceProgress(status) !== 'failed') {
          return { uuid, error: `not failed: its status is ${status}` };
        }
        await startAgain(owner, source);
        return { uuid, status: 'restarted' };
      }),
  } satisfies Partial<Handlers>;

  return {
    handlers,
    async deleteAllOf(chatbot: string) {
      for await (const { uuid } of store.sources.each(chatbot)) await remove(uuid);
    },
  };
}

const UploadMeta = z.looseObject({
  reference_source_link: UploadFields.shape.reference_source_link,
});

/**
 * The link of an upload, which clients send as a form field or within `meta_json`.
 * @throws {HttpError} 400 when `meta_json` is not a JSON object, or its link is not valid
 */
function parseUploadMeta(fields: z.output<typeof UploadFields>): SourceMeta {
  return toLinkMeta(fields.reference_source_link ?? parseMetaLink(fields.meta_json));
}

function parseMetaLink(metaJson: string | undefined): string | undefined {
  if (metaJson === undefined || metaJson === '') return undefined;
  try {
    return UploadMeta.parse(JSON.parse(metaJson)).reference_source_link;
  } catch {
    throw new HttpError(400, 'meta_invalid');
  }
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
