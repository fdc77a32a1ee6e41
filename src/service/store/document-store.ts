import type { DatabaseSync } from 'node:sqlite';
import type { ExtractedDocument } from '../ingestion/document.ts';

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
  deleteBefore(createdMs: number): void;
}

type Row = Omit<SessionDocumentRecord, 'document'> & { document: string };

/** Session documents and their text in the database. */
export function createDocumentStore(database: DatabaseSync): DocumentStore {
  const insert = database.prepare(
    `INSERT INTO session_documents (uuid, owner, file_name, document, created_ms)
     VALUES (?, ?, ?, ?, ?)`,
  );
  const get = database.prepare(
    `SELECT uuid, owner, file_name AS fileName, document, created_ms AS createdMs
     FROM session_documents WHERE uuid = ? AND owner = ?`,
  );
  const count = database.prepare('SELECT count(*) AS count FROM session_documents WHERE owner = ?');
  const deleteBefore = database.prepare('DELETE FROM session_documents WHERE created_ms < ?');

  return {
    insert({ uuid, owner, fileName, document, createdMs }) {
      insert.run(uuid, owner, fileName, JSON.stringify(document), createdMs);
    },
    get(uuid, owner) {
      const row = get.get(uuid, owner) as Row | undefined;
      return row && { ...row, document: JSON.parse(row.document) as ExtractedDocument };
    },
    count: (owner) => Number(count.get(owner)?.['count']),
    deleteBefore(createdMs) {
      deleteBefore.run(createdMs);
    },
  };
}
