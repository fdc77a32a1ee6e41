import { LRUCache } from 'lru-cache';
import { toBatches } from '../../shared/primitives/iterables.ts';
import { eachPassage } from '../ingestion/passages.ts';
import { createRetriever, type Hit } from '../retrieval/retrieve.ts';
import type { SearchedQuery } from '../retrieval/search-query.ts';
import type { DocumentStore, SessionDocumentRecord } from '../store/document-store.ts';
import { openStore, type Store } from '../store/store.ts';

const sessionScope = 'session';
/** Conversations whose documents stay indexed. */
const maxIndexed = 4;
const passagesPerStep = 10;

const ignore = () => undefined;

interface Index {
  store: Promise<Store>;
  /** Resolves once no search uses it. */
  idle: Promise<unknown>;
}

interface DocumentQuestion extends SearchedQuery {
  owner: string;
  /** Uuids. */
  documents: string[];
}

/**
 * Returns a function that finds the best passages of session documents, best first, with the same search as
 * for sources. Documents that are asked about together are indexed once, for as long as they are in use.
 */
export function createDocumentSearch(documents: Pick<DocumentStore, 'get'>) {
  const indexes = new LRUCache<string, Index>({
    max: maxIndexed,
    dispose: ({ store, idle }) =>
      void idle.then(async () => (await store)[Symbol.asyncDispose]()).catch(ignore),
  });

  const begin = async (owner: string, uuids: readonly string[]): Promise<Store> => {
    const store = await openStore(':memory:');
    for (const uuid of uuids) {
      const document = await documents.get(uuid, owner);
      if (document) await addDocument(store, document);
    }
    return store;
  };

  const find = (owner: string, uuids: readonly string[]): Index => {
    const key = JSON.stringify([owner, ...uuids]);
    const known = indexes.get(key);
    if (known) return known;
    const store = begin(owner, uuids);
    const index = { store, idle: store.catch(ignore) };
    indexes.set(key, index);
    store.catch(() => indexes.delete(key));
    return index;
  };

  return async (
    { query, previousQuery, owner, documents: uuids }: DocumentQuestion,
    limit: number,
  ): Promise<Hit[]> => {
    if (uuids.length === 0) return [];
    const index = find(owner, [...new Set(uuids)]);
    const hits = index.store.then((store) =>
      createRetriever(store).retrieve(query, { chatbot: sessionScope }, { previousQuery, limit }),
    );
    index.idle = Promise.allSettled([index.idle, hits]);
    return hits;
  };
}

async function addDocument(
  store: Store,
  { uuid, fileName, document }: SessionDocumentRecord,
): Promise<void> {
  const { title } = document;
  const source = { uuid, title, file_name: fileName, type: 'upload' };
  const draft = await store.drafts.begin(sessionScope, source);
  for (const batch of toBatches(eachPassage(document), passagesPerStep)) await draft.add(batch);
  await draft.finish();
  await store.transaction((tx) => tx.passages.publish(draft, 0));
}
