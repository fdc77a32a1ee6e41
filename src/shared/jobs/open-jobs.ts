import type { DatabasePlace } from '../stores/open-database.ts';
import type { Jobs, JobsOptions } from './jobs.ts';
import { createLocalJobs } from './local-jobs.ts';

/** The jobs of a database: in Postgres, all processes share them; beside SQLite, they are in memory. */
export async function openJobs(place: DatabasePlace, options: JobsOptions): Promise<Jobs> {
  if (typeof place === 'string') return createLocalJobs(options);
  const { openPostgresJobs } = await import('./postgres-jobs.ts');
  return openPostgresJobs(place, options);
}
