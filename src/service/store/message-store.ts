import type { DatabaseSync } from 'node:sqlite';
import type { Citation, MessageFilter } from '../../shared/api/session.ts';
import { type Problem, renderProblem } from '../../shared/problems/problem.ts';
import { transaction } from '../../shared/primitives/sqlite.ts';
import type { TokenUsage } from '../answer/completion.ts';
import { toFailureFields } from '../meta.ts';
import { withoutSync } from './database.ts';
import { createTable } from './table.ts';

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
  insert(message: MessageRecord, isLimited: boolean): void;
  /** Closes the message's reply. */
  finish(message: MessageRecord): void;
  /** Closes replies that an earlier process left running, with their text from the reply log. */
  finishAbandoned(problem: Problem, modifiedMs: number): void;
  get(uuid: string, owner: string): MessageRecord | undefined;
  each(session: string, filter: MessageFilter): IteratorObject<MessageRecord>;
  /** The newest messages answered without an error, oldest first. */
  listRecent(session: string, limit: number): MessageRecord[];
  /** Number of messages since a time (exclusive), except rate-limited ones. */
  countSince(session: string, sinceMs: number): number;
  setLabels(uuid: string, labels: NonNullable<MessageMeta['labels']>): void;
  delete(uuid: string): void;
}

/** Each may be as long as a book. */
const messagesPerPage = 5;

/** Messages in the database. Each write is its own transaction unless the caller opens one. */
export function createMessageStore(database: DatabaseSync): MessageStore {
  const messages = createTable<MessageRecord>(database, 'messages', {
    columns: {
      uuid: 'plain',
      session: 'plain',
      query: 'plain',
      response: 'plain',
      citations: 'json',
      finishReason: 'plain',
      errorMessage: 'plain',
      meta: 'json',
      createdMs: 'plain',
      modifiedMs: 'plain',
    },
    fixed: ['session', 'query', 'createdMs'],
  });
  const insert = database.prepare(
    `INSERT INTO messages (uuid, session, query, response, citations, finish_reason,
       error_message, meta, is_done, is_limited, created_ms, modified_ms)
     VALUES (?, ?, ?, '', '{}', '', '', ?, 0, ?, ?, ?)`,
  );
  const finish = database.prepare(
    `UPDATE messages SET response = ?, citations = ?, finish_reason = ?, error_message = ?,
       meta = ?, is_done = 1, modified_ms = ? WHERE uuid = ?`,
  );
  const finishAbandoned = database.prepare(
    `UPDATE messages SET error_message = ?, is_done = 1, modified_ms = ?,
       meta = json_patch(meta, ?) WHERE is_done = 0`,
  );
  const takeFromLog = database.prepare(
    `UPDATE messages SET response = log.response FROM
       (SELECT message, group_concat(delta, '' ORDER BY id) AS response
        FROM reply_deltas GROUP BY message) AS log
     WHERE messages.uuid = log.message AND is_done = 0`,
  );
  const clearLog = database.prepare('DELETE FROM reply_deltas');
  const recent = messages.select(
    `WHERE session = ? AND is_done = 1 AND is_limited = 0 AND response <> '' AND error_message = ''
     ORDER BY id DESC LIMIT ?`,
  );
  const lists = {
    asc: messages.each('session = ?', { order: 'asc', pageSize: messagesPerPage }),
    desc: messages.each('session = ?', { order: 'desc', pageSize: messagesPerPage }),
  };
  const countSince = database.prepare(
    `SELECT count(*) AS count FROM messages
     WHERE session = ? AND created_ms > ? AND is_limited = 0`,
  );
  const setLabels = database.prepare(
    "UPDATE messages SET meta = json_set(meta, '$.labels', json(?)) WHERE uuid = ?",
  );

  return {
    insert(message, isLimited) {
      const { uuid, session, query, meta, createdMs, modifiedMs } = message;
      insert.run(
        uuid,
        session,
        query,
        JSON.stringify(meta),
        Number(isLimited),
        createdMs,
        modifiedMs,
      );
    },
    finish(message) {
      finish.run(
        message.response,
        JSON.stringify(message.citations),
        message.finishReason,
        message.errorMessage,
        JSON.stringify(message.meta),
        message.modifiedMs,
        message.uuid,
      );
    },
    finishAbandoned(problem, modifiedMs) {
      const meta: MessageMeta = { interrupted: true, ...toFailureFields(problem) };
      transaction(database, () => {
        takeFromLog.run();
        finishAbandoned.run(renderProblem(problem), modifiedMs, JSON.stringify(meta));
        clearLog.run();
      });
    },
    get: messages.select(
      `JOIN sessions ON sessions.uuid = messages.session
       JOIN chatbots ON chatbots.uuid = sessions.chatbot
       WHERE messages.uuid = ? AND chatbots.owner = ?`,
    ).first,
    each: (session, { limit = Infinity, order = 'asc' }) => lists[order](session).take(limit),
    listRecent: (session, limit) => recent.all(session, limit).toReversed(),
    countSince: (session, sinceMs) => Number(countSince.get(session, sinceMs)?.['count']),
    setLabels(uuid, labels) {
      setLabels.run(JSON.stringify(labels), uuid);
    },
    delete: messages.delete,
  };
}

/** The text of running replies, stored before anyone reads it. */
interface ReplyLog {
  /** Resolves once the delta survives the death of the process. */
  append(message: string, delta: string): Promise<void>;
  /** The message's reply is stored with the message, so its deltas are no longer needed. */
  forget(message: string): void;
  /** Deletes what no running reply needs. */
  trim(): void;
}

/** Unneeded deltas are deleted once there are this many. */
const trimThreshold = 2000;

/**
 * An append-only table, which `MessageStore.finishAbandoned` has emptied at start. All deltas of one
 * turn of the event loop are written in one transaction at its end, so that each costs less as their
 * number rises. The oldest deltas are deleted together, up to the first one of a running reply.
 */
export function createReplyLog(database: DatabaseSync): ReplyLog {
  const insert = database.prepare('INSERT INTO reply_deltas (id, message, delta) VALUES (?, ?, ?)');
  const deleteBefore = database.prepare('DELETE FROM reply_deltas WHERE id < ?');
  /** The id of each reply's first delta, oldest first. */
  const firstIds = new Map<string, number>();
  let waiting: { message: string; delta: string }[] = [];
  let written: Promise<void> | undefined;
  let lastId = 0;
  let trimmedTo = 1;

  const write = () => {
    const entries = waiting;
    waiting = [];
    written = undefined;
    const insertAll = () => {
      for (const { message, delta } of entries) {
        lastId += 1;
        insert.run(lastId, message, delta);
        if (!firstIds.has(message)) firstIds.set(message, lastId);
      }
    };
    // A power cut interrupts the reply in any case, and waiting for the disk would slow down each delta.
    withoutSync(database, () => transaction(database, insertAll));
  };

  const oldestId = () => firstIds.values().next().value ?? lastId + 1;

  const deleteUnneeded = () => {
    trimmedTo = oldestId();
    deleteBefore.run(trimmedTo);
  };

  return {
    append(message, delta) {
      waiting.push({ message, delta });
      written ??= new Promise<void>((resolve) => {
        setImmediate(resolve);
      }).then(write);
      return written;
    },
    forget(message) {
      firstIds.delete(message);
      if (oldestId() - trimmedTo < trimThreshold && firstIds.size > 0) return;
      deleteUnneeded();
    },
    trim: deleteUnneeded,
  };
}
