import { open } from 'node:fs/promises';
import type { SourceMeta, SourceStatus } from '../../shared/api/data-source.ts';
import type { Job } from '../../shared/jobs/jobs.ts';
import { mapEach } from '../../shared/primitives/iterables.ts';
import { countAll, eachById, eachPage } from '../../shared/stores/pages.ts';
import type { PassageSource } from './passage-draft.ts';
import type { Queries, Row } from './schema.ts';

export interface SourceRecord extends Omit<
  Row<'sources'>,
  'id' | 'type' | 'titleIsGiven' | 'status' | 'meta'
> {
  type: 'upload' | 'link' | 'qa';
  titleIsGiven: boolean;
  status: SourceStatus;
  meta: SourceMeta;
}

/** What of a source can change. */
export type SourceChanges = Partial<
  Omit<SourceRecord, 'uuid' | 'chatbot' | 'type' | 'identity' | 'createdMs'>
>;

/** What `sourceProgress` calls waiting. */
export const unfinishedStatuses: readonly SourceStatus[] = ['await', 'chunking', 'embedding'];

const pageSize = 50;
const jobPageSize = 200;

/** Sources in the database; their files and passages have tables of their own. */
export function createSourceStore(db: Queries) {
  const select = () => db.selectFrom('sources').selectAll('sources');

  return {
    /** Rejects if the chatbot has a source of the same identity. */
    async insert({ meta, titleIsGiven, ...source }: SourceRecord) {
      const json = { titleIsGiven: Number(titleIsGiven), meta: JSON.stringify(meta) };
      await db
        .insertInto('sources')
        .values({ ...source, ...json })
        .execute();
    },
    /** Writes these columns alone, so that changes of others stay. */
    async update(uuid: string, { meta, titleIsGiven, ...changes }: SourceChanges) {
      await db
        .updateTable('sources')
        .set({
          ...changes,
          ...(meta && { meta: JSON.stringify(meta) }),
          ...(titleIsGiven !== undefined && { titleIsGiven: Number(titleIsGiven) }),
        })
        .where('uuid', '=', uuid)
        .execute();
    },
    async get(uuid: string, owner: string) {
      const row = await select()
        .innerJoin('chatbots', 'chatbots.uuid', 'sources.chatbot')
        .where('sources.uuid', '=', uuid)
        .where('chatbots.owner', '=', owner)
        .executeTakeFirst();
      return row && toSource(row);
    },
    /** For the service's own work, for any owner. */
    async find(uuid: string) {
      const row = await select().where('uuid', '=', uuid).executeTakeFirst();
      return row && toSource(row);
    },
    async findIdentical(chatbot: string, identity: string) {
      const row = await select()
        .where('chatbot', '=', chatbot)
        .where('identity', '=', identity)
        .executeTakeFirst();
      return row && toSource(row);
    },
    each: (chatbot: string) =>
      mapEach(eachById(select().where('chatbot', '=', chatbot), pageSize), toSource),
    /** Those of the uuids that are sources of the chatbot. */
    async listOf(chatbot: string, uuids: readonly string[]) {
      // SQLite would read all sources of the chatbot if the query named it.
      const rows = await db
        .selectFrom('sources')
        .select(['uuid', 'chatbot'])
        .where('uuid', 'in', uuids)
        .execute();
      return rows.filter((row) => row.chatbot === chatbot).map(({ uuid }) => uuid);
    },
    count: (chatbot: string) => countAll(db.selectFrom('sources').where('chatbot', '=', chatbot)),
    /** The sources that are ready, of all chatbots. */
    eachReady: () =>
      mapEach(eachById(select().where('status', '=', 'success'), pageSize), toSource),
    /** The jobs of sources whose ingestion has not finished: pages of each status, oldest first. */
    async *eachUnfinished(): AsyncGenerator<Job[], void> {
      for (const status of unfinishedStatuses) {
        const pages = eachPage(jobPageSize, (after = 0, limit) =>
          db
            .selectFrom('sources')
            .innerJoin('chatbots', 'chatbots.uuid', 'sources.chatbot')
            .select(['sources.id', 'sources.uuid as key', 'owner', 'sources.fileSize as bytes'])
            // An index has the sources of one status in this order.
            .where('status', '=', status)
            .where('sources.id', '>', after)
            .orderBy('sources.id')
            .limit(limit)
            .execute(),
        );
        for await (const page of pages)
          yield page.map(({ key, owner, bytes }) => ({ key, owner, bytes }));
      }
    },
    /** How many of them there are, by status. */
    countUnfinished: () =>
      db
        .selectFrom('sources')
        .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
        .where('status', 'in', unfinishedStatuses)
        .groupBy('status')
        .execute(),
    async delete(uuid: string) {
      await db.deleteFrom('sources').where('uuid', '=', uuid).execute();
    },
  };
}

function toSource(found: Row<'sources'>): SourceRecord {
  const { id: _, ...row } = found;
  return {
    ...row,
    type: row.type as SourceRecord['type'],
    status: row.status as SourceStatus,
    titleIsGiven: row.titleIsGiven === 1,
    meta: JSON.parse(row.meta) as SourceMeta,
  };
}

/** The fields of a source that its passages are cited with. */
export function toPassageSource({ uuid, title, fileName, type }: SourceRecord): PassageSource {
  return { uuid, title, file_name: fileName, type };
}

const partBytes = 1024 * 1024;

/**
 * The uploaded files of sources, which go with their source: in parts, so that neither a write nor a read
 * holds a whole one.
 */
export function createFileStore(db: Queries) {
  return {
    /** Stores a file as the source's. */
    async put(source: string, path: string) {
      await using file = await open(path);
      const data = Buffer.alloc(partBytes);
      for (let part = 0; ; part += 1) {
        const { bytesRead } = await file.read(data, 0, partBytes, part * partBytes);
        if (bytesRead === 0) return;
        const row = { source, part, data: data.subarray(0, bytesRead) };
        await db.insertInto('sourceFiles').values(row).execute();
      }
    },
    /**
     * Writes a source's file to a path.
     * @returns false if it has none
     */
    async copyTo(path: string, source: string) {
      await using file = await open(path, 'wx', 0o600);
      for (let part = 0; ; part += 1) {
        const row = await db
          .selectFrom('sourceFiles')
          .select('data')
          .where('source', '=', source)
          .where('part', '=', part)
          .executeTakeFirst();
        if (!row) return part > 0;
        await file.write(row.data);
      }
    },
  };
}
