import { toBatches } from '../../shared/primitives/iterables.ts';
import type { Database } from '../../shared/stores/database.ts';
import { monotonicMs, sleep } from '../../shared/primitives/time.ts';
import type { ServiceTables } from './schema.ts';

/** The text of running replies, stored before anyone reads it. */
export interface ReplyLog {
  /** Resolves once the delta survives the death of the process. */
  append(message: string, delta: string): Promise<void>;
  /** The message's reply is stored with the message, so its deltas are no longer needed. */
  forget(message: string): Promise<void>;
  /** Deletes what no running reply needs. */
  trim(): Promise<void>;
}

/** Unneeded deltas are deleted once there are this many. */
const trimThreshold = 2000;
/** Deltas written by one statement. */
const batchSize = 100;
/** Between two transactions: people read more slowly. */
const gapMs = 50;

/**
 * An append-only table, which `MessageStore.finishAbandoned` has emptied at start. The deltas of all
 * replies are written together, at most once in `gapMs`, so that each costs less as their number
 * rises. The oldest deltas are deleted together, up to the first one of a running reply.
 */
export function createReplyLog(database: Database<ServiceTables>): ReplyLog {
  /** The id of each reply's first delta, oldest first. */
  const firstIds = new Map<string, number>();
  let waiting: { message: string; delta: string }[] = [];
  let written: Promise<void> | undefined;
  let writtenMs = -Infinity;
  let lastId = 0;
  let trimmedTo = 1;

  async function write(): Promise<void> {
    await sleep(Math.max(0, writtenMs + gapMs - monotonicMs()));
    writtenMs = monotonicMs();
    const rows = waiting.map((entry) => {
      lastId += 1;
      if (!firstIds.has(entry.message)) firstIds.set(entry.message, lastId);
      return { id: lastId, ...entry };
    });
    waiting = [];
    written = undefined;
    // A power cut interrupts the reply in any case, and waiting for the disk would slow down each delta.
    await database.relaxed(async (tx) => {
      for (const batch of toBatches(rows, batchSize)) {
        await tx.insertInto('replyDeltas').values(batch).execute();
      }
    });
  }

  const oldestId = () => firstIds.values().next().value ?? lastId + 1;

  async function deleteUnneeded(): Promise<void> {
    trimmedTo = oldestId();
    await database.queries.deleteFrom('replyDeltas').where('id', '<', trimmedTo).execute();
  }

  return {
    append(message, delta) {
      waiting.push({ message, delta });
      return (written ??= write());
    },
    async forget(message) {
      firstIds.delete(message);
      if (oldestId() - trimmedTo < trimThreshold && firstIds.size > 0) return;
      await deleteUnneeded();
    },
    trim: deleteUnneeded,
  };
}
