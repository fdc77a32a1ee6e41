import type { DatabaseSync } from 'node:sqlite';
import { readRows } from './database.ts';

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

export interface SessionStore {
  insert(session: SessionRecord): void;
  /** Records activity in the session. */
  touch(uuid: string, modifiedMs: number): void;
  get(uuid: string, owner: string): SessionRecord | undefined;
  /** For the service's own work, for any owner. */
  find(uuid: string): SessionRecord | undefined;
  /** Adds values found in the conversation to the known ones. */
  learn(uuid: string, values: SessionVariables): void;
  /** Oldest first; both ends inclusive, in whole seconds, as clients see them. */
  list(chatbot: string, fromMs: number, toMs: number): SessionRecord[];
  delete(uuid: string): void;
}

type Row = Omit<SessionRecord, 'variables' | 'learned'> & { variables: string; learned: string };

const select = `SELECT sessions.uuid, sessions.chatbot, sessions.variables, sessions.learned,
  sessions.created_ms AS createdMs, sessions.modified_ms AS modifiedMs FROM sessions`;

/** Sessions in the database; deleting one also deletes its messages. */
export function createSessionStore(database: DatabaseSync): SessionStore {
  const insert = database.prepare(
    `INSERT INTO sessions (uuid, chatbot, variables, learned, created_ms, modified_ms)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const touch = database.prepare('UPDATE sessions SET modified_ms = ? WHERE uuid = ?');
  const learn = database.prepare(
    'UPDATE sessions SET learned = json_patch(learned, ?) WHERE uuid = ?',
  );
  const get = database.prepare(
    `${select} JOIN chatbots ON chatbots.uuid = sessions.chatbot
     WHERE sessions.uuid = ? AND chatbots.owner = ?`,
  );
  const find = database.prepare(`${select} WHERE sessions.uuid = ?`);
  const list = database.prepare(
    `${select} WHERE chatbot = ? AND created_ms - created_ms % 1000 BETWEEN ? AND ? ORDER BY id`,
  );
  const remove = database.prepare('DELETE FROM sessions WHERE uuid = ?');

  return {
    insert({ uuid, chatbot, variables, learned, createdMs, modifiedMs }) {
      const values = [JSON.stringify(variables), JSON.stringify(learned)];
      insert.run(uuid, chatbot, ...values, createdMs, modifiedMs);
    },
    touch(uuid, modifiedMs) {
      touch.run(modifiedMs, uuid);
    },
    learn(uuid, values) {
      learn.run(JSON.stringify(values), uuid);
    },
    get(uuid, owner) {
      const row = get.get(uuid, owner) as Row | undefined;
      return row && fromRow(row);
    },
    find(uuid) {
      const row = find.get(uuid) as Row | undefined;
      return row && fromRow(row);
    },
    list: (chatbot, fromMs, toMs) => readRows<Row>(list, chatbot, fromMs, toMs).map(fromRow),
    delete(uuid) {
      remove.run(uuid);
    },
  };
}

function fromRow(row: Row): SessionRecord {
  return {
    ...row,
    variables: JSON.parse(row.variables) as SessionVariables,
    learned: JSON.parse(row.learned) as SessionVariables,
  };
}
