import type { DatabaseSync } from 'node:sqlite';
import type { Steps } from '../../primitives/in-steps.ts';
import type { ExtractedDocument } from '../ingestion/document.ts';
import { createTable } from './table.ts';

/** A file that is used only by the messages that name it. */
export interface SessionDocumentRecord {
  uuid: string;
  owner: string;
  fileName: string;
  document: ExtractedDocument;
  createdMs: number;
}

export interface DocumentStore {
  insert(document: SessionDocumentRecord): void;
  get(uuid: string, owner: string): SessionDocumentRecord | undefined;
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

  return {
    insert: documents.insert,
    get: documents.select('WHERE uuid = ? AND owner = ?').first,
    count: (owner) => Number(count.get(owner)?.['count']),
    *deleteBefore(createdMs) {
      while (deleteBefore.run(createdMs).changes > 0) yield;
    },
  };
}
