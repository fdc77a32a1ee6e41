import { availableParallelism, totalmem } from 'node:os';
import { createJobs } from '../jobs.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { createFairQueue, type WaitingSource } from './fair-queue.ts';

/** Takes sources from `await` to `success` or a failure, in the background. */
export interface Ingestion extends AsyncDisposable {
  /** Adds a source to the queue. */
  add(source: WaitingSource): void;
  /** Stops work on a source, because it is deleted or restarted. */
  cancel(uuid: string): void;
  /** Tries again the sources that could not be stored, for example because the disk was full. */
  retry(): void;
  /** Resolves when no source is waiting or running. */
  settled(): Promise<void>;
}

const maxReaders = 8;
/** What a reading process may use, in bytes. */
const readerBytes = 512 * 1024 * 1024;

/** Does all steps of one source; rejects only when aborted or when the store fails. */
export type IngestSource = (uuid: string, signal: AbortSignal) => Promise<void>;

/**
 * The status of the sources tells which ones are unfinished, so the next start adds those again. One
 * of the readers is always left to other owners.
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
  /** Sources whose result could not be stored, by uuid. */
  const unstored = new Map<string, WaitingSource>();

  const jobs = createJobs({
    concurrency: readers,
    next() {
      const source = queue.take(running);
      if (source === undefined) return undefined;
      const { uuid, owner } = source;
      running.set(uuid, owner);
      return { key: uuid, run: (signal) => run(source, signal) };
    },
  });

  async function run(source: WaitingSource, signal: AbortSignal): Promise<void> {
    const { uuid } = source;
    try {
      await ingest(uuid, signal);
    } catch (error) {
      if (signal.aborted) return;
      log.error({ err: error, source: uuid }, 'a source could not be ingested: it is tried again');
      unstored.set(uuid, source);
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
      unstored.delete(uuid);
      queue.remove(uuid);
      jobs.abort(uuid);
    },
    retry() {
      for (const source of unstored.values()) queue.add(source);
      unstored.clear();
      jobs.wake();
    },
    settled: jobs.settled,
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  };
}

/**
 * How many files are read at once: one more than there are cores, because downloads and pauses wait,
 * but no more than half of the memory holds. At least two, so that one is left to other owners.
 */
export function countReaders({
  cores = availableParallelism(),
  memoryBytes = availableBytes(),
} = {}): number {
  const byMemory = Math.floor(memoryBytes / 2 / readerBytes);
  return Math.max(2, Math.min(cores + 1, byMemory, maxReaders));
}

/** The memory of the machine, or of the container that limits it. */
function availableBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
