import { toBatches } from '../../shared/primitives/iterables.ts';
import { inPages } from '../../shared/stores/pages.ts';
import type { Queries } from './schema.ts';

export interface TagRecord {
  uuid: string;
  chatbot: string;
  name: string;
  color: string;
  /** Uuids of sources, in the order in which those were added. */
  sources: string[];
  createdMs: number;
  modifiedMs: number;
}

interface TagStore {
  insert(tag: TagRecord): Promise<void>;
  /** Writes what can change of a tag. Sources that have not changed are left as they are. */
  update(before: TagRecord, tag: TagRecord): Promise<void>;
  get(uuid: string, owner: string): Promise<TagRecord | undefined>;
  each(chatbot: string): AsyncGenerator<TagRecord, void>;
  /** Uuids of a chatbot's tags. */
  listUuids(chatbot: string): Promise<string[]>;
  /** Deletes sources that are gone from a chatbot's tags, a tag at a time. */
  forgetSources(chatbot: string, sources: readonly string[]): Promise<void>;
  /** Uuids of the sources that have any of the tags, each once. */
  listSources(tags: readonly string[]): Promise<string[]>;
  delete(uuid: string): Promise<void>;
}

/** Each may have thousands of sources. */
const pageSize = 2;
/** Sources written by one statement. */
const batchSize = 200;

/** `insert` and `update` write several rows, so the caller opens the transaction. */
export function createTagStore(db: Queries): TagStore {
  const select = () => db.selectFrom('tags').selectAll('tags');

  async function toTag(found: Omit<TagRecord, 'sources'> & { id: number }) {
    const { id: _, ...row } = found;
    const sources = await db
      .selectFrom('tagSources')
      .innerJoin('sources', 'sources.uuid', 'tagSources.source')
      .select('source')
      .where('tag', '=', row.uuid)
      .orderBy('sources.id')
      .execute();
    return { ...row, sources: sources.map(({ source }) => source) };
  }

  async function writeSources({ uuid: tag, sources }: TagRecord): Promise<void> {
    await db.deleteFrom('tagSources').where('tag', '=', tag).execute();
    for (const batch of toBatches(new Set(sources), batchSize)) {
      const rows = batch.map((source) => ({ tag, source }));
      await db.insertInto('tagSources').values(rows).execute();
    }
  }

  return {
    async insert(tag) {
      const { sources: _, ...row } = tag;
      await db.insertInto('tags').values(row).execute();
      await writeSources(tag);
    },
    async update(before, tag) {
      const { uuid, name, color, modifiedMs } = tag;
      await db
        .updateTable('tags')
        .set({ name, color, modifiedMs })
        .where('uuid', '=', uuid)
        .execute();
      if (tag.sources !== before.sources) await writeSources(tag);
    },
    async get(uuid, owner) {
      const row = await select()
        .innerJoin('chatbots', 'chatbots.uuid', 'tags.chatbot')
        .where('tags.uuid', '=', uuid)
        .where('chatbots.owner', '=', owner)
        .executeTakeFirst();
      return row && toTag(row);
    },
    async *each(chatbot) {
      const pages = inPages(pageSize, (after = 0, size) =>
        select()
          .where('chatbot', '=', chatbot)
          .where('id', '>', after)
          .orderBy('id')
          .limit(size)
          .execute(),
      );
      for await (const row of pages) yield await toTag(row);
    },
    async listUuids(chatbot) {
      const rows = await db
        .selectFrom('tags')
        .select('uuid')
        .where('chatbot', '=', chatbot)
        .execute();
      return rows.map(({ uuid }) => uuid);
    },
    async listSources(tags) {
      if (tags.length === 0) return [];
      const rows = await db
        .selectFrom('tagSources')
        .select('source')
        .distinct()
        .where('tag', 'in', tags)
        .orderBy('source')
        .execute();
      return rows.map(({ source }) => source);
    },
    async forgetSources(chatbot, sources) {
      const tags = await db
        .selectFrom('tags')
        .select('uuid')
        .where('chatbot', '=', chatbot)
        .execute();
      for (const { uuid } of tags) {
        for (const batch of toBatches(sources, batchSize)) {
          await db
            .deleteFrom('tagSources')
            .where('tag', '=', uuid)
            .where('source', 'in', batch)
            .execute();
        }
      }
    },
    async delete(uuid) {
      await db.deleteFrom('tags').where('uuid', '=', uuid).execute();
    },
  };
}
