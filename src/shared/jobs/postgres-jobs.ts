import type { Kysely } from 'kysely';
import { type Db, fromKysely, type JobInsert, PgBoss } from 'pg-boss';
import { sleep } from '../primitives/time.ts';
import { watched } from '../stores/watched-client.ts';
import type { PostgresPlace } from '../stores/postgres.ts';
import type { Job, Jobs, JobsOptions, Run } from './jobs.ts';
import { createTurns, priorityOf, type Take } from './turns.ts';

/** The tables of pg-boss. */
const schema = 'causeway_jobs';
/** Besides those of the stores. What belongs to a transaction uses the transaction's. */
const maxConnections = 2;

/** Jobs are looked for this often, and running ones say that they go on. */
const lookEveryMs = 1_000;
/** The job of a process that has said nothing for this long is taken over. */
const heartbeatSeconds = 20;
const takeOverEveryMs = 10_000;

const queueOptions = {
  heartbeatSeconds,
  // The waits grow from 2 seconds to 5 minutes, and last about half an hour together.
  retryLimit: 10,
  retryDelay: 2,
  retryBackoff: true,
  retryDelayMax: 300,
  // A job that takes longer hangs. A long document takes hours with a slow model.
  expireInSeconds: 12 * 60 * 60,
  deleteAfterSeconds: 60 * 60,
};

/** One try of a job, by which pg-boss knows whether it is still this process's. */
interface Attempt {
  id: string;
  retryCount: number;
}

interface Running extends Attempt {
  owner: string;
  controller: AbortController;
  done: Promise<void>;
}

