import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { toBatches } from '../../shared/primitives/iterables.ts';
import { inSteps, type Steps } from '../../shared/primitives/steps.ts';
import { eachPassage } from '../ingestion/passages.ts';
import { createRetriever, type Hit, type Retriever } from '../retrieval/retrieve.ts';
import type { DocumentStore, SessionDocumentRecord } from '../store/document-store.ts';
import { openDatabase } from '../store/database.ts';
import { createPassageStore } from '../store/passage-store.ts';

interface Indexed {
  database: DatabaseSync;
  retriever: Retriever;
}

const sessionScope = 'session';
/** Conversations whose documents stay indexed. */
const maxIndexed = 4;
const passagesPerStep = 10;

const ignore = () => undefined;

/**
 * Finds passages of session documents, with the same search as for sources. Documents that are asked
 * about together are indexed once, for as long as they are in use.
 */
export function createDocumentSearch(documents: Pick<DocumentStore, 'get'>) {
  const indexes = new LRUCache<string, Promise<Indexed>>({
    max: maxIndexed,
    dispose: (index) => void index.then(({ database }) => database.close(), ignore),
  });

  const begin = async (owner: string, uuids: readonly string[]): Promise<Indexed> => {
    const database = openDatabase(':memory:');
    const passages = createPassageStore(database);
    const found = uuids.flatMap((uuid) => documents.get(uuid, owner) ?? []);
    await inSteps(addAll(passages, found));
    return { database, retriever: createRetriever(passages) };
  };

  const find = (owner: string, uuids: readonly string[]): Promise<Indexed> => {
    const key = JSON.stringify([owner, ...uuids]);
    const known = indexes.get(key);
    if (known) return known;
    const index = begin(owner, uuids);
    indexes.set(key, index);
    index.catch(() => indexes.delete(key));
    return index;
  };

  return {
    /** The best passages of the documents, best first. */
    async search(
      { query, owner, documents: uuids }: { query: string; owner: string; documents: string[] },
      limit: number,
    ): Promise<Hit[]> {
      if (uuids.length === 0) return [];
      const { retriever } = await find(owner, [...new Set(uuids)]);
      return retriever.retrieve(query, { chatbot: sessionScope }, { limit });
    },
  };
}

function* addAll(
  passages: ReturnType<typeof createPassageStore>,
  documents: readonly SessionDocumentRecord[],
): Steps<void> {
  for (const { uuid, fileName, document } of documents) {
    const { title } = document;
    passages.putSource(sessionScope, { uuid, title, file_name: fileName, type: 'upload' });
    for (const batch of toBatches(eachPassage(document), passagesPerStep)) {
      passages.add(uuid, batch);
      yield;
    }
  }
}
