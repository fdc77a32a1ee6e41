import type { DatabaseSync } from 'node:sqlite';
import { readRows } from './database.ts';
import { createTable } from './table.ts';

export interface TagRecord {
  uuid: string;
  chatbot: string;
  name: string;
  color: string;
  sources: string[];
  createdMs: number;
  modifiedMs: number;
}

export interface TagStore {
  insert(tag: TagRecord): void;
  update(tag: TagRecord): void;
  get(uuid: string, owner: string): TagRecord | undefined;
  each(chatbot: string): IteratorObject<TagRecord>;
  /** Uuids of a chatbot's tags. */
  listUuids(chatbot: string): string[];
  /** Uuids of the sources that have any of the tags, each once. */
  listSources(tags: readonly string[]): string[];
  delete(uuid: string): void;
}

/** `insert` and `update` write several rows, so the caller opens the transaction. */
export function createTagStore(database: DatabaseSync): TagStore {
  const tags = createTable<TagRecord>(database, 'tags', {
    columns: {
      uuid: 'plain',
      chatbot: 'plain',
      name: 'plain',
      color: 'plain',
      sources: {
        computed: '(SELECT json_group_array(source) FROM tag_sources WHERE tag = tags.uuid)',
      },
      createdMs: 'plain',
      modifiedMs: 'plain',
    },
    fixed: ['chatbot', 'createdMs'],
  });
  const dropSources = database.prepare(
    `DELETE FROM tag_sources WHERE tag = ? AND source NOT IN (SELECT value FROM json_each(?))`,
  );
  const addSources = database.prepare(
    `INSERT INTO tag_sources (tag, source) SELECT ?, value FROM json_each(?) WHERE true
     ON CONFLICT DO NOTHING`,
  );

  const writeSources = (tag: TagRecord) => {
    const sources = JSON.stringify(tag.sources);
    dropSources.run(tag.uuid, sources);
    addSources.run(tag.uuid, sources);
  };

  const uuids = database.prepare('SELECT uuid FROM tags WHERE chatbot = ?');
  const sourcesOf = database.prepare(
    `SELECT DISTINCT source FROM json_each(?) JOIN tag_sources ON tag = value ORDER BY source`,
  );

  return {
    listSources: (uuids) =>
      readRows<{ source: string }>(sourcesOf, JSON.stringify(uuids)).map(({ source }) => source),
    insert(tag) {
      tags.insert(tag);
      writeSources(tag);
    },
    update(tag) {
      tags.update(tag);
      writeSources(tag);
    },
    delete: tags.delete,
    get: tags.select(
      `JOIN chatbots ON chatbots.uuid = tags.chatbot
       WHERE tags.uuid = ? AND chatbots.owner = ?`,
    ).first,
    // Each may have thousands of sources.
    each: tags.each('chatbot = ?', { pageSize: 2 }),
    listUuids: (chatbot) => readRows<{ uuid: string }>(uuids, chatbot).map(({ uuid }) => uuid),
  };
}
