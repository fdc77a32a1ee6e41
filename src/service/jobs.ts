/** A background task. `run` never rejects. */
interface Job {
  key: string;
  run(signal: AbortSignal): Promise<void>;
}

/** Background tasks, a few at once, at most one of each key. Disposing aborts the running ones. */
export interface Jobs extends AsyncDisposable {
  /** Signals that there may be work. */
  wake(): void;
  /** Aborts the running task of a key. */
  abort(key: string): void;
  /** Resolves when no task is waiting or running. */
  settled(): Promise<void>;
}

/** `next` returns the task to start, of a key that is not running. */
export function createJobs(options: {
  concurrency: number;
  next(running: ReadonlyMap<string, unknown>): Job | undefined;
}): Jobs {
  const { concurrency, next } = options;
  const running = new Map<string, { controller: AbortController; done: Promise<void> }>();
  let waiters: (() => void)[] = [];
  let isClosed = false;

  function wake(): void {
    while (running.size < concurrency) {
      const job = isClosed ? undefined : next(running);
      if (job === undefined) break;
      const controller = new AbortController();
      // The entry is added before the first step runs, because that step may finish at once.
      const done = Promise.resolve().then(() => run(job, controller.signal));
      running.set(job.key, { controller, done });
    }
    if (running.size > 0) return;
    for (const resolve of waiters) resolve();
    waiters = [];
  }

  async function run(job: Job, signal: AbortSignal): Promise<void> {
    try {
      await job.run(signal);
    } finally {
      running.delete(job.key);
      wake();
    }
  }

  return {
    wake,
    abort: (key) => running.get(key)?.controller.abort(),
    async settled() {
      if (running.size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiters.push(resolve);
      await promise;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const jobs = [...running.values()];
      for (const { controller } of jobs) controller.abort();
      await Promise.all(jobs.map(({ done }) => done));
    },
  };
}
