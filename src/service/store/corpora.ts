import type { SelectQueryBuilder } from 'kysely';
import { createUuid } from '../identifiers.ts';
import type { Queries, ServiceTables } from './schema.ts';

/** Some versions of sources. */
type Versions = SelectQueryBuilder<ServiceTables, 'sourceVersions', object>;

/** From now on, what is kept in memory of the corpora of these versions is read anew. */
export async function renewCorpora(
  db: Queries,
  choose: (versions: Versions) => Versions,
): Promise<void> {
  await db
    .updateTable('corpora')
    .set({ version: createUuid() })
    .where('id', 'in', choose(db.selectFrom('sourceVersions')).select('corpus'))
    .execute();
}
