import type { SelectQueryBuilder } from 'kysely';
import type { Passage } from '../ingestion/passages.ts';
import { indexVersion } from '../retrieval/terms.ts';
import { createUuid } from '../identifiers.ts';
import { type Draft, passageId, type PassageSource, toTitleTerms } from './passage-draft.ts';
import type { InTransaction, Queries, Row, ServiceTables } from './schema.ts';
import { unfinishedStatuses } from './source-store.ts';

export interface StoredPassage extends Passage {
  id: number;
  source: PassageSource;
  /** When it was published, in ms since the epoch; 0 if that is unknown. */
  publishedMs: number;
}

/** The passages a search can see: a chatbot's, or only those of some of its sources. */
export interface PassageScope {
  chatbot: string;
  sources?: readonly string[];
}

/** Passages deleted at a time. */
const batchSize = 50;

const columns = [
  'passages.id',
  'passages.text',
  'passages.headings',
  'passages.page',
  'passages.start',
  'passages.end',
  'passages.tokens',
  'sourceVersions.source as uuid',
  'sourceVersions.title',
  'sourceVersions.fileName',
  'sourceVersions.type',
  'sourceVersions.publishedMs',
] as const;

/**
 * The passages of sources, in versions: a live one, which search sees, and drafts, which it does not. So
 * a source keeps its passages until new ones are whole.
 */
export type PassageStore = ReturnType<typeof createPassageStore>;

