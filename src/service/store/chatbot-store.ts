import { mapEach } from '../../shared/primitives/iterables.ts';
import { countAll, eachById } from '../../shared/stores/pages.ts';
import type { Queries, Row } from './schema.ts';

export interface ChatbotRecord extends Omit<Row<'chatbots'>, 'id' | 'bytes' | 'showCitations'> {
  showCitations: boolean;
}

/** Columns that never change are left out of updates. */
type Changes = Partial<Omit<ChatbotRecord, 'uuid' | 'owner' | 'createdMs'>>;

const pageSize = 50;

/** A chatbot's name, whoever owns it. */
export async function readChatbotName(db: Queries, uuid: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('chatbots')
    .select('name')
    .where('uuid', '=', uuid)
    .executeTakeFirst();
  return row?.name;
}

/** Chatbots in the database; `get` and `each` return only the owner's. */
export function createChatbotStore(db: Queries) {
  const select = () => db.selectFrom('chatbots').selectAll();

  return {
    async insert(chatbot: ChatbotRecord) {
      await db
        .insertInto('chatbots')
        .values({ ...chatbot, showCitations: Number(chatbot.showCitations) })
        .execute();
    },
    async update(uuid: string, { showCitations, ...changes }: Changes) {
      const flags = showCitations === undefined ? {} : { showCitations: Number(showCitations) };
      await db
        .updateTable('chatbots')
        .set({ ...changes, ...flags })
        .where('uuid', '=', uuid)
        .execute();
    },
    async get(uuid: string, owner: string) {
      const row = await select()
        .where('uuid', '=', uuid)
        .where('owner', '=', owner)
        .executeTakeFirst();
      return row && toChatbot(row);
    },
    each: (owner: string) =>
      mapEach(eachById(select().where('owner', '=', owner), pageSize), toChatbot),
    count: (owner: string) => countAll(db.selectFrom('chatbots').where('owner', '=', owner)),
    /**
     * Deletes the chatbot and all that belongs to it, except its passages: its agents and tags one by one,
     * as each may be long. The caller has deleted its sources and sessions, of which there may be many.
     */
    async delete(uuid: string) {
      for (const table of ['agents', 'tags'] as const) {
        const rows = await db
          .selectFrom(table)
          .select('uuid')
          .where('chatbot', '=', uuid)
          .execute();
        for (const row of rows) {
          await db.deleteFrom(table).where('uuid', '=', row.uuid).execute();
        }
      }
      await db.deleteFrom('chatbots').where('uuid', '=', uuid).execute();
    },
  };
}

function toChatbot(found: Row<'chatbots'>): ChatbotRecord {
  const { id: _, bytes: __, ...row } = found;
  return { ...row, showCitations: row.showCitations === 1 };
}
