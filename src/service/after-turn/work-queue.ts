import type { Log } from '../log.ts';

/** One task; rejects when the signal aborts. */
type Work = (signal: AbortSignal) => Promise<void>;

/** A queue of background tasks: a few run at once, and those with the same key run in order. */
export interface WorkQueue extends AsyncDisposable {
  /** False if too many tasks are waiting; the task is then dropped. */
  add(key: string, work: Work): boolean;
  /** Resolves when no task is waiting or running. */
  settled(): Promise<void>;
}

const concurrency = 4;
/** With more waiting than this, tasks arrive faster than they finish. */
const maxWaiting = 1000;

/** A task that fails is logged. Disposing aborts running tasks. */
export function createWorkQueue(log: Log): WorkQueue {
  const running = new Map<string, { controller: AbortController; done: Promise<void> }>();
  let waiting: { key: string; work: Work }[] = [];
  let waiters: (() => void)[] = [];

  const run = async (key: string, work: Work, signal: AbortSignal) => {
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, key }, 'work after a turn failed');
    } finally {
      running.delete(key);
      startNext();
    }
  };

  const startNext = () => {
    while (running.size < concurrency) {
      const next = waiting.findIndex(({ key }) => !running.has(key));
      const [entry] = next === -1 ? [] : waiting.splice(next, 1);
      if (entry === undefined) break;
      const controller = new AbortController();
      // The entry is added before the first step runs, because that step may finish at once.
      const done = Promise.resolve().then(() => run(entry.key, entry.work, controller.signal));
      running.set(entry.key, { controller, done });
    }
    if (running.size > 0) return;
    for (const resolve of waiters) resolve();
    waiters = [];
  };

  return {
    add(key, work) {
      if (waiting.length >= maxWaiting) {
        log.warn({ key }, 'work after a turn was skipped: too much is waiting');
        return false;
      }
      waiting.push({ key, work });
      startNext();
      return true;
    },
    settled: () =>
      running.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiters.push(resolve);
          }),
    async [Symbol.asyncDispose]() {
      waiting = [];
      const entries = [...running.values()];
      for (const { controller } of entries) controller.abort();
      await Promise.all(entries.map(({ done }) => done));
    },
  };
}