/** Jobs in the tables of pg-boss, which this process shares with others. */
export async function openPostgresJobs(
  { url }: Pick<PostgresPlace, 'url'>,
  { name, concurrency, run, giveUp, log }: JobsOptions,
): Promise<Jobs> {
  /** The queue of those that failed too often. */
  const failed = `${name}_failed`;
  const boss = new PgBoss({
    ...watched,
    connectionString: url,
    schema,
    max: maxConnections,
    application_name: 'causeway',
    // Done below, so that what it finds is dealt with at once.
    supervise: false,
    monitorIntervalSeconds: 5,
    maintenanceIntervalSeconds: 60 * 60,
    // Of no use here.
    schedule: false,
    registerInstance: false,
    flowIntervalSeconds: 24 * 60 * 60,
  });
  // An idle connection that ends brings all that its client knows.
  boss.on('error', ({ message: reason }) =>
    log.warn({ reason, jobs: name }, 'the upkeep of the jobs failed'),
  );
  boss.on('warning', ({ message }) => log.warn({ jobs: name, warning: message }, 'jobs are slow'));
  try {
    await boss.start();
    await boss.createQueue(failed);
    await boss.createQueue(name, { ...queueOptions, policy: 'exclusive', deadLetter: failed });
    await boss.updateQueue(name, queueOptions);
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }

  /** Those of this process by id. */
  const running = new Map<string, Running>();
  const turns = createTurns({ concurrency, take: fetch });
  let timers: NodeJS.Timeout[] = [];
  let isClosed = false;
  let isAway = false;
  let looking: Promise<void> | undefined;
  /** The look under way may have missed something. */
  let isWanted = false;

  async function fetch(take: Take) {
    const [job] = await boss.fetch<Job>(name, take);
    return job;
  }

  /** The ids of those that still are this process's, which go on. */
  async function touch(attempts: Attempt[], db?: Db): Promise<string[]> {
    const answer: object = await boss.touch(name, attempts, { db });
    return 'settled' in answer ? (answer.settled as string[]) : [];
  }

  /** Ends what is not this process's any more, and begins what there is room for. */
  async function look(): Promise<void> {
    const all = [...running.values()];
    const held = all.length > 0 ? await touch(all) : [];
    for (const { id, controller } of all) {
      if (!held.includes(id)) controller.abort();
    }
    while (!isClosed && running.size < concurrency) {
      const job = await turns.next([...running.values()].map(({ owner }) => owner));
      if (job === undefined) break;
      begin(job, job.data);
    }
    isAway = false;
  }

  function wake(): void {
    if (isClosed) return;
    if (timers.length === 0) {
      timers = [setInterval(wake, lookEveryMs), setInterval(() => void keepUp(), takeOverEveryMs)];
    }
    isWanted = looking !== undefined;
    looking ??= look()
      .catch(report)
      .finally(() => {
        looking = undefined;
        if (isWanted) wake();
      });
  }

  /** Once, however long the database is away. */
  function report(error: unknown): void {
    if (!isAway && !isClosed) log.warn({ err: error, jobs: name }, 'the queue could not be read');
    isAway = true;
  }

  function begin({ id, retryCount }: Attempt, job: Job): void {
    const controller = new AbortController();
    const attempt = { id, retryCount };
    const { signal } = controller;
    const hold = async <Tables>(tx: Kysely<Tables>) => {
      signal.throwIfAborted();
      const held = await touch([attempt], toDb(tx));
      if (held.length > 0) return;
      controller.abort();
      signal.throwIfAborted();
    };
    // The entry is added before the first step runs, because that step may finish at once.
    const done = Promise.resolve()
      .then(() => perform(attempt, job, { key: job.key, signal, hold }))
      .catch((error: unknown) =>
        log.warn({ err: error, jobs: name, key: job.key }, 'a job’s outcome could not be stored'),
      )
      .finally(() => {
        running.delete(id);
        wake();
      });
    running.set(id, { ...attempt, owner: job.owner, controller, done });
  }

  /** Where it rejects, the job is taken over, which finds what was done. */
  async function perform(attempt: Attempt, job: Job, given: Run): Promise<void> {
    const { key, signal } = given;
    const error: unknown = await run(given).then(
      () => undefined,
      (error: unknown) => error ?? new Error('A job failed without an error'),
    );
    if (signal.aborted) return isClosed ? giveBack(attempt, job) : undefined;
    if (error === undefined) {
      await boss.complete(name, attempt);
      return;
    }
    log.error({ err: error, jobs: name, key }, 'a job failed: it is tried again');
    await boss.fail(name, attempt);
  }

  /** Another process begins it at once, and it does not count as a failure. */
  async function giveBack(attempt: Attempt, job: Job): Promise<void> {
    const held = await touch([attempt]);
    if (held.length === 0) return;
    // If this is the end of the process, whoever knows what is left adds it.
    await boss.deleteJob(name, attempt);
    await boss.insert(name, [toInsert(job)]);
  }

  async function takeOver(): Promise<void> {
    await boss.supervise();
    for (let [job] = await boss.fetch<Job>(failed); job; [job] = await boss.fetch<Job>(failed)) {
      const { key } = job.data;
      const others = await boss.findJobs<Job>(name, { key });
      // One that was added since has tries of its own.
      if (!others.some(isLive)) await giveUp(key);
      await boss.complete(failed, job);
    }
    wake();
  }

  const keepUp = () =>
    takeOver().catch((error: unknown) => {
      if (!isClosed) log.warn({ err: error, jobs: name }, 'jobs could not be taken over');
    });

  async function isSettled(): Promise<boolean> {
    const { rows } = await boss.getDb().executeSql(
      `SELECT 1 FROM ${schema}.job WHERE name = $1
        AND (state = 'active' OR state IN ('created', 'retry') AND start_after <= now()) LIMIT 1`,
      [name],
    );
    return rows.length === 0;
  }

  return {
    async add(jobs, tx) {
      if (jobs.length === 0) return;
      await boss.insert(name, jobs.map(toInsert), tx && { db: toDb(tx) });
    },
    async cancel(key, tx) {
      const db = toDb(tx);
      const found = await boss.findJobs<Job>(name, { key, db });
      const ids = found.filter(isLive).map(({ id }) => id);
      if (ids.length > 0) await boss.deleteJob(name, ids, { db });
    },
    wake,
    takeOver,
    async settled() {
      while (!(await isSettled())) {
        wake();
        await sleep(50);
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const timer of timers) clearInterval(timer);
      await looking;
      const all = [...running.values()];
      for (const { controller } of all) controller.abort();
      await Promise.all(all.map(({ done }) => done));
      await boss.stop({ graceful: false });
    },
  };
}

/** Statements of pg-boss within a transaction. Its names of columns stay as they are. */
function toDb<Tables>(tx: Kysely<Tables>): Db {
  return fromKysely(tx.withoutPlugins());
}

function toInsert(job: Job): JobInsert<Job> {
  const { key, owner } = job;
  return { data: job, singletonKey: key, group: { id: owner }, priority: priorityOf(job) };
}

/** Whether it waits or runs. */
function isLive({ state }: { state: string }): boolean {
  return ['created', 'retry', 'active'].includes(state);
}
