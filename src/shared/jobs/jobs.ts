import type { Kysely } from 'kysely';
import type { Log } from '../primitives/log.ts';

/** Something to do in the background. */
export interface Job {
  /** What it is done to. There is at most one job of a key at a time, over all processes. */
  key: string;
  /** Owners take turns. */
  owner: string;
  /** Small jobs go before large ones. */
  bytes: number;
}

/** A job that this process does. */
export interface Run {
  readonly key: string;
  /** Aborts when the job is cancelled, when another process has taken it over, and when this one stops. */
  readonly signal: AbortSignal;
  /**
   * Keeps others from cancelling the job or taking it over until the transaction ends. A job makes
   * changes that others see only after this.
   * @throws {Error} when they already have
   */
  hold<Tables>(tx: Kysely<Tables>): Promise<void>;
}

/** What jobs do. */
export interface JobHandler {
  /**
   * Does a job. It may be repeated, at any time, after it was done or interrupted. It rejects only where
   * trying again may help, as when the database is away.
   */
  run(run: Run): Promise<void>;
  /** Learns that a job has failed too often, and is not tried again. */
  giveUp(key: string): Promise<void>;
}

export interface JobsOptions extends JobHandler {
  /** Names this kind of jobs. */
  name: string;
  /** How many this process does at once. One of these places is always left to other owners. */
  concurrency: number;
  log: Log;
}

/**
 * Jobs of one kind, which any process that shares the database may do. Nothing is done before the first
 * `wake`. Disposing aborts what runs, and leaves it to others.
 */
export interface Jobs extends AsyncDisposable {
  /**
   * Adds jobs, except those there are. Within a transaction they are part of it.
   * @see wake
   */
  add<Tables>(jobs: readonly Job[], tx?: Kysely<Tables>): Promise<void>;
  /** Removes a job, which ends soon if it runs. One that is added next begins after it has. */
  cancel<Tables>(key: string, tx: Kysely<Tables>): Promise<void>;
  /** Signals that there may be jobs to do, or to end. */
  wake(): void;
  /** Has the jobs of dead processes taken over now, not only a little later. */
  takeOver(): Promise<void>;
  /** Resolves when no job is running in any process, or waiting for anything but its next try. */
  settled(): Promise<void>;
}
