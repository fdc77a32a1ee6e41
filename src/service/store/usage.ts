import { sql } from 'kysely';
import type { Queries } from './schema.ts';

/** How many bytes are stored for whom, as triggers count them in the transaction of each change. */
interface UsageStore {
  /** All that is stored for an owner. In a transaction, it stays so until the transaction's own changes. */
  of(owner: string): Promise<number>;
  /**
   * All that is stored for a source's owner, and what of it is the source's file with the text that
   * search sees.
   */
  around(source: string): Promise<{ used: number; own: number }>;
  /** The passages of a version of a source, with their vectors. */
  ofPassages(version: number): Promise<number>;
}

/** Reads what the triggers have counted. */
export function createUsageStore(db: Queries): UsageStore {
  return {
    async of(owner) {
      // Written, so that other transactions of the same owner wait for this one.
      const row = await db
        .updateTable('owners')
        .set((eb) => ({ bytes: eb.ref('bytes') }))
        .where('id', '=', owner)
        .returning('bytes')
        .executeTakeFirst();
      return row?.bytes ?? 0;
    },
    async around(source) {
      const row = await db
        .selectFrom('sources')
        .innerJoin('chatbots', 'chatbots.uuid', 'sources.chatbot')
        .innerJoin('owners', 'owners.id', 'chatbots.owner')
        .leftJoin('sourceVersions', (join) =>
          join
            .onRef('sourceVersions.source', '=', 'sources.uuid')
            .on('sourceVersions.state', '=', 'live'),
        )
        .where('sources.uuid', '=', source)
        .select([
          'owners.bytes as used',
          sql<number>`file_size + coalesce(source_versions.bytes, 0)`.as('own'),
        ])
        .executeTakeFirst();
      return row ?? { used: 0, own: 0 };
    },
    async ofPassages(version) {
      const row = await db
        .selectFrom('sourceVersions')
        .where('number', '=', version)
        .select('bytes')
        .executeTakeFirst();
      return row?.bytes ?? 0;
    },
  };
}
