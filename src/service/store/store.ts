import { type Database, openDatabase } from '../../shared/stores/database.ts';
import { createSearchIndex, type SearchIndex } from '../retrieval/search-index.ts';
import { createAgentStore } from './agent-store.ts';
import { createChatbotStore } from './chatbot-store.ts';
import { createDocumentStore } from './document-store.ts';
import { createFileStore } from './file-store.ts';
import { createKeyStore, createOwnerStore } from './key-store.ts';
import { createMessageStore } from './message-store.ts';
import { createDrafts, type Drafts } from './passage-draft.ts';
import { createPassageStore } from './passage-store.ts';
import { type Queries, serviceMigrations, type ServiceTables } from './schema.ts';
import { createSessionStore } from './session-store.ts';
import { createSourceStore } from './source-store.ts';
import { createTagStore } from './tag-store.ts';
import { createUsageStore } from './usage.ts';
import { createVectorStore, type VectorSearch, createVectorSearch } from './vector-store.ts';

/** The service's stores: those of the database, or of one transaction. */
export type Stores = ReturnType<typeof createStores>;

function createStores(db: Queries) {
  return {
    owners: createOwnerStore(db),
    keys: createKeyStore(db),
    chatbots: createChatbotStore(db),
    agents: createAgentStore(db),
    sources: createSourceStore(db),
    files: createFileStore(db),
    tags: createTagStore(db),
    sessions: createSessionStore(db),
    messages: createMessageStore(db),
    documents: createDocumentStore(db),
    passages: createPassageStore(db),
    vectors: createVectorStore(db),
    usage: createUsageStore(db),
  };
}

/** All that the service stores. Disposing closes it. */
export interface Store extends Stores, AsyncDisposable {
  /**
   * `messages.keep` in a transaction that a power cut may undo, as it interrupts the replies in any case:
   * waiting for the disk would cost more than the text.
   */
  keepReplies: Stores['messages']['keep'];
  drafts: Drafts;
  /** The search by words. */
  index: SearchIndex;
  /** The search by meaning. */
  similar: VectorSearch;
  readonly isOpen: boolean;
  /** Runs work in one transaction, which rolls back if it rejects. It uses only the stores it is given. */
  transaction<Result>(work: (tx: Stores) => Promise<Result>): Promise<Result>;
  /** @throws {Error} when the database can't be read */
  check(): Promise<void>;
  /** Gives the space of what was deleted back to the file system. */
  reclaimSpace(): Promise<void>;
}

/**
 * Opens the service's database; creates it if missing.
 * @param path a file, or ':memory:'
 * @throws {RefusedError} when a newer version of Causeway wrote the file
 */
export async function openStore(path: string, options: StoreOptions = {}): Promise<Store> {
  return createStore(await openDatabase<ServiceTables>(path, serviceMigrations), options);
}

interface StoreOptions {
  /** Of the vectors that are kept in memory; 64 MB by default. */
  maxVectorBytes?: number;
}

/** The stores of an open database, which goes with them. */
export function createStore(
  database: Database<ServiceTables>,
  { maxVectorBytes }: StoreOptions = {},
): Store {
  const { queries } = database;
  const stores = createStores(queries);
  const index = createSearchIndex(queries);
  return {
    ...stores,
    keepReplies: (replies) => database.relaxed((tx) => createMessageStore(tx).keep(replies)),
    drafts: createDrafts(database),
    index,
    similar: createVectorSearch(queries, index, { maxCacheBytes: maxVectorBytes }),
    get isOpen() {
      return database.isOpen;
    },
    transaction: (work) => database.transaction((tx) => work(createStores(tx))),
    async check() {
      await queries.selectFrom('owners').select('id').limit(1).execute();
    },
    reclaimSpace: () => database.reclaimSpace(),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
