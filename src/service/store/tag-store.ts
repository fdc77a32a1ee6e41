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
  list(chatbot: string): TagRecord[];
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
  const dropSources = database.prepare('DELETE FROM tag_sources WHERE tag = ?');
  const addSource = database.prepare('INSERT INTO tag_sources (tag, source) VALUES (?, ?)');

  const writeSources = (tag: TagRecord) => {
    dropSources.run(tag.uuid);
    for (const source of new Set(tag.sources)) addSource.run(tag.uuid, source);
  };

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
    list: tags.select('WHERE chatbot = ? ORDER BY tags.id').all,
  };
}
