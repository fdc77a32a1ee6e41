import type { TestProject } from 'vitest/node';
import { openStore as openBridgeStore } from '../src/bridge/stores/open-store.ts';
import { openStore } from '../src/service/store/store.ts';
import { openJobs } from '../src/shared/jobs/open-jobs.ts';
import { silentLog } from './fixtures/log.ts';
import {
  findPostgres,
  type PostgresServer,
  startPostgresServer,
} from './fixtures/postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server of Postgres, whose database has Causeway's empty tables; absent if it isn't installed. */
    postgresUrl: string | undefined;
  }
}

let server: PostgresServer | undefined;

/** Starts Postgres for the run, where it is installed. */
export async function setup(project: TestProject): Promise<void> {
  const programs = findPostgres();
  if (programs === undefined) {
    process.stdout.write('Postgres is not installed: what needs it is not tested.\n');
    return;
  }
  server = await startPostgresServer(programs);
  const url = await server.createDatabase('template_of_tests');
  await using stores = new AsyncDisposableStack();
  stores.use(await openBridgeStore(url));
  const place = { url, schema: 'causeway_service' };
  stores.use(await openStore(place));
  const handler = { run: async () => {}, giveUp: async () => {} };
  const jobs = await openJobs(place, {
    name: 'ingestion',
    concurrency: 1,
    log: silentLog,
    ...handler,
  });
  stores.use(jobs);
  // So that no test's service finds its tables in need of it.
  await jobs.takeOver();
  project.provide('postgresUrl', url);
}

export async function teardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]();
}
