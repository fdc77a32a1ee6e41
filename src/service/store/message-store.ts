import type { Selectable } from 'kysely';
import type { Citation, MessageFilter } from '../../shared/api/session.ts';
import { type Problem, renderProblem } from '../../shared/problems/problem.ts';
import { inPages } from '../../shared/stores/pages.ts';
import type { TokenUsage } from '../answer/completion.ts';
import { toFailureFields } from '../meta.ts';
import type { Queries, ServiceTables } from './schema.ts';

/** What the service stores in a message's meta_json. */
export interface MessageMeta {
  /** The agent that answered. */
  agent?: { uuid: string; name: string };
  /** If several agents could answer: the best ones, best first. */
  agents?: { uuid: string; name: string; fit: number }[];
  /** The model that answered. */
  model?: string;
  /** How many tokens the request and the reply took, as the server or this service counts. */
  actual_token_distribution?: TokenUsage;
  /** The labels that background agents gave the conversation. */
  labels?: { name: string; color: string; agent: string }[];
  /** Absent if the reply cites a source; the title of the source that came closest, if any. */
  unanswered?: { nearest?: string };
  /** By marker, where in its source a cited passage begins, and when that was last read. */
  cited?: Record<string, { page?: number; modified_at?: string }>;
  rate_limited?: true;
  /** The reply ended early, because its reader left or the service stopped. */
  interrupted?: true;
  /** What `errorMessage` says, as data. */
  error_code?: string;
  error_params?: object;
  session_documents?: string[];
}

export interface MessageRecord {
  uuid: string;
  session: string;
  query: string;
  response: string;
  /** By marker, such as `1.2`. */
  citations: Record<string, Citation>;
  finishReason: '' | 'stop' | 'length';
  errorMessage: string;
  meta: MessageMeta;
  createdMs: number;
  modifiedMs: number;
}

interface MessageStore {
  /** Inserts the message with a running reply, or with the rate limit's message. */
  insert(message: MessageRecord, isLimited: boolean): Promise<void>;
  /** Closes the message's reply, once. */
  finish(message: MessageRecord): Promise<void>;
  /**
   * Closes replies that an earlier process left running, with their text from the reply log, which is
   * empty then. The caller opens the transaction.
   */
  finishAbandoned(problem: Problem, modifiedMs: number): Promise<void>;
  get(uuid: string, owner: string): Promise<MessageRecord | undefined>;
  each(session: string, filter: MessageFilter): AsyncGenerator<MessageRecord, void>;
  /** The newest messages answered without an error, oldest first. */
  listRecent(session: string, limit: number): Promise<MessageRecord[]>;
  /** Number of messages since a time (exclusive), except rate-limited ones. */
  countSince(session: string, sinceMs: number): Promise<number>;
  /** The caller opens the transaction. */
  setLabels(uuid: string, labels: NonNullable<MessageMeta['labels']>): Promise<void>;
  delete(uuid: string): Promise<void>;
}

/** Each may be as long as a book. */
const messagesPerPage = 5;

export function createMessageStore(db: Queries): MessageStore {
  const select = () => db.selectFrom('messages').selectAll('messages');

  async function readLog(message: string): Promise<string> {
    const rows = await db
      .selectFrom('replyDeltas')
      .select('delta')
      .where('message', '=', message)
      .orderBy('id')
      .execute();
    return rows.map(({ delta }) => delta).join('');
  }

  return {
    async insert(message, isLimited) {
      const { uuid, session, query, createdMs, modifiedMs } = message;
      await db
        .insertInto('messages')
        .values({
          uuid,
          session,
          query,
          response: '',
          citations: '{}',
          finishReason: '',
          errorMessage: '',
          meta: JSON.stringify(message.meta),
          isDone: 0,
          isLimited: Number(isLimited),
          createdMs,
          modifiedMs,
        })
        .execute();
    },
    async finish({ uuid, response, finishReason, errorMessage, modifiedMs, ...message }) {
      const citations = JSON.stringify(message.citations);
      const meta = JSON.stringify(message.meta);
      const end = { response, finishReason, errorMessage, modifiedMs, citations, meta };
      await db
        .updateTable('messages')
        .set({ ...end, isDone: 1 })
        .where('uuid', '=', uuid)
        .where('isDone', '=', 0)
        .execute();
    },
    async finishAbandoned(problem, modifiedMs) {
      const failure: MessageMeta = { interrupted: true, ...toFailureFields(problem) };
      const errorMessage = renderProblem(problem);
      const rows = await db
        .selectFrom('messages')
        .select(['uuid', 'meta'])
        .where('isDone', '=', 0)
        .execute();
      for (const { uuid, meta } of rows) {
        const known = JSON.parse(meta) as MessageMeta;
        await db
          .updateTable('messages')
          .set({
            response: await readLog(uuid),
            meta: JSON.stringify({ ...known, ...failure }),
            errorMessage,
            modifiedMs,
            isDone: 1,
          })
          .where('uuid', '=', uuid)
          .execute();
      }
      await db.deleteFrom('replyDeltas').execute();
    },
    async get(uuid, owner) {
      const row = await select()
        .innerJoin('sessions', 'sessions.uuid', 'messages.session')
        .innerJoin('chatbots', 'chatbots.uuid', 'sessions.chatbot')
        .where('messages.uuid', '=', uuid)
        .where('chatbots.owner', '=', owner)
        .executeTakeFirst();
      return row && toMessage(row);
    },
    async *each(session, { limit = Infinity, order = 'asc' }) {
      const [isBeyond, start] =
        order === 'asc' ? (['>', 0] as const) : (['<', Number.MAX_SAFE_INTEGER] as const);
      const pages = inPages(messagesPerPage, (after = start, size) =>
        select()
          .where('session', '=', session)
          .where('id', isBeyond, after)
          .orderBy('id', order)
          .limit(size)
          .execute(),
      );
      let left = limit;
      for await (const row of pages) {
        if (left <= 0) return;
        left -= 1;
        yield toMessage(row);
      }
    },
    async listRecent(session, limit) {
      const rows = await select()
        .where('session', '=', session)
        .where('isDone', '=', 1)
        .where('isLimited', '=', 0)
        .where('response', '<>', '')
        .where('errorMessage', '=', '')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toMessage).toReversed();
    },
    async countSince(session, sinceMs) {
      const row = await db
        .selectFrom('messages')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('session', '=', session)
        .where('createdMs', '>', sinceMs)
        .where('isLimited', '=', 0)
        .executeTakeFirst();
      return row?.count ?? 0;
    },
    async setLabels(uuid, labels) {
      const row = await select().where('uuid', '=', uuid).executeTakeFirst();
      if (!row) return;
      const meta = JSON.stringify({ ...toMessage(row).meta, labels });
      await db.updateTable('messages').set({ meta }).where('uuid', '=', uuid).execute();
    },
    async delete(uuid) {
      await db.deleteFrom('messages').where('uuid', '=', uuid).execute();
    },
  };
}

type Row = Selectable<ServiceTables['messages']>;

function toMessage(found: Row): MessageRecord {
  const { id: _, isDone: __, isLimited: ___, ...row } = found;
  return {
    ...row,
    finishReason: row.finishReason as MessageRecord['finishReason'],
    citations: JSON.parse(row.citations) as MessageRecord['citations'],
    meta: JSON.parse(row.meta) as MessageMeta,
  };
}
