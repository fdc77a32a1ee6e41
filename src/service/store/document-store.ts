import { sql } from 'kysely';
import { countAll } from '../../shared/stores/pages.ts';
import type { ExtractedDocument } from '../ingestion/document.ts';
import type { Queries, Row } from './schema.ts';

/** A file for one session: the first whose message names it. */
export interface SessionDocumentRecord extends Omit<
  Row<'sessionDocuments'>,
  'id' | 'session' | 'document'
> {
  document: ExtractedDocument;
}

/** A document without its text. */
export interface NamedDocument {
  uuid: string;
  /** The session that remembers it; null until a message has named it. */
  session: string | null;
  /** Of its text with its structure, as stored. */
  bytes: number;
}

const bytes = sql<number>`octet_length(document)`.as('bytes');

export type DocumentStore = ReturnType<typeof createDocumentStore>;

/** Session documents and their text in the database. */
export function createDocumentStore(db: Queries) {
  const named = () => db.selectFrom('sessionDocuments').select(['uuid', 'session', bytes]);

  return {
    async insert({ document, ...row }: SessionDocumentRecord) {
      await db
        .insertInto('sessionDocuments')
        .values({ ...row, document: JSON.stringify(document) })
        .execute();
    },
    async get(uuid: string, owner: string) {
      const row = await db
        .selectFrom('sessionDocuments')
        .select(['uuid', 'owner', 'fileName', 'document', 'createdMs'])
        .where('uuid', '=', uuid)
        .where('owner', '=', owner)
        .executeTakeFirst();
      return row && { ...row, document: JSON.parse(row.document) as ExtractedDocument };
    },
    find: (uuid: string, owner: string) =>
      named().where('uuid', '=', uuid).where('owner', '=', owner).executeTakeFirst(),
    /** What a session remembers, at most `limit` of the newest, oldest first. */
    async listOf(session: string, limit: number) {
      const rows = await named()
        .where('session', '=', session)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.toReversed();
    },
    /** Has the session remember those that no session remembers yet. */
    async remember(session: string, uuids: readonly string[]) {
      if (uuids.length === 0) return;
      await db
        .updateTable('sessionDocuments')
        .set({ session })
        .where('uuid', 'in', uuids)
        .where('session', 'is', null)
        .execute();
    },
    /** Undoes `remember`. */
    async forget(session: string, uuids: readonly string[]) {
      if (uuids.length === 0) return;
      await db
        .updateTable('sessionDocuments')
        .set({ session: null })
        .where('uuid', 'in', uuids)
        .where('session', '=', session)
        .execute();
    },
    async delete(uuids: readonly string[]) {
      if (uuids.length > 0)
        await db.deleteFrom('sessionDocuments').where('uuid', 'in', uuids).execute();
    },
    count: (owner: string) =>
      countAll(db.selectFrom('sessionDocuments').where('owner', '=', owner)),
    /** Deletes documents added before a time, one at a time. */
    async deleteBefore(createdMs: number, signal: AbortSignal) {
      const oldest = db
        .selectFrom('sessionDocuments')
        .select('id')
        .where('createdMs', '<', createdMs)
        .limit(1);
      while (!signal.aborted) {
        const row = await db
          .deleteFrom('sessionDocuments')
          .where('id', 'in', oldest)
          .executeTakeFirst();
        if (row.numDeletedRows === 0n) return;
      }
    },
  };
}
