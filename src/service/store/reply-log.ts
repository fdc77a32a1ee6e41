import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../shared/primitives/transaction.ts';

/** The text of running replies, stored before anyone reads it. */
export interface ReplyLog {
  /** Resolves once the delta would survive a kill of the process. */
  append(message: string, delta: string): Promise<void>;
  /** The message's reply is stored with the message, so its deltas are no longer needed. */
  forget(message: string): void;
  /** Deletes what no running reply needs. */
  trim(): void;
}

interface Entry {
  message: string;
  delta: string;
}

/** Unneeded deltas are deleted once there are this many. */
const trimThreshold = 2000;

/**
 * An append-only table, empty at start: MessageStore.finishAbandoned has processed its content. All
 * deltas of one turn of the event loop are written in one transaction at its end, so that a delta
 * costs less as their number rises. The oldest deltas are deleted together, up to the first one of
 * a running reply.
 */
export function createReplyLog(database: DatabaseSync): ReplyLog {
  const insert = database.prepare('INSERT INTO reply_deltas (id, message, delta) VALUES (?, ?, ?)');
  const deleteBefore = database.prepare('DELETE FROM reply_deltas WHERE id < ?');
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
