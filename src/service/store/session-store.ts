import { sql } from 'kysely';
import { mapEach } from '../../shared/primitives/iterables.ts';
import { eachById } from '../../shared/stores/pages.ts';
import type { InTransaction, Queries, Row } from './schema.ts';

/** Values of agents' variables by name. */
export type SessionVariables = Record<string, string | number | boolean>;

export interface SessionRecord extends Omit<
  Row<'sessions'>,
  'id' | 'bytes' | 'variables' | 'learned'
> {
  /** Initial values from the session's creator. */
  variables: SessionVariables;
  /** Values found in the conversation. */
  learned: SessionVariables;
}

/** Messages deleted at a time: each may be as long as a book. */
const batchSize = 4;
const pageSize = 50;

/** Sessions in the database; deleting one also deletes its messages. */
export function createSessionStore(db: Queries, inTransaction: InTransaction) {
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
    async insert({ variables, learned, ...session }: SessionRecord) {
      const json = { variables: JSON.stringify(variables), learned: JSON.stringify(learned) };
      await db
        .insertInto('sessions')
        .values({ ...session, ...json })
        .execute();
    },
    /** Records activity in the session. In a transaction, other transactions then wait to do the same. */
    async touch(uuid: string, modifiedMs: number) {
      await db.updateTable('sessions').set({ modifiedMs }).where('uuid', '=', uuid).execute();
    },
    async get(uuid: string, owner: string) {
      const row = await select()
        .innerJoin('chatbots', 'chatbots.uuid', 'sessions.chatbot')
        .where('sessions.uuid', '=', uuid)
        .where('chatbots.owner', '=', owner)
        .executeTakeFirst();
      return row && toSession(row);
    },
    /** For the service's own work, for any owner. */
    async find(uuid: string) {
      const row = await select().where('uuid', '=', uuid).executeTakeFirst();
      return row && toSession(row);
    },
    /** Adds values found in the conversation to the known ones; the caller opens the transaction. */
    async learn(uuid: string, values: SessionVariables) {
      const row = await select().where('uuid', '=', uuid).executeTakeFirst();
      if (!row) return;
      const learned = JSON.stringify({ ...toSession(row).learned, ...values });
      await db.updateTable('sessions').set({ learned }).where('uuid', '=', uuid).execute();
    },
    /** Forgets all that was learned; the caller opens the transaction. */
    async unlearn(uuid: string) {
      await db.updateTable('sessions').set({ learned: '{}' }).where('uuid', '=', uuid).execute();
    },
    /** Oldest first; both ends inclusive. Clients see whole seconds, so the last second counts whole. */
    each(chatbot: string, fromMs: number, toMs: number) {
      const between = select()
        .where('chatbot', '=', chatbot)
        .where('createdMs', '>=', fromMs)
        .where(sql<number>`created_ms - created_ms % 1000`, '<=', toMs);
      return mapEach(eachById(between, pageSize), toSession);
    },
    /** Deletes a session, a few messages at a time. */
    delete: (uuid: string) => remove(uuid),
    /** Deletes all of a chatbot. */
    async deleteAllOf(chatbot: string) {
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
    /** Deletes sessions not used since a time, a few messages at a time. One used meanwhile stays. */
    async deleteUnused(sinceMs: number, signal: AbortSignal) {
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

function toSession(found: Row<'sessions'>): SessionRecord {
  const { id: _, bytes: __, ...row } = found;
  return {
    ...row,
    variables: JSON.parse(row.variables) as SessionVariables,
    learned: JSON.parse(row.learned) as SessionVariables,
  };
}
