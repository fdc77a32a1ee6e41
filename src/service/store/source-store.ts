import type { DatabaseSync } from 'node:sqlite';
import type { SourceMeta } from '../../api/data-source.ts';
import { readRows } from './database.ts';
import type { PassageSource } from './passage-store.ts';

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
  status: string;
  meta: SourceMeta;
  createdMs: number;
  modifiedMs: number;
}

export interface SourceStore {
  insert(source: SourceRecord): void;
  update(source: SourceRecord): void;
  get(uuid: string, owner: string): SourceRecord | undefined;
  /** For the service's own work, for any owner. */
  find(uuid: string): SourceRecord | undefined;
  findIdentical(chatbot: string, identity: string): SourceRecord | undefined;
  list(chatbot: string): SourceRecord[];
  listUuids(): string[];
  count(chatbot: string): number;
  /** Uuids of sources whose ingestion has not finished, oldest first. */
  listUnfinished(limit: number): string[];
  delete(uuid: string): void;
}

type Row = Omit<SourceRecord, 'titleIsGiven' | 'meta'> & { titleIsGiven: number; meta: string };

const select = `SELECT sources.uuid, chatbot, type, identity, title,
  title_is_given AS titleIsGiven, file_name AS fileName, file_size AS fileSize,
  content_type AS contentType, tokens, status, meta, sources.created_ms AS createdMs,
  sources.modified_ms AS modifiedMs FROM sources`;

/** Sources in the database; their files and passages are stored elsewhere. */
export function createSourceStore(database: DatabaseSync): SourceStore {
  const insert = database.prepare(
    `INSERT INTO sources (chatbot, type, identity, created_ms, title, title_is_given, file_name,
       file_size, content_type, tokens, status, meta, modified_ms, uuid)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = database.prepare(
    `UPDATE sources SET title = ?, title_is_given = ?, file_name = ?, file_size = ?,
       content_type = ?, tokens = ?, status = ?, meta = ?, modified_ms = ? WHERE uuid = ?`,
  );
  const get = database.prepare(
    `${select} JOIN chatbots ON chatbots.uuid = sources.chatbot
     WHERE sources.uuid = ? AND chatbots.owner = ?`,
  );
  const find = database.prepare(`${select} WHERE uuid = ?`);
  const identical = database.prepare(`${select} WHERE chatbot = ? AND identity = ?`);
  const list = database.prepare(`${select} WHERE chatbot = ? ORDER BY id`);
  const uuids = database.prepare('SELECT uuid FROM sources');
  const count = database.prepare('SELECT count(*) AS count FROM sources WHERE chatbot = ?');
  const unfinished = database.prepare(
    `SELECT uuid FROM sources
     WHERE status IN ('await', 'downloading', 'extracting', 'chunking', 'embedding', 'running')
     ORDER BY id LIMIT ?`,
  );
  const remove = database.prepare('DELETE FROM sources WHERE uuid = ?');

  const first = (row: Row | undefined) => row && fromRow(row);

  return {
    insert(source) {
      insert.run(
        source.chatbot,
        source.type,
        source.identity,
        source.createdMs,
        ...changeable(source),
      );
    },
    update(source) {
      update.run(...changeable(source));
    },
    get: (uuid, owner) => first(get.get(uuid, owner) as Row | undefined),
    find: (uuid) => first(find.get(uuid) as Row | undefined),
    findIdentical: (chatbot, identity) =>
      first(identical.get(chatbot, identity) as Row | undefined),
    list: (chatbot) => readRows<Row>(list, chatbot).map(fromRow),
    listUuids: () => readRows<{ uuid: string }>(uuids).map(({ uuid }) => uuid),
    count: (chatbot) => Number(count.get(chatbot)?.['count']),
    listUnfinished: (limit) =>
      readRows<{ uuid: string }>(unfinished, limit).map(({ uuid }) => uuid),
    delete(uuid) {
      remove.run(uuid);
    },
  };
}

function changeable(source: SourceRecord) {
  return [
    source.title,
    Number(source.titleIsGiven),
    source.fileName,
    source.fileSize,
    source.contentType,
    source.tokens,
    source.status,
    JSON.stringify(source.meta),
    source.modifiedMs,
    source.uuid,
  ];
}

function fromRow(row: Row): SourceRecord {
  return {
    ...row,
    titleIsGiven: row.titleIsGiven === 1,
    meta: JSON.parse(row.meta) as SourceMeta,
  };
}

/** The fields of a source that the passage store needs for citations. */
export function toPassageSource(source: SourceRecord): PassageSource {
  const { uuid, title, fileName, type } = source;
  return { uuid, title, file_name: fileName, type };
}
