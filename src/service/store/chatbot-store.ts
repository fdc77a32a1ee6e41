import type { DatabaseSync } from 'node:sqlite';
import { createTable } from './table.ts';

export interface ChatbotRecord {
  uuid: string;
  owner: string;
  name: string;
  rateMessages: number;
  rateSeconds: number;
  rateLimitMessage: string;
  showCitations: boolean;
  visibility: string;
  createdMs: number;
  modifiedMs: number;
}

export interface ChatbotStore {
  insert(chatbot: ChatbotRecord): void;
  update(chatbot: ChatbotRecord): void;
  get(uuid: string, owner: string): ChatbotRecord | undefined;
  list(owner: string): ChatbotRecord[];
  delete(uuid: string): void;
}

/** A chatbot's name, whoever owns it. The database may be open to read only. */
export function readChatbotName(database: DatabaseSync, uuid: string): string | undefined {
  const row = database.prepare('SELECT name FROM chatbots WHERE uuid = ?').get(uuid);
  return row && String(row['name']);
}

/** Chatbots in the database; `get` and `list` return only the owner's. */
export function createChatbotStore(database: DatabaseSync): ChatbotStore {
  const chatbots = createTable<ChatbotRecord>(database, 'chatbots', {
    columns: {
      uuid: 'plain',
      owner: 'plain',
      name: 'plain',
      rateMessages: 'plain',
      rateSeconds: 'plain',
      rateLimitMessage: 'plain',
      showCitations: 'boolean',
      visibility: 'plain',
      createdMs: 'plain',
      modifiedMs: 'plain',
    },
    fixed: ['owner', 'createdMs'],
  });
  return {
    ...chatbots,
    get: chatbots.select('WHERE uuid = ? AND owner = ?').first,
    list: chatbots.select('WHERE owner = ? ORDER BY id').all,
  };
}
