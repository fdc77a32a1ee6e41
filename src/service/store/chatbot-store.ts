import type { DatabaseSync } from 'node:sqlite';
import type { Steps } from '../../shared/primitives/steps.ts';
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

interface ChatbotStore {
  insert(chatbot: ChatbotRecord): void;
  update(chatbot: ChatbotRecord): void;
  get(uuid: string, owner: string): ChatbotRecord | undefined;
  each(owner: string): IteratorObject<ChatbotRecord>;
  count(owner: string): number;
  /** Deletes a chatbot with all its agents, tags and sources, one per step. */
  delete(uuid: string): Steps<void>;
  /** Whether it has so few passages and agents that ranking them takes little time. */
  isSmall(uuid: string): boolean;
}

/**
 * Up to these numbers, a question takes a few milliseconds, as measured with `npm run bench -- pause`
 * and `questions`.
 */
const small = { passages: 1000, agents: 5, sources: 200, tags: 0 };

const sizeSql = `
  SELECT
    (SELECT sum(passages) FROM (
      SELECT passages FROM passage_source
      WHERE chatbot = :chatbot AND passages > 0 LIMIT ${small.passages + 1})) AS passages,
    (SELECT count(*) FROM agents WHERE chatbot = :chatbot) AS agents,
    (SELECT count(*) FROM (
      SELECT 1 FROM agents JOIN choices ON agent = uuid JOIN chosen_sources ON choice = choices.id
      WHERE chatbot = :chatbot LIMIT ${small.sources + 1})) AS sources,
    (SELECT count(*) FROM agents JOIN agent_tags ON agent = uuid WHERE chatbot = :chatbot) AS tags
`;

/** A chatbot's name, whoever owns it. The database may be open to read only. */
export function readChatbotName(database: DatabaseSync, uuid: string): string | undefined {
  const row = database.prepare('SELECT name FROM chatbots WHERE uuid = ?').get(uuid);
  return row && String(row['name']);
}

/** Chatbots in the database; `get` and `each` return only the owner's. */
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
  // One at a time: each may have thousands of sources.
  const parts = ['agents', 'tags'].map((table) =>
    database.prepare(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE chatbot = ? LIMIT 1)`,
    ),
  );
  const count = database.prepare('SELECT count(*) AS count FROM chatbots WHERE owner = ?');
  const size = database.prepare(sizeSql);
  return {
    ...chatbots,
    *delete(uuid) {
      for (const statement of parts) {
        while (statement.run(uuid).changes > 0) yield;
      }
      chatbots.delete(uuid);
    },
    isSmall(uuid) {
      const sizes = size.get({ chatbot: uuid });
      return Object.entries(small).every(([what, max]) => Number(sizes?.[what]) <= max);
    },
    get: chatbots.select('WHERE uuid = ? AND owner = ?').first,
    each: chatbots.each('owner = ?'),
    count: (owner) => Number(count.get(owner)?.['count']),
  };
}
