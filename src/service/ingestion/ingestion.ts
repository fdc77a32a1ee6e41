import { createJobs } from '../jobs.ts';
import type { Log } from '../log.ts';
import type { SourceStore } from '../store/source-store.ts';

/** Takes sources from `await` to `success` or an error, in the background. */
export interface Ingestion extends AsyncDisposable {
  /** Signals that there may be work. */
  wake(): void;
  /** Stops work on a source, because it is deleted or restarted. */
  cancel(uuid: string): void;
  /** Resolves when no source is waiting or running. */
  settled(): Promise<void>;
}

/** Does all steps of one source; rejects only when aborted or when the store fails. */
export type IngestSource = (uuid: string, signal: AbortSignal) => Promise<void>;

const concurrency = 2;

/**
 * The only state is the sources' status, so work that an earlier process left unfinished is found
 * and restarted.
 */
export function createIngestion(parts: {
  sources: Pick<SourceStore, 'listUnfinished'>;
  ingest: IngestSource;
  log: Log;
}): Ingestion {
  const { sources, ingest, log } = parts;
  /** Sources whose result could not be stored; they wait for the next start. */
  const given = new Set<string>();

  const jobs = createJobs({
    concurrency,
    next(running) {
      const key = sources
        .listUnfinished(running.size + given.size + 1)
        .find((uuid) => !running.has(uuid) && !given.has(uuid));
      return key === undefined ? undefined : { key, run: (signal) => run(key, signal) };
    },
  });

  async function run(uuid: string, signal: AbortSignal): Promise<void> {
    try {
      await ingest(uuid, signal);
    } catch (error) {
      if (signal.aborted) return;
      given.add(uuid);
      log.error({ err: error, source: uuid }, 'a source could not be ingested');
    }
  }

  return {
    wake: jobs.wake,
    cancel(uuid) {
      given.delete(uuid);
      jobs.abort(uuid);
    },
    settled: jobs.settled,
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  };
}
