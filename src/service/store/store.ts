import type { DatabaseSync } from 'node:sqlite';
import { createAgentStore } from './agent-store.ts';
import { createChatbotStore } from './chatbot-store.ts';
import { createChoiceStore } from './choice-store.ts';
import { reclaimSpace, transaction } from '../../shared/primitives/sqlite.ts';
import { createDocumentStore } from './document-store.ts';
import { createKeyStore, createOwnerStore } from './key-store.ts';
import { createMessageStore, createReplyLog } from './message-store.ts';
import { createPassageStore } from './passage-store.ts';
import { createSessionStore } from './session-store.ts';
import { createSourceStore } from './source-store.ts';
import { createTagStore } from './tag-store.ts';
import { createUsageStore } from './usage.ts';
import { createVectorStore } from './vector-store.ts';

/** The service's stores, all in one open database. */
export function createStore(database: DatabaseSync) {
  return {
    owners: createOwnerStore(database),
    keys: createKeyStore(database),
    chatbots: createChatbotStore(database),
    agents: createAgentStore(database),
    sources: createSourceStore(database),
    tags: createTagStore(database),
    choices: createChoiceStore(database),
    sessions: createSessionStore(database),
    messages: createMessageStore(database),
    replyLog: createReplyLog(database),
    documents: createDocumentStore(database),
    passages: createPassageStore(database),
    vectors: createVectorStore(database),
    usage: createUsageStore(database),
    /** Gives the space of what was deleted back to the file system, some at each step. */
    reclaimSpace: () => reclaimSpace(database),
    /** Runs `work` in one transaction, which rolls back if it throws. */
    transaction: <Result>(work: () => Result) => transaction(database, work),
  };
}

export type Store = ReturnType<typeof createStore>;
