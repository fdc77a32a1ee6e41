import type { Passage } from '../ingestion/passages.ts';
import { indexVersion } from '../retrieval/terms.ts';
import { renewCorpora } from './corpora.ts';
import { type Draft, passageId, type PassageSource, toTitleTerms } from './passage-draft.ts';
import type { Queries } from './schema.ts';
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

/**
 * The passages of sources, in versions: a live one, which search sees, and drafts, which it does not. So
 * a source keeps its passages until new ones are whole.
 */
export interface PassageStore {
  /**
   * Replaces a source's passages by those of its finished draft. The caller opens the transaction.
   * @throws {Error} when it is no draft any more
   */
  publish(draft: Draft, nowMs: number): Promise<void>;
  /** Hides a draft for good; does nothing once it was published. */
  discard(version: number): Promise<void>;
  /** Hides the drafts of a source for good: those that a process left when it died. */
  discardDrafts(source: string): Promise<void>;
  /** Hides the drafts of sources that are not being ingested any more. */
  discardAbandoned(): Promise<void>;
  /** Hides all passages of a source for good. The caller opens the transaction. */
  remove(source: string): Promise<void>;
  /** Hides all passages of a chatbot for good. */
  removeAllOf(chatbot: string): Promise<void>;
  /** Deletes passages that are hidden for good, some at a time. */
  deleteHidden(signal: AbortSignal): Promise<void>;
  /** Updates the title, file name and type of a source, by which its passages are found and cited. */
  retitle(source: PassageSource): Promise<void>;
  /** When a source's passages were published, in ms since the epoch; undefined if it has none. */
  publishedMs(source: string): Promise<number | undefined>;
  /** The live version of a source. */
  liveVersion(source: string): Promise<number | undefined>;
  /** Uuids of sources whose passages were indexed in another way: see `indexVersion`. */
  listOutdated(): Promise<string[]>;
  /** A version's passages from a place on, in their order. */
  listFrom(version: number, place: number, limit: number): Promise<StoredPassage[]>;
  /** The passages with these ids, in the order of the ids, that search still sees. */
  get(ids: readonly number[]): Promise<StoredPassage[]>;
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

export function createPassageStore(db: Queries): PassageStore {
  const select = () =>
    db
      .selectFrom('passages')
      .innerJoin('sourceVersions', 'number', 'passages.version')
      .select(columns);

  /** What search sees has changed. */
  const renew = (source: string) =>
    renewCorpora(db, (versions) => versions.where('source', '=', source));

  const findHidden = () =>
    db
      .selectFrom('sourceVersions')
      .select(['number', 'corpus'])
      .where('state', '=', 'retired')
      .orderBy('number')
      .limit(1)
      .executeTakeFirst();

  /** Deletes a version, unless some of it was written in the meantime, and a corpus without versions. */
  async function deleteEmpty({ number, corpus }: { number: number; corpus: number }) {
    await db
      .deleteFrom('sourceVersions')
      .where('number', '=', number)
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom('passages').select('id').where('version', '=', number))),
      )
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom('postings').select('part').where('version', '=', number))),
      )
      .execute();
    await db
      .deleteFrom('corpora')
      .where('id', '=', corpus)
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom('sourceVersions').select('number').where('corpus', '=', corpus))),
      )
      .execute();
  }

  /** @returns false if there are none */
  async function deletePassages(version: number): Promise<boolean> {
    const some = db
      .selectFrom('passages')
      .select('id')
      .where('id', '>=', passageId(version, 0))
      .where('id', '<', passageId(version + 1, 0))
      .orderBy('id')
      .limit(batchSize);
    const row = await db.deleteFrom('passages').where('id', 'in', some).executeTakeFirst();
    return row.numDeletedRows > 0;
  }

  /** @returns false if there are none */
  async function deletePostings(version: number): Promise<boolean> {
    const first = await db
      .selectFrom('postings')
      .select('part')
      .where('version', '=', version)
      .orderBy('part')
      .limit(1)
      .executeTakeFirst();
    if (!first) return false;
    await db
      .deleteFrom('postings')
      .where('version', '=', version)
      .where('part', '=', first.part)
      .execute();
    return true;
  }

  return {
    async publish(draft, nowMs) {
      const row = await db
        .selectFrom('sourceVersions')
        .select('source')
        .where('number', '=', draft.version)
        .where('state', '=', 'draft')
        .executeTakeFirst();
      if (!row) throw new Error(`Version ${draft.version} is no draft.`);
      await db
        .updateTable('sourceVersions')
        .set({ state: 'retired' })
        .where('source', '=', row.source)
        .where('state', '=', 'live')
        .execute();
      await db
        .updateTable('sourceVersions')
        .set({ state: 'live', lengths: draft.lengths(), publishedMs: nowMs })
        .where('number', '=', draft.version)
        .execute();
      await renew(row.source);
    },

    async discard(version) {
      await db
        .updateTable('sourceVersions')
        .set({ state: 'retired' })
        .where('number', '=', version)
        .where('state', '=', 'draft')
        .execute();
    },

    async discardDrafts(source) {
      await db
        .updateTable('sourceVersions')
        .set({ state: 'retired' })
        .where('source', '=', source)
        .where('state', '=', 'draft')
        .execute();
    },

    async discardAbandoned() {
      await db
        .updateTable('sourceVersions')
        .set({ state: 'retired' })
        .where('state', '=', 'draft')
        .where('source', 'not in', (eb) =>
          eb.selectFrom('sources').select('uuid').where('status', 'in', unfinishedStatuses),
        )
        .execute();
    },

    async remove(source) {
      await renew(source);
      await db
        .updateTable('sourceVersions')
        .set({ state: 'retired' })
        .where('source', '=', source)
        .execute();
    },

    async deleteHidden(signal) {
      for (let hidden = await findHidden(); hidden; hidden = await findHidden()) {
        do {
          if (signal.aborted) return;
        } while ((await deletePostings(hidden.number)) || (await deletePassages(hidden.number)));
        await deleteEmpty(hidden);
      }
    },

    async removeAllOf(chatbot) {
      await db
        .updateTable('sourceVersions')
        .set({ state: 'retired' })
        .where('corpus', 'in', (eb) =>
          eb.selectFrom('corpora').select('id').where('chatbot', '=', chatbot),
        )
        .execute();
    },

    async retitle({ uuid, title, file_name: fileName, type }) {
      await db
        .updateTable('sourceVersions')
        .set({ title, titleTerms: toTitleTerms(title), fileName, type })
        .where('source', '=', uuid)
        .where('state', '<>', 'retired')
        .execute();
      await renew(uuid);
    },

    async publishedMs(source) {
      const row = await db
        .selectFrom('sourceVersions')
        .select(['lengths', 'publishedMs'])
        .where('source', '=', source)
        .where('state', '=', 'live')
        .executeTakeFirst();
      return row && row.lengths.length > 0 ? row.publishedMs : undefined;
    },

    async liveVersion(source) {
      const row = await db
        .selectFrom('sourceVersions')
        .select('number')
        .where('source', '=', source)
        .where('state', '=', 'live')
        .executeTakeFirst();
      return row?.number;
    },

    async listOutdated() {
      const rows = await db
        .selectFrom('sourceVersions')
        .select('source')
        .where('state', '=', 'live')
        .where('indexVersion', '<>', indexVersion)
        .orderBy('number')
        .execute();
      return rows.map(({ source }) => source);
    },

    async listFrom(version, place, limit) {
      const rows = await select()
        .where('passages.id', '>=', passageId(version, place))
        .where('passages.id', '<', passageId(version + 1, 0))
        .orderBy('passages.id')
        .limit(limit)
        .execute();
      return rows.map(toPassage);
    },

    async get(ids) {
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

interface Row {
  id: number;
  text: string;
  headings: string;
  page: number | null;
  start: number;
  end: number;
  tokens: number;
  uuid: string;
  title: string;
  fileName: string;
  type: string;
  publishedMs: number | null;
}

function toPassage({
  headings,
  page,
  uuid,
  title,
  fileName,
  type,
  publishedMs,
  ...row
}: Row): StoredPassage {
  return {
    ...row,
    headings: JSON.parse(headings) as string[],
    page: page ?? undefined,
    publishedMs: publishedMs ?? 0,
    source: { uuid, title, file_name: fileName, type },
  };
}
