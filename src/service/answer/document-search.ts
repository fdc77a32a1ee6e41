import { DatabaseSync } from 'node:sqlite';
import { toPassages } from '../ingestion/passages.ts';
import { createRetriever, type Hit } from '../retrieval/retrieve.ts';
import type { SessionDocumentRecord } from '../store/document-store.ts';
import { createPassageStore } from '../store/passage-store.ts';

const sessionScope = 'session';

/**
 * The passages of session documents that fit the query best, with the same search as for sources.
 */
export function searchDocuments(
  query: string,
  documents: readonly SessionDocumentRecord[],
  limit: number,
): Hit[] {
  if (documents.length === 0) return [];
  const database = new DatabaseSync(':memory:');
  try {
    const passages = createPassageStore(database);
    for (const { uuid, fileName, document } of documents) {
      passages.putSource(sessionScope, {
        uuid,
        title: document.title,
        file_name: fileName,
        type: 'upload',
      });
      passages.add(uuid, toPassages(document));
    }
    return createRetriever(passages).retrieve(query, { chatbot: sessionScope }, { limit });
  } finally {
    database.close();
  }
}
