import type { DatabaseSync } from 'node:sqlite';
import type { Steps } from '../../shared/primitives/steps.ts';
import { createTable } from './table.ts';

/** Values of agents' variables by name. */
export type SessionVariables = Record<string, string | number | boolean>;

export interface SessionRecord {
  uuid: string;
  chatbot: string;
  /** Initial values from the session's creator. */
  variables: SessionVariables;
  /** Values found in the conversation. */
  learned: SessionVariables;
  createdMs: number;
  modifiedMs: number;
}

interface SessionStore {
  insert(session: SessionRecord): void;
  /** Records activity in the session. */
  touch(uuid: string, modifiedMs: number): void;
  get(uuid: string, owner: string): SessionRecord | undefined;
  /** For the service's own work, for any owner. */
  find(uuid: string): SessionRecord | undefined;
  /** Adds values found in the conversation to the known ones. */
  learn(uuid: string, values: SessionVariables): void;
  /** Oldest first; both ends inclusive, in whole seconds, as clients see them. */
  each(chatbot: string, fromMs: number, toMs: number): IteratorObject<SessionRecord>;
  /** Deletes a session, a few messages per step. */
  delete(uuid: string): Steps<void>;
  /** Deletes all of a chatbot. */
  deleteAllOf(chatbot: string): Steps<void>;
  /** Deletes sessions not used since a time, a few messages per step. One used meanwhile stays. */
  deleteUnused(sinceMs: number): Steps<void>;
}

/** Messages deleted per step: each may be as long as a book. */
const batchSize = 4;

/** Sessions in the database; deleting one also deletes its messages. */
export function createSessionStore(database: DatabaseSync): SessionStore {
  const sessions = createTable<SessionRecord>(database, 'sessions', {
    columns: {
      uuid: 'plain',
      chatbot: 'plain',
      variables: 'json',
      learned: 'json',
      createdMs: 'plain',
      modifiedMs: 'plain',
    },
    fixed: ['chatbot', 'createdMs'],
  });
  const touch = database.prepare('UPDATE sessions SET modified_ms = ? WHERE uuid = ?');
  const learn = database.prepare(
    'UPDATE sessions SET learned = json_patch(learned, ?) WHERE uuid = ?',
  );

  const unused = database.prepare(
    'SELECT uuid FROM sessions WHERE modified_ms < ? ORDER BY modified_ms LIMIT 1',
  );
  const isUnused = database.prepare('SELECT 1 FROM sessions WHERE uuid = ? AND modified_ms < ?');
  const deleteSome = database.prepare(
    `DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE session = ? LIMIT ${batchSize})`,
  );

  const someOf = database.prepare('SELECT uuid FROM sessions WHERE chatbot = ? LIMIT 1');

  function* remove(uuid: string, isMeant = () => true): Steps<void> {
    while (isMeant()) {
      if (deleteSome.run(uuid).changes === 0) return sessions.delete(uuid);
      yield;
    }
  }

  function* deleteAllOf(chatbot: string): Steps<void> {
    for (let row = someOf.get(chatbot); row; row = someOf.get(chatbot)) {
      yield* remove(String(row['uuid']));
      yield;
    }
  }

  function* deleteUnused(sinceMs: number): Steps<void> {
    for (let row = unused.get(sinceMs); row; row = unused.get(sinceMs)) {
      const uuid = String(row['uuid']);
      yield* remove(uuid, () => isUnused.get(uuid, sinceMs) !== undefined);
      yield;
    }
  }

  return {
    ...sessions,
    delete: (uuid) => remove(uuid),
    deleteAllOf,
    deleteUnused,
    touch(uuid, modifiedMs) {
      touch.run(modifiedMs, uuid);
    },
    learn(uuid, values) {
      learn.run(JSON.stringify(values), uuid);
    },
    get: sessions.select(
      `JOIN chatbots ON chatbots.uuid = sessions.chatbot
       WHERE sessions.uuid = ? AND chatbots.owner = ?`,
    ).first,
    find: sessions.select('WHERE uuid = ?').first,
    each: sessions.each('chatbot = ? AND created_ms - created_ms % 1000 BETWEEN ? AND ?'),
  };
}
