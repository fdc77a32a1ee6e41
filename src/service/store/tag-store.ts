import type { DatabaseSync } from 'node:sqlite';
import { listChosen } from './choice-store.ts';
import { readRows } from './database.ts';
import { createTable } from './table.ts';

export interface TagRecord {
  uuid: string;
  chatbot: string;
  name: string;
  color: string;
  /** Uuids of sources: only read here, and written by ChoiceStore. */
  sources: string[];
  createdMs: number;
  modifiedMs: number;
}

interface TagStore {
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

export function createTagStore(database: DatabaseSync): TagStore {
  const tags = createTable<TagRecord>(database, 'tags', {
    columns: {
      uuid: 'plain',
      chatbot: 'plain',
      name: 'plain',
      color: 'plain',
      sources: { computed: listChosen('tag') },
      createdMs: 'plain',
      modifiedMs: 'plain',
    },
    fixed: ['chatbot', 'createdMs'],
  });
  const uuids = database.prepare('SELECT uuid FROM tags WHERE chatbot = ?');
  const sourcesOf = database.prepare(
    `SELECT DISTINCT sources.uuid AS source FROM json_each(?) AS wanted
     JOIN choices ON tag = wanted.value
     JOIN chosen_sources ON choice = choices.id
     JOIN sources ON sources.id = chosen_sources.source ORDER BY sources.uuid`,
  );

  return {
    listSources: (uuids) =>
      readRows<{ source: string }>(sourcesOf, JSON.stringify(uuids)).map(({ source }) => source),
    insert: tags.insert,
    update: tags.update,
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
