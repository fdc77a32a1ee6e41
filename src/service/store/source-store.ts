import type { DatabaseSync } from 'node:sqlite';
import type { SourceMeta, SourceStatus } from '../../shared/api/data-source.ts';
import type { WaitingSource } from '../ingestion/fair-queue.ts';
import { readRows } from './database.ts';
import type { PassageSource } from './passage-versions.ts';
import { createTable } from './table.ts';

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

interface SourceStore {
  insert(source: SourceRecord): void;
  update(source: SourceRecord): void;
  get(uuid: string, owner: string): SourceRecord | undefined;
  /** For the service's own work, for any owner. */
  find(uuid: string): SourceRecord | undefined;
  findIdentical(chatbot: string, identity: string): SourceRecord | undefined;
  each(chatbot: string): IteratorObject<SourceRecord>;
  /** The first of the uuids that names no source of the chatbot. */
  findForeign(chatbot: string, uuids: readonly string[]): string | undefined;
  listUuids(): string[];
  /** The numbers by which choices contain these sources. */
  listNumbers(uuids: readonly string[]): number[];
  count(chatbot: string): number;
  /** Uuids of ready sources for which the number of their vectors is not stored. */
  listWithoutEmbedded(): string[];
  /** Sources whose ingestion has not finished, oldest first. */
  listUnfinished(): WaitingSource[];
  delete(uuid: string): void;
}

/** All sources of all owners. */
export function readStoredSources(database: DatabaseSync): { uuid: string; type: string }[] {
  return readRows(database.prepare('SELECT uuid, type FROM sources'));
}

/** Sources in the database; their files and passages are stored elsewhere. */
export function createSourceStore(database: DatabaseSync): SourceStore {
  const sources = createTable<SourceRecord>(database, 'sources', {
    columns: {
      uuid: 'plain',
      chatbot: 'plain',
      type: 'plain',
      identity: 'plain',
      title: 'plain',
      titleIsGiven: 'boolean',
      fileName: 'plain',
      fileSize: 'plain',
      contentType: 'plain',
      tokens: 'plain',
      status: 'plain',
      meta: 'json',
      createdMs: 'plain',
      modifiedMs: 'plain',
    },
    fixed: ['chatbot', 'type', 'identity', 'createdMs'],
  });
  const foreign = database.prepare(
    `SELECT value FROM json_each(?) WHERE NOT EXISTS
       (SELECT 1 FROM sources WHERE uuid = value AND chatbot = ?) LIMIT 1`,
  );
  const uuids = database.prepare('SELECT uuid FROM sources');
  const count = database.prepare('SELECT count(*) AS count FROM sources WHERE chatbot = ?');
  const numbers = database.prepare(
    'SELECT id FROM sources WHERE uuid IN (SELECT value FROM json_each(?)) ORDER BY id',
  );
  const unfinished = database.prepare(
    `SELECT sources.uuid, owner, file_size AS bytes FROM sources
     JOIN chatbots ON chatbots.uuid = sources.chatbot
     WHERE status IN ('await', 'chunking', 'embedding')
     ORDER BY sources.id`,
  );
  const withoutEmbedded = database.prepare(
    `SELECT uuid FROM sources
     WHERE status = 'success' AND json_extract(meta, '$.embedded') IS NULL ORDER BY id`,
  );

  return {
    ...sources,
    get: sources.select(
      `JOIN chatbots ON chatbots.uuid = sources.chatbot
       WHERE sources.uuid = ? AND chatbots.owner = ?`,
    ).first,
    find: sources.select('WHERE uuid = ?').first,
    findIdentical: sources.select('WHERE chatbot = ? AND identity = ?').first,
    each: sources.each('chatbot = ?'),
    findForeign(chatbot, wanted) {
      const row = foreign.get(JSON.stringify(wanted), chatbot);
      return row && String(row['value']);
    },
    listUuids: () => readRows<{ uuid: string }>(uuids).map(({ uuid }) => uuid),
    listWithoutEmbedded: () => readRows<{ uuid: string }>(withoutEmbedded).map(({ uuid }) => uuid),
    listNumbers: (uuids) =>
      readRows<{ id: number }>(numbers, JSON.stringify(uuids)).map(({ id }) => id),
    count: (chatbot) => Number(count.get(chatbot)?.['count']),
    listUnfinished: () => readRows<WaitingSource>(unfinished),
  };
}

/** The fields of a source that the passage store needs for citations. */
export function toPassageSource(source: SourceRecord): PassageSource {
  const { uuid, title, fileName, type } = source;
  return { uuid, title, file_name: fileName, type };
}