export function createPassageStore(db: Queries, inTransaction: InTransaction) {
  const select = () =>
    db
      .selectFrom('passages')
      .innerJoin('sourceVersions', 'number', 'passages.version')
      .select(columns);

  /** What search sees has changed. */
  const renew = (source: string) =>
    renewCorpora(db, (versions) => versions.where('source', '=', source));

  /** Hides versions for good. */
  const retire = () => db.updateTable('sourceVersions').set({ state: 'retired' });
  const retireDrafts = () => retire().where('state', '=', 'draft');
  const live = (source: string) =>
    db.selectFrom('sourceVersions').where('source', '=', source).where('state', '=', 'live');

  const findHidden = () =>
    db
      .selectFrom('sourceVersions')
      .select(['number', 'corpus'])
      .where('state', '=', 'retired')
      .orderBy('number')
      .limit(1)
      .executeTakeFirst();

  /** Deletes a version, unless some of it was written in the meantime, and a corpus without versions. */
  async function deleteEmpty(tx: Queries, { number, corpus }: { number: number; corpus: number }) {
    await tx
      .deleteFrom('sourceVersions')
      .where('number', '=', number)
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom('passages').select('id').where('version', '=', number))),
      )
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom('postings').select('part').where('version', '=', number))),
      )
      .execute();
    await tx
      .deleteFrom('corpora')
      .where('id', '=', corpus)
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom('sourceVersions').select('number').where('corpus', '=', corpus))),
      )
      .execute();
  }

  /** @returns false if there are none */
  async function deletePassages(tx: Queries, version: number): Promise<boolean> {
    const some = tx
      .selectFrom('passages')
      .select('id')
      .where('id', '>=', passageId(version, 0))
      .where('id', '<', passageId(version + 1, 0))
      .orderBy('id')
      .limit(batchSize);
    const row = await tx.deleteFrom('passages').where('id', 'in', some).executeTakeFirst();
    return row.numDeletedRows > 0;
  }

  /** @returns false if there are none */
  async function deletePostings(tx: Queries, version: number): Promise<boolean> {
    const first = await tx
      .selectFrom('postings')
      .select('part')
      .where('version', '=', version)
      .orderBy('part')
      .limit(1)
      .executeTakeFirst();
    if (!first) return false;
    await tx
      .deleteFrom('postings')
      .where('version', '=', version)
      .where('part', '=', first.part)
      .execute();
    return true;
  }

  return {
    /**
     * Replaces a source's passages by those of its finished draft. The caller opens the transaction.
     * @throws {Error} when it is no draft any more
     */
    async publish(draft: Draft, nowMs: number) {
      const row = await db
        .selectFrom('sourceVersions')
        .select('source')
        .where('number', '=', draft.version)
        .where('state', '=', 'draft')
        .executeTakeFirst();
      if (!row) throw new Error(`Version ${draft.version} is no draft.`);
      await retire().where('source', '=', row.source).where('state', '=', 'live').execute();
      await db
        .updateTable('sourceVersions')
        .set({ state: 'live', lengths: draft.lengths(), publishedMs: nowMs })
        .where('number', '=', draft.version)
        .execute();
      await renew(row.source);
    },

    /** Hides a draft for good; does nothing once it was published. */
    async discard(version: number) {
      await retireDrafts().where('number', '=', version).execute();
    },

    /** Hides the drafts of a source for good: those that a process left when it died. */
    async discardDrafts(source: string) {
      await retireDrafts().where('source', '=', source).execute();
    },

    /** Hides the drafts of sources that are not being ingested any more. */
    async discardAbandoned() {
      await retireDrafts()
        .where('source', 'not in', (eb) =>
          eb.selectFrom('sources').select('uuid').where('status', 'in', unfinishedStatuses),
        )
        .execute();
    },

    /** Hides all passages of a source for good. The caller opens the transaction. */
    async remove(source: string) {
      await renew(source);
      await retire().where('source', '=', source).execute();
    },

    /** Deletes passages that are hidden for good, some at a time. */
    async deleteHidden(signal: AbortSignal) {
      for (let hidden = await findHidden(); hidden; hidden = await findHidden()) {
        const version = hidden;
        const deleteSome = async (tx: Queries) =>
          (await deletePostings(tx, version.number)) || deletePassages(tx, version.number);
        do {
          if (signal.aborted) return;
        } while (await inTransaction(deleteSome));
        await inTransaction((tx) => deleteEmpty(tx, version));
      }
    },

    /** Hides all passages of a chatbot for good. */
    async removeAllOf(chatbot: string) {
      await retire()
        .where('corpus', 'in', (eb) =>
          eb.selectFrom('corpora').select('id').where('chatbot', '=', chatbot),
        )
        .execute();
    },

    /** Updates the title, file name and type of a source, by which its passages are found and cited. */
    async retitle({ uuid, title, file_name: fileName, type }: PassageSource) {
      await db
        .updateTable('sourceVersions')
        .set({ title, titleTerms: toTitleTerms(title), fileName, type })
        .where('source', '=', uuid)
        .where('state', '<>', 'retired')
        .execute();
      await renew(uuid);
    },

    /** When a source's passages were published, in ms since the epoch; undefined if it has none. */
    async publishedMs(source: string) {
      const row = await live(source).select(['lengths', 'publishedMs']).executeTakeFirst();
      return row && row.lengths.length > 0 ? row.publishedMs : undefined;
    },

    /** The live version of a source. */
    async liveVersion(source: string) {
      const row = await live(source).select('number').executeTakeFirst();
      return row?.number;
    },

    /**
     * The next live versions after one of them that were indexed in another way (see `indexVersion`), with
     * the uuids of their sources.
     */
    listOutdated: (after: number, limit: number) =>
      db
        .selectFrom('sourceVersions')
        .select(['number as id', 'source'])
        .where('state', '=', 'live')
        .where('indexVersion', '<>', indexVersion)
        .where('number', '>', after)
        .orderBy('number')
        .limit(limit)
        .execute(),

    /** A version's passages from a place on, in their order. */
    async listFrom(version: number, place: number, limit: number) {
      const rows = await select()
        .where('passages.id', '>=', passageId(version, place))
        .where('passages.id', '<', passageId(version + 1, 0))
        .orderBy('passages.id')
        .limit(limit)
        .execute();
      return rows.map(toPassage);
    },

    /** The passages with these ids, in the order of the ids, that search still sees. */
    async get(ids: readonly number[]) {
      if (ids.length === 0) return [];
      const rows = await select()
        .where('passages.id', 'in', ids)
        .where('state', '=', 'live')
        .execute();
      const found = new Map(rows.map((row) => [row.id, toPassage(row)]));
      return ids.flatMap((id) => found.get(id) ?? []);
    },
  };
}

type PassageRow = Omit<Row<'passages'>, 'version' | 'sentences'> &
  Pick<Row<'sourceVersions'>, 'title' | 'fileName' | 'type' | 'publishedMs'> & { uuid: string };

function toPassage({
  headings,
  page,
  uuid,
  title,
  fileName,
  type,
  ...row
}: PassageRow): StoredPassage {
  return {
    ...row,
    headings: JSON.parse(headings) as string[],
    page: page ?? undefined,
    source: { uuid, title, file_name: fileName, type },
  };
}

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
