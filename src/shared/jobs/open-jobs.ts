import type { DatabasePlace } from '../stores/open-database.ts';
import type { Job, Jobs, JobsOptions } from './jobs.ts';
import { createTasks } from '../primitives/tasks.ts';
import { createFairQueue } from './fair-queue.ts';

/** The jobs of a database: in Postgres, all processes share them; beside SQLite, they are in memory. */
export async function openJobs(place: DatabasePlace, options: JobsOptions): Promise<Jobs> {
  if (typeof place === 'string') return createLocalJobs(options);
  const { openPostgresJobs } = await import('./postgres-jobs.ts');
  return openPostgresJobs(place, options);
}

/**
 * The jobs of the only process. They are in memory: whoever adds them knows those that are left after a
 * restart, and adds those that failed again.
 */
function createLocalJobs({ name, concurrency, run, log }: JobsOptions): Jobs {
  const queue = createFairQueue(Math.max(1, concurrency - 1));
  /** The owners of running jobs by key. */
  const running = new Map<string, string>();
  /** The keys of running jobs that were not cancelled. */
  const current = new Set<string>();

  const tasks = createTasks({
    concurrency,
    next() {
      const job = queue.take(running);
      if (job === undefined) return undefined;
      running.set(job.key, job.owner);
      current.add(job.key);
      return { key: job.key, run: (signal) => perform(job, signal) };
    },
  });

  async function perform({ key }: Job, signal: AbortSignal): Promise<void> {
    try {
      await run({ key, signal, hold: async () => signal.throwIfAborted() });
    } catch (error) {
      if (!signal.aborted)
        log.error({ err: error, jobs: name, key }, 'a job failed: it is tried again');
    } finally {
      running.delete(key);
      current.delete(key);
    }
  }

  return {
    async add(jobs) {
      for (const job of jobs) {
        if (!current.has(job.key)) queue.add(job);
      }
    },
    async cancel(key) {
      queue.remove(key);
      current.delete(key);
      tasks.abort(key);
    },
    wake: tasks.wake,
    takeOver: async () => {},
    settled: tasks.settled,
    [Symbol.asyncDispose]: () => tasks[Symbol.asyncDispose](),
  };
}
