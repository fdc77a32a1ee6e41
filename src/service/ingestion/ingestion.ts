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
  const running = new Map<string, { controller: AbortController; done: Promise<void> }>();
  /** Sources whose result could not be stored; they wait for the next start. */
  const given = new Set<string>();
  let waiters: (() => void)[] = [];
  let isClosed = false;

  const next = () =>
    sources
      .listUnfinished(running.size + given.size + 1)
      .find((uuid) => !running.has(uuid) && !given.has(uuid));

  const run = async (uuid: string, signal: AbortSignal) => {
    try {
      await ingest(uuid, signal);
    } catch (error) {
      if (signal.aborted) return;
      given.add(uuid);
      log.error({ err: error, source: uuid }, 'a source could not be ingested');
    } finally {
      running.delete(uuid);
      wake();
    }
  };

  const wake = () => {
    while (running.size < concurrency) {
      const uuid = isClosed ? undefined : next();
      if (uuid === undefined) break;
      const controller = new AbortController();
      // The entry is added before the first step runs, because that step may finish at once.
      const started = Promise.resolve().then(() => run(uuid, controller.signal));
      running.set(uuid, { controller, done: started });
    }
    if (running.size > 0) return;
    for (const resolve of waiters) resolve();
    waiters = [];
  };

  return {
    wake,
    cancel(uuid) {
      given.delete(uuid);
      running.get(uuid)?.controller.abort();
    },
    settled: () =>
      running.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiters.push(resolve);
          }),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const jobs = [...running.values()];
      for (const { controller } of jobs) controller.abort();
      await Promise.all(jobs.map(({ done }) => done));
    },
  };
}
