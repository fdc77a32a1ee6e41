import type { DatabaseSync } from 'node:sqlite';
import { transaction } from './database.ts';

/** What replies under way have come to, kept before anyone reads it. */
export interface ReplyLog {
  /** Resolves once the delta would be found after the process is killed. */
  append(message: string, delta: string): Promise<void>;
  /** The message's reply is stored with the message itself: its deltas are no longer needed. */
  forget(message: string): void;
}

interface Entry {
  message: string;
  delta: string;
}

/** Deltas that nobody needs wait until there are so many. */
const trimThreshold = 2000;

/**
 * An append-only table, empty at first: MessageStore.finishAbandoned has taken what was in it. What is appended in one turn of the event loop is written as one
 * transaction at its end, so that the cost of a delta falls as their number rises. The oldest deltas
 * are deleted together, up to the first of a reply that is still under way.
 */
export function createReplyLog(database: DatabaseSync): ReplyLog {
  const insert = database.prepare('INSERT INTO reply_deltas (id, message, delta) VALUES (?, ?, ?)');
  const trim = database.prepare('DELETE FROM reply_deltas WHERE id < ?');
  /** The id of each reply's first delta, oldest first. */
  const firstIds = new Map<string, number>();
  let waiting: Entry[] = [];
  let written: Promise<void> | undefined;
  let lastId = 0;
  let trimmedTo = 1;

  const write = () => {
    const entries = waiting;
    waiting = [];
    written = undefined;
    transaction(database, () => {
      for (const { message, delta } of entries) {
        lastId += 1;
        insert.run(lastId, message, delta);
        if (!firstIds.has(message)) firstIds.set(message, lastId);
      }
    });
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
      const [oldest = lastId + 1] = firstIds.values();
      if (oldest - trimmedTo < trimThreshold && firstIds.size > 0) return;
      trim.run(oldest);
      trimmedTo = oldest;
    },
  };
}
