import type { DatabasePlace } from '../stores/open-database.ts';
import type { Job, Jobs, JobsOptions } from './jobs.ts';
import { createTasks } from '../primitives/tasks.ts';

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

export interface FairQueue {
  add(job: Job): void;
  remove(key: string): void;
  /**
   * Takes the job whose turn it is, except those that are running.
   *
   * @param running the owners of running jobs by key
   */
  take(running: ReadonlyMap<string, string>): Job | undefined;
}

/** An owner's turn of every such number goes to the job that has waited longest. */
const oldestEvery = 4;

/**
 * Owners take turns: first comes the one with the fewest running jobs, then the one served
 * longest ago. An owner's small jobs go before large ones, but every fourth turn goes to the
 * oldest, so that a large one gets its turn. No owner has more than `maxPerOwner` running.
 */
export function createFairQueue(maxPerOwner: number): FairQueue {
  /** Those served last at the end. */
  const owners = new Map<string, { waiting: Map<string, Job>; turns: number }>();

  return {
    add(job) {
      const { owner, key } = job;
      const { waiting, turns } = owners.get(owner) ?? { waiting: new Map(), turns: 0 };
      owners.set(owner, { waiting: waiting.set(key, job), turns });
    },

    remove(key) {
      for (const [owner, { waiting }] of owners) {
        if (waiting.delete(key) && waiting.size === 0) owners.delete(owner);
      }
    },

    take(running) {
      const counts = new Map<string, number>();
      for (const owner of running.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
      const inTurn = [...owners.keys()]
        .filter((owner) => (counts.get(owner) ?? 0) < maxPerOwner)
        .toSorted((one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0));
      for (const owner of inTurn) {
        const { waiting, turns } = owners.get(owner) ?? { waiting: new Map(), turns: 0 };
        const free = [...waiting.values()].filter(({ key }) => !running.has(key));
        const job = choose(free, turns + 1);
        if (job === undefined) continue;
        waiting.delete(job.key);
        owners.delete(owner);
        if (waiting.size > 0) owners.set(owner, { waiting, turns: turns + 1 });
        return job;
      }
      return undefined;
    },
  };
}

function choose(jobs: readonly Job[], turn: number): Job | undefined {
  const [oldest] = jobs;
  if (oldest === undefined || turn % oldestEvery === 0) return oldest;
  return jobs.reduce((best, job) => (job.bytes < best.bytes ? job : best));
}
