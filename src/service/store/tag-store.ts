import { mapEach } from '../../shared/primitives/iterables.ts';
import { eachById } from '../../shared/stores/pages.ts';
import type { Queries } from './schema.ts';
import { createSourceChoices } from './source-choices.ts';

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

/** Each may have thousands of sources. */
const pageSize = 2;

/** `insert` and `update` write several rows, so the caller opens the transaction. */
export function createTagStore(db: Queries) {
  const select = () => db.selectFrom('tags').selectAll('tags');
  const chosen = createSourceChoices(db, 'tags');

  async function toTag(found: Omit<TagRecord, 'sources'> & { id: number }) {
    const { id: _, ...row } = found;
    return { ...row, sources: await chosen.of(row.uuid) };
  }

  return {
    async insert(tag: TagRecord) {
      const { sources, ...row } = tag;
      await db.insertInto('tags').values(row).execute();
      await chosen.set(tag.uuid, sources);
    },
    /** Writes what can change of a tag. Sources that have not changed are left as they are. */
    async update(before: TagRecord, tag: TagRecord) {
      const { uuid, name, color, modifiedMs } = tag;
      await db
        .updateTable('tags')
        .set({ name, color, modifiedMs })
        .where('uuid', '=', uuid)
        .execute();
      if (tag.sources !== before.sources) await chosen.set(uuid, tag.sources);
    },
    async get(uuid: string, owner: string) {
      const row = await select()
        .innerJoin('chatbots', 'chatbots.uuid', 'tags.chatbot')
        .where('tags.uuid', '=', uuid)
        .where('chatbots.owner', '=', owner)
        .executeTakeFirst();
      return row && toTag(row);
    },
    each: (chatbot: string) =>
      mapEach(eachById(select().where('chatbot', '=', chatbot), pageSize), toTag),
    /** Uuids of a chatbot's tags. */
    async listUuids(chatbot: string) {
      const rows = await db
        .selectFrom('tags')
        .select('uuid')
        .where('chatbot', '=', chatbot)
        .execute();
      return rows.map(({ uuid }) => uuid);
    },
    /** Uuids of the sources that have any of the tags, each once. */
    async listSources(tags: readonly string[]) {
      if (tags.length === 0) return [];
      const rows = await db
        .selectFrom('tagSources')
        .select('source')
        .distinct()
        .where('holder', 'in', tags)
        .orderBy('source')
        .execute();
      return rows.map(({ source }) => source);
    },
    /** Deletes sources that are gone from a chatbot's tags, a tag at a time. */
    forgetSources: chosen.forget,
    async delete(uuid: string) {
      await db.deleteFrom('tags').where('uuid', '=', uuid).execute();
    },
  };
}
