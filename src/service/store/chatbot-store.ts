import type { DatabaseSync } from 'node:sqlite';
import { readRows } from './database.ts';

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

type Row = Omit<ChatbotRecord, 'showCitations'> & { showCitations: number };

const columns = `uuid, owner, name, rate_messages AS rateMessages, rate_seconds AS rateSeconds,
  rate_limit_message AS rateLimitMessage, show_citations AS showCitations, visibility,
  created_ms AS createdMs, modified_ms AS modifiedMs`;

/** Chatbots in the database; `get` and `list` return only the owner's. */
export function createChatbotStore(database: DatabaseSync): ChatbotStore {
  const insert = database.prepare(
    `INSERT INTO chatbots (uuid, owner, name, rate_messages, rate_seconds, rate_limit_message,
       show_citations, visibility, created_ms, modified_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = database.prepare(
    `UPDATE chatbots SET name = ?, rate_messages = ?, rate_seconds = ?, rate_limit_message = ?,
       show_citations = ?, visibility = ?, modified_ms = ? WHERE uuid = ?`,
  );
  const get = database.prepare(`SELECT ${columns} FROM chatbots WHERE uuid = ? AND owner = ?`);
  const list = database.prepare(`SELECT ${columns} FROM chatbots WHERE owner = ? ORDER BY id`);
  const remove = database.prepare('DELETE FROM chatbots WHERE uuid = ?');

  return {
    insert(chatbot) {
      insert.run(
        chatbot.uuid,
        chatbot.owner,
        chatbot.name,
        chatbot.rateMessages,
        chatbot.rateSeconds,
        chatbot.rateLimitMessage,
        Number(chatbot.showCitations),
        chatbot.visibility,
        chatbot.createdMs,
        chatbot.modifiedMs,
      );
    },
    update(chatbot) {
      update.run(
        chatbot.name,
        chatbot.rateMessages,
        chatbot.rateSeconds,
        chatbot.rateLimitMessage,
        Number(chatbot.showCitations),
        chatbot.visibility,
        chatbot.modifiedMs,
        chatbot.uuid,
      );
    },
    get(uuid, owner) {
      const row = get.get(uuid, owner) as Row | undefined;
      return row && fromRow(row);
    },
    list: (owner) => readRows<Row>(list, owner).map(fromRow),
    delete(uuid) {
      remove.run(uuid);
    },
  };
}

function fromRow(row: Row): ChatbotRecord {
  return { ...row, showCitations: row.showCitations === 1 };
}
