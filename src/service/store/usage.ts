import { sql } from 'kysely';
import type { Queries } from './schema.ts';

/** How many bytes are stored for whom, as triggers count them in the transaction of each change. */
export function createUsageStore(db: Queries) {
  async function of(owner: string): Promise<number> {
    const row = await db
      .selectFrom('owners')
      .select('bytes')
      .where('id', '=', owner)
      .executeTakeFirst();
    return row?.bytes ?? 0;
  }

  return {
    /** All that is stored for an owner. */
    of,
    /**
     * All that is stored for a source's owner, and what of it is the source's file with the text that
     * search sees.
     */
    async around(source: string) {
      const row = await db
        .selectFrom('sources')
        .innerJoin('chatbots', 'chatbots.uuid', 'sources.chatbot')
        .leftJoin('sourceVersions', (join) =>
          join
            .onRef('sourceVersions.source', '=', 'sources.uuid')
            .on('sourceVersions.state', '=', 'live'),
        )
        .where('sources.uuid', '=', source)
        .select([
          'chatbots.owner',
          sql<number>`file_size + coalesce(source_versions.bytes, 0)`.as('own'),
        ])
        .executeTakeFirst();
      return row ? { used: await of(row.owner), own: row.own } : { used: 0, own: 0 };
    },
    /** The passages of a version of a source, with their vectors. */
    async ofPassages(version: number) {
      const row = await db
        .selectFrom('sourceVersions')
        .where('number', '=', version)
        .select('bytes')
        .executeTakeFirst();
      return row?.bytes ?? 0;
    },
  };
}
