import type { DatabaseSync } from 'node:sqlite';
import { readRows } from './database.ts';

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
  delete(uuid: string): void;
}

type Row = Omit<TagRecord, 'sources'> & { sources: string };

const select = `SELECT tags.uuid, tags.chatbot, tags.name, tags.color,
  (SELECT json_group_array(source) FROM tag_sources WHERE tag = tags.uuid) AS sources,
  tags.created_ms AS createdMs, tags.modified_ms AS modifiedMs FROM tags`;

/** `insert` and `update` write several rows, so the caller opens the transaction. */
export function createTagStore(database: DatabaseSync): TagStore {
  const insert = database.prepare(
    `INSERT INTO tags (uuid, chatbot, name, color, created_ms, modified_ms)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const update = database.prepare(
    'UPDATE tags SET name = ?, color = ?, modified_ms = ? WHERE uuid = ?',
  );
  const dropSources = database.prepare('DELETE FROM tag_sources WHERE tag = ?');
  const addSource = database.prepare('INSERT INTO tag_sources (tag, source) VALUES (?, ?)');
  const get = database.prepare(
    `${select} JOIN chatbots ON chatbots.uuid = tags.chatbot
     WHERE tags.uuid = ? AND chatbots.owner = ?`,
  );
  const list = database.prepare(`${select} WHERE chatbot = ? ORDER BY tags.id`);
  const remove = database.prepare('DELETE FROM tags WHERE uuid = ?');

  const writeSources = (tag: TagRecord) => {
    dropSources.run(tag.uuid);
    for (const source of new Set(tag.sources)) addSource.run(tag.uuid, source);
  };

  return {
    insert(tag) {
      insert.run(tag.uuid, tag.chatbot, tag.name, tag.color, tag.createdMs, tag.modifiedMs);
      writeSources(tag);
    },
    update(tag) {
      update.run(tag.name, tag.color, tag.modifiedMs, tag.uuid);
      writeSources(tag);
    },
    get(uuid, owner) {
      const row = get.get(uuid, owner) as Row | undefined;
      return row && fromRow(row);
    },
    list: (chatbot) => readRows<Row>(list, chatbot).map(fromRow),
    delete(uuid) {
      remove.run(uuid);
    },
  };
}

function fromRow(row: Row): TagRecord {
  return { ...row, sources: JSON.parse(row.sources) as string[] };
}
