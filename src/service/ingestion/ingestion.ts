import { createJobs } from '../jobs.ts';
import type { Log } from '../log.ts';
import { createFairQueue, type WaitingSource } from './fair-queue.ts';

/** Takes sources from `await` to `success` or a failure, in the background. */
export interface Ingestion extends AsyncDisposable {
  /** Takes a source's turn in the queue. */
  add(source: WaitingSource): void;
  /** Stops work on a source, because it is deleted or restarted. */
  cancel(uuid: string): void;
  /** Resolves when no source is waiting or running. */
  settled(): Promise<void>;
}

/** Does all steps of one source; rejects only when aborted or when the store fails. */
export type IngestSource = (uuid: string, signal: AbortSignal) => Promise<void>;

/**
 * The queue holds what the sources' status says, so the next start adds what this one left
 * unfinished. One of the readers is always left to other owners.
 */
export function createIngestion(parts: {
  readers: number;
  ingest: IngestSource;
  log: Log;
}): Ingestion {
  const { readers, ingest, log } = parts;
  const queue = createFairQueue(Math.max(1, readers - 1));
  /** The owners of running sources by uuid. */
  const running = new Map<string, string>();

  const jobs = createJobs({
    concurrency: readers,
    next() {
      const source = queue.take(running);
      if (source === undefined) return undefined;
      const { uuid, owner } = source;
      running.set(uuid, owner);
      return { key: uuid, run: (signal) => run(uuid, signal) };
    },
  });

  /** A source whose result could not be stored waits for the next start. */
  async function run(uuid: string, signal: AbortSignal): Promise<void> {
    try {
      await ingest(uuid, signal);
    } catch (error) {
      if (!signal.aborted)
        log.error({ err: error, source: uuid }, 'a source could not be ingested');
    } finally {
      running.delete(uuid);
    }
  }

  return {
    add(source) {
      queue.add(source);
      jobs.wake();
    },
    cancel(uuid) {
      queue.remove(uuid);
      jobs.abort(uuid);
    },
    settled: jobs.settled,
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  };
}
