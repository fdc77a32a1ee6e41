import { toBatches } from '../../shared/primitives/iterables.ts';
import type { Queries } from './schema.ts';

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
