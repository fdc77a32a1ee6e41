import type { DatabaseSync } from 'node:sqlite';
import { type AgentStore, createAgentStore } from './agent-store.ts';
import { type ChatbotStore, createChatbotStore } from './chatbot-store.ts';
import { type ChoiceStore, createChoiceStore } from './choice-store.ts';
import { reclaimSpace } from '../../shared/primitives/deleted-data.ts';
import type { Steps } from '../../shared/primitives/in-steps.ts';
import { transaction } from '../../shared/primitives/transaction.ts';
import { createDocumentStore, type DocumentStore } from './document-store.ts';
import { createKeyStore, createOwnerStore, type KeyStore, type OwnerStore } from './key-store.ts';
import {
  createMessageStore,
  createReplyLog,
  type MessageStore,
  type ReplyLog,
} from './message-store.ts';
import { createPassageStore, type PassageStore } from './passage-store.ts';
import { createSessionStore, type SessionStore } from './session-store.ts';
import { createSourceStore, type SourceStore } from './source-store.ts';
import { createTagStore, type TagStore } from './tag-store.ts';
import { createUsageStore, type UsageStore } from './usage.ts';
import { createVectorStore, type VectorStore } from './vector-store.ts';

/** The service's store: one interface per noun, all in one database. */
export interface Store {
  owners: OwnerStore;
  keys: KeyStore;
  chatbots: ChatbotStore;
  agents: AgentStore;
  sources: SourceStore;
  tags: TagStore;
  choices: ChoiceStore;
  sessions: SessionStore;
  messages: MessageStore;
  replyLog: ReplyLog;
  documents: DocumentStore;
  passages: PassageStore;
  vectors: VectorStore;
  usage: UsageStore;
  /** Gives the space of what was deleted back to the file system, some at each step. */
  reclaimSpace(): Steps<void>;
  /** Runs `work` in one transaction, which rolls back if it throws. */
  transaction<Result>(work: () => Result): Result;
}

/** All stores on one open database. */
export function createStore(database: DatabaseSync): Store {
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
    reclaimSpace: () => reclaimSpace(database),
    transaction: (work) => transaction(database, work),
  };
}
