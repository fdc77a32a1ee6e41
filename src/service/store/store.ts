import { sql } from 'kysely';
import type { Database } from '../../shared/stores/database.ts';
import { type DatabasePlace, openDatabase } from '../../shared/stores/open-database.ts';
import { createSearchIndex, type SearchIndex } from '../retrieval/search-index.ts';
import { createAgentStore } from './agent-store.ts';
import { createChatbotStore } from './chatbot-store.ts';
import { createDocumentStore } from './document-store.ts';
import { createKeyStore, createOwnerStore } from './key-store.ts';
import { createMessageStore, type KeptReply } from './message-store.ts';
import { createDrafts, type Drafts } from './passage-draft.ts';
import { createPassageStore } from './passage-store.ts';
import {
  type InTransaction,
  type Queries,
  serviceMigrations,
  type ServiceTables,
} from './schema.ts';
import { createSessionStore } from './session-store.ts';
import { createFileStore, createSourceStore } from './source-store.ts';
import { createTagStore } from './tag-store.ts';
import { createVectorSearch, createVectorStore, type VectorSearch } from './vector-store.ts';

/** The service's stores: those of the database, or of one transaction. */
export type Stores = ReturnType<typeof createStores>;

function createStores(db: Queries, inTransaction: InTransaction) {
  return {
    /** For what else is in the database, such as jobs. */
    queries: db,
    owners: createOwnerStore(db),
    keys: createKeyStore(db),
    chatbots: createChatbotStore(db),
    agents: createAgentStore(db),
    sources: createSourceStore(db),
    files: createFileStore(db),
    tags: createTagStore(db),
    sessions: createSessionStore(db, inTransaction),
    messages: createMessageStore(db, inTransaction),
    documents: createDocumentStore(db),
    passages: createPassageStore(db, inTransaction),
    vectors: createVectorStore(db),
    usage: createUsageStore(db),
  };
}

/** The stores of one transaction: what they do is part of it. */
const toStores = (tx: Queries) => createStores(tx, (work) => work(tx));

/** All that the service stores. Disposing closes it. */
export interface Store extends Stores, AsyncDisposable {
  /**
   * Stores the texts of unfinished replies, in transactions that a power cut may undo, as it interrupts the
   * replies in any case: waiting for the disk would cost more than the text.
   * @returns the uuids of those for which `messages.keep` is false
   */
  keepReplies(replies: readonly KeptReply[]): Promise<string[]>;
  drafts: Drafts;
  /** The search by words. */
  index: SearchIndex;
  /** The search by meaning. */
  similar: VectorSearch;
  readonly isOpen: boolean;
  /** Whether other processes use it at the same time. */
  readonly isShared: boolean;
  /** Runs work in one transaction, which rolls back if it rejects. It uses only the stores it is given. */
  transaction<Result>(work: (tx: Stores) => Promise<Result>): Promise<Result>;
  /** @throws {Error} when the database can't be read */
  check(): Promise<void>;
  /** Runs work while no other process runs any of the same name. */
  exclusively: Database<ServiceTables>['exclusively'];
  /**
   * Deletes session documents after a day and sessions after `retentionMs` without use, and erases from
   * the database's files what was deleted.
   */
  keepUp(options: { nowMs: number; retentionMs?: number; signal: AbortSignal }): Promise<void>;
}

/** Session documents are kept for a day, because they are meant for the next messages. */
const documentsMs = 24 * 60 * 60 * 1000;

/**
 * Opens the service's database; creates it if missing.
 * @throws {RefusedError} when a newer version of Causeway wrote it
 */
export async function openStore(place: DatabasePlace, options: StoreOptions = {}): Promise<Store> {
  return createStore(await openDatabase<ServiceTables>(place, serviceMigrations), options);
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
  const stores = createStores(queries, database.transaction);
  const index = createSearchIndex(queries);
  return {
    ...stores,
    async keepReplies(replies) {
      const gone: string[] = [];
      for (const reply of replies) {
        // One at a time: a transaction for several would hold what ending replies wait for.
        const keep = (tx: Queries) => toStores(tx).messages.keep(reply);
        if (!(await database.relaxed(keep, 'unfinished replies'))) gone.push(reply.uuid);
      }
      return gone;
    },
    drafts: createDrafts(database),
    index,
    similar: createVectorSearch(queries, index, { maxCacheBytes: maxVectorBytes }),
    get isOpen() {
      return database.isOpen;
    },
    isShared: database.isShared,
    exclusively: database.exclusively,
    transaction: (work) => database.transaction((tx) => work(toStores(tx))),
    async check() {
      await queries.selectFrom('owners').select('id').limit(1).execute();
    },
    async keepUp({ nowMs, retentionMs, signal }) {
      const { documents, sessions, passages } = stores;
      await documents.deleteBefore(nowMs - documentsMs, signal);
      if (retentionMs !== undefined) await sessions.deleteUnused(nowMs - retentionMs, signal);
      await passages.discardAbandoned();
      await passages.deleteHidden(signal);
      if (!signal.aborted) await database.reclaimSpace();
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** How many bytes are stored for whom, as triggers count them in the transaction of each change. */
function createUsageStore(db: Queries) {
  async function of(owner: string): Promise<number> {
    const row = await db
      .selectFrom('owners')
      .select('bytes')
      .where('id', '=', owner)
      .executeTakeFirst();
    return row?.bytes ?? 0;
  }

  return {
    /** All that is stored for an owner. */
    of,
    /**
     * All that is stored for a source's owner, and what of it is the source's file with the text that
     * search sees.
     */
    async around(source: string) {
      const row = await db
        .selectFrom('sources')
        .innerJoin('chatbots', 'chatbots.uuid', 'sources.chatbot')
        .leftJoin('sourceVersions', (join) =>
          join
            .onRef('sourceVersions.source', '=', 'sources.uuid')
            .on('sourceVersions.state', '=', 'live'),
        )
        .where('sources.uuid', '=', source)
        .select([
          'chatbots.owner',
          sql<number>`file_size + coalesce(source_versions.bytes, 0)`.as('own'),
        ])
        .executeTakeFirst();
      return row ? { used: await of(row.owner), own: row.own } : { used: 0, own: 0 };
    },
    /** The passages of a version of a source, with their vectors. */
    async ofPassages(version: number) {
      const row = await db
        .selectFrom('sourceVersions')
        .where('number', '=', version)
        .select('bytes')
        .executeTakeFirst();
      return row?.bytes ?? 0;
    },
  };
}
