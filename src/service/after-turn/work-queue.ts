import { createJobs } from '../jobs.ts';
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
  const waiting: { key: string; work: Work }[] = [];

  const jobs = createJobs({
    concurrency,
    next(running) {
      const at = waiting.findIndex(({ key }) => !running.has(key));
      const [entry] = at === -1 ? [] : waiting.splice(at, 1);
      return entry && { key: entry.key, run: (signal) => run(entry.key, entry.work, signal) };
    },
  });

  async function run(key: string, work: Work, signal: AbortSignal): Promise<void> {
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, key }, 'work after a turn failed');
    }
  }

  return {
    add(key, work) {
      if (waiting.length >= maxWaiting) {
        log.warn({ key }, 'work after a turn was skipped: too much is waiting');
        return false;
      }
      waiting.push({ key, work });
      jobs.wake();
      return true;
    },
    settled: jobs.settled,
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  };
}
