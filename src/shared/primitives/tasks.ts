/** A background task. `run` never rejects. */
interface Task {
  key: string;
  run(signal: AbortSignal): Promise<void>;
}

/** Background tasks, a few at once, at most one of each key. Disposing aborts the running ones. */
export interface Tasks extends AsyncDisposable {
  /** Signals that there may be work. */
  wake(): void;
  /** Aborts the running task of a key. */
  abort(key: string): void;
  /** Resolves when no task is waiting or running. */
  settled(): Promise<void>;
}

/** `next` returns the task to start, of a key that is not running. */
export function createTasks(options: {
  concurrency: number;
  next(running: ReadonlyMap<string, unknown>): Task | undefined;
}): Tasks {
  const { concurrency, next } = options;
  const running = new Map<string, { controller: AbortController; done: Promise<void> }>();
  let waiters: (() => void)[] = [];
  let isClosed = false;

  function wake(): void {
    while (running.size < concurrency) {
      const task = isClosed ? undefined : next(running);
      if (task === undefined) break;
      const controller = new AbortController();
      // The entry is added before the first step runs, because that step may finish at once.
      const done = Promise.resolve().then(() => run(task, controller.signal));
      running.set(task.key, { controller, done });
    }
    if (running.size > 0) return;
    for (const resolve of waiters) resolve();
    waiters = [];
  }

  async function run(task: Task, signal: AbortSignal): Promise<void> {
    try {
      await task.run(signal);
    } finally {
      running.delete(task.key);
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
      const tasks = [...running.values()];
      for (const { controller } of tasks) controller.abort();
      await Promise.all(tasks.map(({ done }) => done));
    },
  };
}
