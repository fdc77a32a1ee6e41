import { type Selectable, sql } from 'kysely';
import { mapEach } from '../../shared/primitives/iterables.ts';
import { eachById } from '../../shared/stores/pages.ts';
import type { InTransaction, Queries, ServiceTables } from './schema.ts';

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
  insert(session: SessionRecord): Promise<void>;
  /** Records activity in the session. In a transaction, other transactions then wait to do the same. */
  touch(uuid: string, modifiedMs: number): Promise<void>;
  get(uuid: string, owner: string): Promise<SessionRecord | undefined>;
  /** For the service's own work, for any owner. */
  find(uuid: string): Promise<SessionRecord | undefined>;
  /** Adds values found in the conversation to the known ones; the caller opens the transaction. */
  learn(uuid: string, values: SessionVariables): Promise<void>;
  /** Forgets all of them. */
  unlearn(uuid: string): Promise<void>;
  /** Oldest first; both ends inclusive, in whole seconds, as clients see them. */
  each(chatbot: string, fromMs: number, toMs: number): AsyncGenerator<SessionRecord, void>;
  /** Deletes a session, a few messages at a time. */
  delete(uuid: string): Promise<void>;
  /** Deletes all of a chatbot. */
  deleteAllOf(chatbot: string): Promise<void>;
  /** Deletes sessions not used since a time, a few messages at a time. One used meanwhile stays. */
  deleteUnused(sinceMs: number, signal: AbortSignal): Promise<void>;
}

/** Messages deleted at a time: each may be as long as a book. */
const batchSize = 4;
const pageSize = 50;

/** Sessions in the database; deleting one also deletes its messages. */
export function createSessionStore(db: Queries, inTransaction: InTransaction): SessionStore {
  const select = () => db.selectFrom('sessions').selectAll('sessions');

  /** @returns false if there are none, or the session was used since */
  async function deleteSomeMessages(session: string, sinceMs: number): Promise<boolean> {
    const some = (tx: Queries) =>
      tx
        .selectFrom('messages')
        .innerJoin('sessions', 'sessions.uuid', 'session')
        .select('messages.id')
        .where('session', '=', session)
        .where('sessions.modifiedMs', '<', sinceMs)
        .orderBy('messages.id')
        .limit(batchSize);
    const row = await inTransaction((tx) =>
      tx.deleteFrom('messages').where('id', 'in', some(tx)).executeTakeFirst(),
    );
    return row.numDeletedRows > 0;
  }

  /** Each step leaves a session alone that was used since. */
  async function remove(uuid: string, sinceMs = Number.MAX_SAFE_INTEGER): Promise<void> {
    while (await deleteSomeMessages(uuid, sinceMs));
    await inTransaction((tx) =>
      tx
        .deleteFrom('sessions')
        .where('uuid', '=', uuid)
        .where('modifiedMs', '<', sinceMs)
        .execute(),
    );
  }

  return {
    async insert({ variables, learned, ...session }) {
      const json = { variables: JSON.stringify(variables), learned: JSON.stringify(learned) };
      await db
        .insertInto('sessions')
        .values({ ...session, ...json })
        .execute();
    },
    async touch(uuid, modifiedMs) {
      await db.updateTable('sessions').set({ modifiedMs }).where('uuid', '=', uuid).execute();
    },
    async get(uuid, owner) {
      const row = await select()
        .innerJoin('chatbots', 'chatbots.uuid', 'sessions.chatbot')
        .where('sessions.uuid', '=', uuid)
        .where('chatbots.owner', '=', owner)
        .executeTakeFirst();
      return row && toSession(row);
    },
    async find(uuid) {
      const row = await select().where('uuid', '=', uuid).executeTakeFirst();
      return row && toSession(row);
    },
    async learn(uuid, values) {
      const row = await select().where('uuid', '=', uuid).executeTakeFirst();
      if (!row) return;
      const learned = JSON.stringify({ ...toSession(row).learned, ...values });
      await db.updateTable('sessions').set({ learned }).where('uuid', '=', uuid).execute();
    },
    async unlearn(uuid) {
      await db.updateTable('sessions').set({ learned: '{}' }).where('uuid', '=', uuid).execute();
    },
    each(chatbot, fromMs, toMs) {
      const seconds = sql<number>`created_ms - created_ms % 1000`;
      const between = select()
        .where('chatbot', '=', chatbot)
        .where(seconds, '>=', fromMs)
        .where(seconds, '<=', toMs);
      return mapEach(eachById(between, pageSize), toSession);
    },
    delete: (uuid) => remove(uuid),
    async deleteAllOf(chatbot) {
      for (;;) {
        const row = await db
          .selectFrom('sessions')
          .select('uuid')
          .where('chatbot', '=', chatbot)
          .limit(1)
          .executeTakeFirst();
        if (!row) return;
        await remove(row.uuid);
      }
    },
    async deleteUnused(sinceMs, signal) {
      while (!signal.aborted) {
        const row = await db
          .selectFrom('sessions')
          .select('uuid')
          .where('modifiedMs', '<', sinceMs)
          .orderBy('modifiedMs')
          .limit(1)
          .executeTakeFirst();
        if (!row) return;
        await remove(row.uuid, sinceMs);
      }
    },
  };
}

type Row = Selectable<ServiceTables['sessions']>;

function toSession(found: Row): SessionRecord {
  const { id: _, bytes: __, ...row } = found;
  return {
    ...row,
    variables: JSON.parse(row.variables) as SessionVariables,
    learned: JSON.parse(row.learned) as SessionVariables,
  };
}
