import type { DatabaseSync } from 'node:sqlite';

/** Tells every connection when what a search can find has changed, and is to be read again. */
export interface PassageChanges {
  /** Another one after each change; empty before the first. */
  version(chatbot: string): string;
  /** Call this in the transaction that changes the chatbot's passages or vectors. */
  add(chatbot: string): void;
}

export function createPassageChanges(database: DatabaseSync): PassageChanges {
  const get = database.prepare('SELECT version FROM passage_changes WHERE chatbot = ?');
  const put = database.prepare(
    'REPLACE INTO passage_changes VALUES (?, lower(hex(randomblob(8))))',
  );
  return {
    version: (chatbot) => String(get.get(chatbot)?.['version'] ?? ''),
    add(chatbot) {
      put.run(chatbot);
    },
  };
}
