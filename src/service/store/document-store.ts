import type { DatabaseSync } from 'node:sqlite';
import type { Steps } from '../../shared/primitives/steps.ts';
import type { ExtractedDocument } from '../ingestion/document.ts';
import { createTable } from './table.ts';

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
  insert(document: SessionDocumentRecord): void;
  get(uuid: string, owner: string): SessionDocumentRecord | undefined;
  find(uuid: string, owner: string): NamedDocument | undefined;
  /** What a session remembers, at most `limit` of the newest, oldest first. */
  listOf(session: string, limit: number): NamedDocument[];
  /** Has the session remember those that no session remembers yet. */
  remember(session: string, uuids: readonly string[]): void;
  /** Undoes `remember`. */
  forget(session: string, uuids: readonly string[]): void;
  count(owner: string): number;
  /** Deletes documents added before a time, one per step. */
  deleteBefore(createdMs: number): Steps<void>;
}

/** Session documents and their text in the database. */
export function createDocumentStore(database: DatabaseSync): DocumentStore {
  const documents = createTable<SessionDocumentRecord>(database, 'session_documents', {
    columns: {
      uuid: 'plain',
      owner: 'plain',
      fileName: 'plain',
      document: 'json',
      createdMs: 'plain',
    },
    fixed: ['owner', 'createdMs'],
  });
  const count = database.prepare('SELECT count(*) AS count FROM session_documents WHERE owner = ?');
  const deleteBefore = database.prepare(
    `DELETE FROM session_documents
     WHERE id IN (SELECT id FROM session_documents WHERE created_ms < ? LIMIT 1)`,
  );

  const named = 'SELECT uuid, session, octet_length(document) AS bytes FROM session_documents';
  const find = database.prepare(`${named} WHERE uuid = ? AND owner = ?`);
  const listOf = database.prepare(`${named} WHERE session = ? ORDER BY id DESC LIMIT ?`);
  const remember = database.prepare(
    'UPDATE session_documents SET session = ? WHERE uuid = ? AND session IS NULL',
  );
  const forget = database.prepare(
    'UPDATE session_documents SET session = NULL WHERE uuid = ? AND session = ?',
  );

  return {
    insert: documents.insert,
    get: documents.select('WHERE uuid = ? AND owner = ?').first,
    find: (uuid, owner) => find.get(uuid, owner) as NamedDocument | undefined,
    listOf: (session, limit) =>
      listOf.all(session, limit).toReversed() as unknown as NamedDocument[],
    remember(session, uuids) {
      for (const uuid of uuids) remember.run(session, uuid);
    },
    forget(session, uuids) {
      for (const uuid of uuids) forget.run(uuid, session);
    },
    count: (owner) => Number(count.get(owner)?.['count']),
    *deleteBefore(createdMs) {
      while (deleteBefore.run(createdMs).changes > 0) yield;
    },
  };
}
