import type { Citation, MessageFilter } from '../../shared/api/session.ts';
import { renderProblem } from '../../shared/problems/problem.ts';
import { countAll, inPages } from '../../shared/stores/pages.ts';
import type { TokenUsage } from '../model/completion.ts';
import { toFailureFields } from '../meta.ts';
import type { InTransaction, Queries, Row } from './schema.ts';

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
  /** The reply begins with a word of caution: it may not answer the question. */
  weak?: true;
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

export interface MessageRecord extends Pick<
  Row<'messages'>,
  'uuid' | 'session' | 'query' | 'response' | 'errorMessage' | 'createdMs' | 'modifiedMs'
> {
  /** By marker, such as `1.2`. */
  citations: Record<string, Citation>;
  finishReason: '' | 'stop' | 'length';
  meta: MessageMeta;
}

/** Who generates a reply, and until when it is left alone unless it says that it goes on. */
export interface Generation {
  generator: string;
  untilMs: number;
}

/** What a process says of a reply that it generates. */
export interface KeptReply extends Generation {
  uuid: string;
  response: string;
}

/** A reply with an idempotency key can be asked for again this long. */
const continuedMs = 60 * 60 * 1000;
/** Each may be as long as a book. */
const messagesPerPage = 5;

export function createMessageStore(db: Queries, inTransaction: InTransaction) {
  const select = () => db.selectFrom('messages').selectAll('messages');
  const running = (uuid: string, tx = db) =>
    tx.updateTable('messages').where('uuid', '=', uuid).where('isDone', '=', 0);

  async function finish(
    { uuid, session, response, finishReason, errorMessage, modifiedMs, ...message }: MessageRecord,
    generator?: string,
  ): Promise<boolean> {
    const citations = JSON.stringify(message.citations);
    const meta = JSON.stringify(message.meta);
    const end = { response, finishReason, errorMessage, modifiedMs, citations, meta };
    const { numUpdatedRows } = await inTransaction(
      (tx) =>
        running(uuid, tx)
          .set({ ...end, isDone: 1 })
          .$if(generator !== undefined, (query) => query.where('generator', '=', generator ?? null))
          .executeTakeFirst(),
      session,
    );
    return numUpdatedRows === 1n;
  }

  return {
    /** Inserts the message with a running reply, or with the rate limit's message. */
    async insert(
      message: MessageRecord,
      {
        isLimited,
        key,
        generator,
        untilMs,
      }: Generation & { isLimited: boolean; key: string | undefined },
    ) {
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
          idempotencyKey: key ?? null,
          generator,
          generatesUntilMs: untilMs,
          createdMs,
          modifiedMs,
        })
        .execute();
    },
    async findByKey(session: string, key: string) {
      const row = await select()
        .where('session', '=', session)
        .where('idempotencyKey', '=', key)
        .executeTakeFirst();
      if (!row) return undefined;
      const { isDone, generator, generatesUntilMs } = row;
      return { message: toMessage(row), isDone: isDone === 1, generator, generatesUntilMs };
    },
    /** Generates the reply anew, from its start. The caller has seen that nobody else does. */
    async claim(uuid: string, { generator, untilMs: generatesUntilMs }: Generation) {
      await running(uuid).set({ response: '', generator, generatesUntilMs }).execute();
    },
    /**
     * Stores a reply's text so far, and goes on generating.
     * @returns false if this process generates it no more: it was ended, or taken by another
     */
    async keep({ uuid, response, generator, untilMs }: KeptReply): Promise<boolean> {
      const { numUpdatedRows } = await running(uuid)
        .set({ response, generatesUntilMs: untilMs })
        .where('generator', '=', generator)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Leaves a reply that the process generates to whoever asks for it next. */
    async release(
      { uuid, session, response }: Pick<MessageRecord, 'uuid' | 'session' | 'response'>,
      generator: string,
    ) {
      await inTransaction(
        (tx) =>
          running(uuid, tx)
            .set({ response, generator: null, generatesUntilMs: 0 })
            .where('generator', '=', generator)
            .execute(),
        session,
      );
    },
    /** Closes the message's reply, once; `generator` names who may. Returns whether it did. */
    finish,
    /** All replies that are not done were left by processes that have died. */
    async releaseAll() {
      await db
        .updateTable('messages')
        .set({ generator: null, generatesUntilMs: 0 })
        .where('isDone', '=', 0)
        .execute();
    },
    /**
     * Closes replies that nobody generates and nobody can ask for again: those without an idempotency key,
     * and those with an old one.
     * @param generator its own replies are left alone
     */
    async finishAbandoned(generator: string, nowMs: number) {
      const problem = { code: 'answer_stopped' } as const;
      const failure: MessageMeta = { interrupted: true, ...toFailureFields(problem) };
      const rows = await select()
        .where('isDone', '=', 0)
        .where('generatesUntilMs', '<=', nowMs)
        .where((eb) => eb.or([eb('generator', 'is', null), eb('generator', '<>', generator)]))
        .where((eb) =>
          eb.or([eb('idempotencyKey', 'is', null), eb('createdMs', '<', nowMs - continuedMs)]),
        )
        .execute();
      for (const row of rows) {
        const message = toMessage(row);
        await finish({
          ...message,
          meta: { ...message.meta, ...failure },
          errorMessage: renderProblem(problem),
          modifiedMs: nowMs,
        });
      }
    },
    async get(uuid: string, owner: string) {
      const row = await select()
        .innerJoin('sessions', 'sessions.uuid', 'messages.session')
        .innerJoin('chatbots', 'chatbots.uuid', 'sessions.chatbot')
        .where('messages.uuid', '=', uuid)
        .where('chatbots.owner', '=', owner)
        .executeTakeFirst();
      return row && toMessage(row);
    },
    async *each(session: string, { limit = Infinity, order = 'asc' }: MessageFilter) {
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
    /** The documents that came with a message: the one before it does not know them. */
    async listAdded(uuid: string): Promise<string[]> {
      const { id, session, meta } = await select()
        .where('uuid', '=', uuid)
        .executeTakeFirstOrThrow();
      const before = await select()
        .where('session', '=', session)
        .where('id', '<', id)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      const listOf = (json = '{}') => (JSON.parse(json) as MessageMeta).session_documents ?? [];
      return listOf(meta).filter((document) => !listOf(before?.meta).includes(document));
    },
    /** The newest messages answered without an error, oldest first. */
    async listRecent(session: string, limit: number) {
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
    /** Whether none of these messages has been deleted. */
    areThere: async (uuids: readonly string[]) =>
      (await countAll(db.selectFrom('messages').where('uuid', 'in', uuids))) === uuids.length,
    /**
     * Number of messages less than a while away from a time, except rate-limited ones. Those that seem to
     * come long after it are from before the clock was set back.
     */
    countAround: (session: string, atMs: number, whileMs: number) =>
      countAll(
        db
          .selectFrom('messages')
          .where('session', '=', session)
          .where('createdMs', '>', atMs - whileMs)
          .where('createdMs', '<', atMs + whileMs)
          .where('isLimited', '=', 0),
      ),
    /** The caller opens the transaction. */
    async setLabels(uuid: string, labels: NonNullable<MessageMeta['labels']>) {
      const row = await select().where('uuid', '=', uuid).executeTakeFirst();
      if (!row) return;
      const meta = JSON.stringify({ ...toMessage(row).meta, labels });
      await db.updateTable('messages').set({ meta }).where('uuid', '=', uuid).execute();
    },
    async delete(uuid: string) {
      await db.deleteFrom('messages').where('uuid', '=', uuid).execute();
    },
  };
}

function toMessage(found: Row<'messages'>): MessageRecord {
  const { uuid, session, query, response, errorMessage, createdMs, modifiedMs } = found;
  return {
    uuid,
    session,
    query,
    response,
    citations: JSON.parse(found.citations) as MessageRecord['citations'],
    finishReason: found.finishReason as MessageRecord['finishReason'],
    errorMessage,
    meta: JSON.parse(found.meta) as MessageMeta,
    createdMs,
    modifiedMs,
  };
}
