import type { Selectable } from 'kysely';
import type { SourceMeta, SourceStatus } from '../../shared/api/data-source.ts';
import type { Job } from '../../shared/jobs/jobs.ts';
import { mapEach } from '../../shared/primitives/iterables.ts';
import { eachById } from '../../shared/stores/pages.ts';
import type { PassageSource } from './passage-draft.ts';
import type { Queries, ServiceTables } from './schema.ts';

export interface SourceRecord {
  uuid: string;
  chatbot: string;
  type: 'upload' | 'link' | 'qa';
  /** Identifies duplicates within a chatbot; null if there can be none. */
  identity: string | null;
  title: string;
  /** A user named it, so the document's own title does not replace the name. */
  titleIsGiven: boolean;
  /** For a link, its address. */
  fileName: string;
  /** Bytes. */
  fileSize: number;
  contentType: string;
  tokens: number;
  status: SourceStatus;
  meta: SourceMeta;
  createdMs: number;
  modifiedMs: number;
}

/** What of a source can change. */
export type SourceChanges = Partial<
  Omit<SourceRecord, 'uuid' | 'chatbot' | 'type' | 'identity' | 'createdMs'>
>;

interface SourceStore {
  /** Rejects if the chatbot has a source of the same identity. */
  insert(source: SourceRecord): Promise<void>;
  /** Writes these columns alone, so that changes of others stay. */
  update(uuid: string, changes: SourceChanges): Promise<void>;
  get(uuid: string, owner: string): Promise<SourceRecord | undefined>;
  /** For the service's own work, for any owner. */
  find(uuid: string): Promise<SourceRecord | undefined>;
  findIdentical(chatbot: string, identity: string): Promise<SourceRecord | undefined>;
  each(chatbot: string): AsyncGenerator<SourceRecord, void>;
  /** Those of the uuids that are sources of the chatbot. */
  listOf(chatbot: string, uuids: readonly string[]): Promise<string[]>;
  count(chatbot: string): Promise<number>;
  /** The sources that are ready, of all chatbots. */
  eachReady(): AsyncGenerator<SourceRecord, void>;
  /** The jobs of sources whose ingestion has not finished, oldest first. */
  listUnfinished(): Promise<Job[]>;
  /** How many of them there are, by status. */
  countUnfinished(): Promise<{ status: string; count: number }[]>;
  delete(uuid: string): Promise<void>;
}

/** What `sourceProgress` calls waiting. */
export const unfinishedStatuses: readonly SourceStatus[] = ['await', 'chunking', 'embedding'];

const pageSize = 50;

/** Sources in the database; their files and passages have tables of their own. */
export function createSourceStore(db: Queries): SourceStore {
  const select = () => db.selectFrom('sources').selectAll('sources');

  return {
    async insert({ meta, titleIsGiven, ...source }) {
      const json = { titleIsGiven: Number(titleIsGiven), meta: JSON.stringify(meta) };
      await db
        .insertInto('sources')
        .values({ ...source, ...json })
        .execute();
    },
    async update(uuid, { meta, titleIsGiven, ...changes }) {
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
    async get(uuid, owner) {
      const row = await select()
        .innerJoin('chatbots', 'chatbots.uuid', 'sources.chatbot')
        .where('sources.uuid', '=', uuid)
        .where('chatbots.owner', '=', owner)
        .executeTakeFirst();
      return row && toSource(row);
    },
    async find(uuid) {
      const row = await select().where('uuid', '=', uuid).executeTakeFirst();
      return row && toSource(row);
    },
    async findIdentical(chatbot, identity) {
      const row = await select()
        .where('chatbot', '=', chatbot)
        .where('identity', '=', identity)
        .executeTakeFirst();
      return row && toSource(row);
    },
    each: (chatbot) =>
      mapEach(eachById(select().where('chatbot', '=', chatbot), pageSize), toSource),
    async listOf(chatbot, uuids) {
      const rows = await db
        .selectFrom('sources')
        .select('uuid')
        .where('chatbot', '=', chatbot)
        .where('uuid', 'in', uuids)
        .execute();
      return rows.map(({ uuid }) => uuid);
    },
    async count(chatbot) {
      const row = await db
        .selectFrom('sources')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('chatbot', '=', chatbot)
        .executeTakeFirst();
      return row?.count ?? 0;
    },
    eachReady: () =>
      mapEach(eachById(select().where('status', '=', 'success'), pageSize), toSource),
    listUnfinished: () =>
      db
        .selectFrom('sources')
        .innerJoin('chatbots', 'chatbots.uuid', 'sources.chatbot')
        .select(['sources.uuid as key', 'chatbots.owner', 'sources.fileSize as bytes'])
        .where('status', 'in', unfinishedStatuses)
        .orderBy('sources.id')
        .execute(),
    countUnfinished: () =>
      db
        .selectFrom('sources')
        .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
        .where('status', 'in', unfinishedStatuses)
        .groupBy('status')
        .execute(),
    async delete(uuid) {
      await db.deleteFrom('sources').where('uuid', '=', uuid).execute();
    },
  };
}

type Row = Selectable<ServiceTables['sources']>;

function toSource(found: Row): SourceRecord {
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
