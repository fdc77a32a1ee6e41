import { DatabaseSync } from 'node:sqlite';
import { inSteps, type Steps } from '../../primitives/in-steps.ts';
import { eachPassage, type Passage } from '../ingestion/passages.ts';
import { createRetriever, type Hit, type Retriever } from '../retrieval/retrieve.ts';
import type { SearchedQuery } from '../retrieval/search.ts';
import type { DocumentStore, SessionDocumentRecord } from '../store/document-store.ts';
import { createPassageStore } from '../store/passage-store.ts';

/** Finds passages of session documents, with the same search as for sources. */
export interface DocumentSearch {
  search(
    question: SearchedQuery & { owner: string; documents: readonly string[] },
    limit: number,
  ): Promise<Hit[]>;
}

interface Indexed {
  database: DatabaseSync;
  retriever: Retriever;
}

const sessionScope = 'session';
/** Conversations whose documents stay indexed. */
const maxIndexed = 4;
const passagesPerStep = 10;

/** Documents that are asked about together are indexed once, for as long as they are in use. */
export function createDocumentSearch(documents: Pick<DocumentStore, 'get'>): DocumentSearch {
  /** By the uuids, those asked about last at the end. */
  const indexes = new Map<string, Promise<Indexed>>();

  const begin = async (owner: string, uuids: readonly string[]): Promise<Indexed> => {
    const database = new DatabaseSync(':memory:');
    const passages = createPassageStore(database);
    const found = uuids.flatMap((uuid) => documents.get(uuid, owner) ?? []);
    await inSteps(addAll(passages, found));
    return { database, retriever: createRetriever(passages) };
  };

  const find = (owner: string, uuids: readonly string[]): Promise<Indexed> => {
    const key = JSON.stringify([owner, ...uuids]);
    const index = indexes.get(key) ?? begin(owner, uuids);
    indexes.delete(key);
    indexes.set(key, index);
    index.catch(() => indexes.delete(key));
    const [[oldest, unused] = []] = indexes;
    if (indexes.size > maxIndexed && oldest !== undefined) {
      indexes.delete(oldest);
      void unused?.then(({ database }) => database.close());
    }
    return index;
  };

  return {
    async search({ query, owner, documents: uuids }, limit) {
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
    for (const batch of toBatches(eachPassage(document))) {
      passages.add(uuid, batch);
      yield;
    }
  }
}

function* toBatches(passages: Iterable<Passage>): Generator<Passage[]> {
  let batch: Passage[] = [];
  for (const passage of passages) {
    batch.push(passage);
    if (batch.length < passagesPerStep) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
