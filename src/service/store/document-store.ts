import { sql } from 'kysely';
import type { ExtractedDocument } from '../ingestion/document.ts';
import type { Queries } from './schema.ts';

/** A file for one session: the first whose message names it. */
export interface SessionDocumentRecord {
  uuid: string;
  owner: string;
  fileName: string;
  document: ExtractedDocument;
  createdMs: number;
}

/** A document without its text. */
export interface NamedDocument {
  uuid: string;
  /** The session that remembers it; null until a message has named it. */
  session: string | null;
  /** Of its text with its structure, as stored. */
  bytes: number;
}

export interface DocumentStore {
  insert(document: SessionDocumentRecord): Promise<void>;
  get(uuid: string, owner: string): Promise<SessionDocumentRecord | undefined>;
  find(uuid: string, owner: string): Promise<NamedDocument | undefined>;
  /** What a session remembers, at most `limit` of the newest, oldest first. */
  listOf(session: string, limit: number): Promise<NamedDocument[]>;
  /** Has the session remember those that no session remembers yet. */
  remember(session: string, uuids: readonly string[]): Promise<void>;
  /** Undoes `remember`. */
  forget(session: string, uuids: readonly string[]): Promise<void>;
  delete(uuids: readonly string[]): Promise<void>;
  count(owner: string): Promise<number>;
  /** Deletes documents added before a time, one at a time. */
  deleteBefore(createdMs: number, signal: AbortSignal): Promise<void>;
}

const bytes = sql<number>`octet_length(document)`.as('bytes');

/** Session documents and their text in the database. */
export function createDocumentStore(db: Queries): DocumentStore {
  const named = () => db.selectFrom('sessionDocuments').select(['uuid', 'session', bytes]);

  return {
    async insert({ document, ...row }) {
      await db
        .insertInto('sessionDocuments')
        .values({ ...row, document: JSON.stringify(document) })
        .execute();
    },
    async get(uuid, owner) {
      const row = await db
        .selectFrom('sessionDocuments')
        .select(['uuid', 'owner', 'fileName', 'document', 'createdMs'])
        .where('uuid', '=', uuid)
        .where('owner', '=', owner)
        .executeTakeFirst();
      return row && { ...row, document: JSON.parse(row.document) as ExtractedDocument };
    },
    find: (uuid, owner) =>
      named().where('uuid', '=', uuid).where('owner', '=', owner).executeTakeFirst(),
    async listOf(session, limit) {
      const rows = await named()
        .where('session', '=', session)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.toReversed();
    },
    async remember(session, uuids) {
      if (uuids.length === 0) return;
      await db
        .updateTable('sessionDocuments')
        .set({ session })
        .where('uuid', 'in', uuids)
        .where('session', 'is', null)
        .execute();
    },
    async forget(session, uuids) {
      if (uuids.length === 0) return;
      await db
        .updateTable('sessionDocuments')
        .set({ session: null })
        .where('uuid', 'in', uuids)
        .where('session', '=', session)
        .execute();
    },
    async delete(uuids) {
      if (uuids.length > 0)
        await db.deleteFrom('sessionDocuments').where('uuid', 'in', uuids).execute();
    },
    async count(owner) {
      const row = await db
        .selectFrom('sessionDocuments')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('owner', '=', owner)
        .executeTakeFirst();
      return row?.count ?? 0;
    },
    async deleteBefore(createdMs, signal) {
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
