import { mapEach, toBatches } from '../../shared/primitives/iterables.ts';
import { eachById } from '../../shared/stores/pages.ts';
import type { Queries, Row } from './schema.ts';

export interface TagRecord extends Omit<Row<'tags'>, 'id'> {
  /** Uuids of sources, in the order in which those were added. */
  sources: string[];
}

/** Each may have thousands of sources. */
const pageSize = 2;

/** `insert` and `update` write several rows, so the caller opens the transaction. */
export function createTagStore(db: Queries) {
  const select = () => db.selectFrom('tags').selectAll('tags');
  const chosen = createSourceChoices(db, 'tags');

  async function toTag(found: Row<'tags'>) {
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

/** Sources written or deleted by one statement. */
const batchSize = 200;

const tables = { agents: 'agentSources', tags: 'tagSources' } as const;

/** The sources that agents or tags have chosen. One that is gone counts as not chosen. */
export function createSourceChoices(db: Queries, holders: keyof typeof tables) {
  const table = tables[holders];

  return {
    /** Uuids of the sources that an agent or tag has chosen, in the order in which those were added. */
    async of(holder: string) {
      const rows = await db
        .selectFrom(table)
        .innerJoin('sources', 'uuid', 'source')
        .select('source')
        .where('holder', '=', holder)
        .orderBy('sources.id')
        .execute();
      return rows.map(({ source }) => source);
    },
    /** Replaces what an agent or tag has chosen. The caller opens the transaction. */
    async set(holder: string, sources: readonly string[]) {
      await db.deleteFrom(table).where('holder', '=', holder).execute();
      for (const batch of toBatches(new Set(sources), batchSize)) {
        const rows = batch.map((source) => ({ holder, source }));
        await db.insertInto(table).values(rows).execute();
      }
    },
    /** Deletes sources that are gone from what a chatbot's agents or tags have chosen, one of them at a time. */
    async forget(chatbot: string, sources: readonly string[]) {
      const rows = await db
        .selectFrom(holders)
        .select('uuid')
        .where('chatbot', '=', chatbot)
        .execute();
      for (const { uuid } of rows) {
        for (const batch of toBatches(sources, batchSize)) {
          await db
            .deleteFrom(table)
            .where('holder', '=', uuid)
            .where('source', 'in', batch)
            .execute();
        }
      }
    },
  };
}
