import pg from 'pg';
import { monotonicMs, sleep } from '../primitives/time.ts';

/** What a process that ended leaves on the server is gone by then. */
const usualPatienceMs = 6_000;
const pollMs = 200;
/** A server that says nothing for this long is away. */
const timeoutMs = 5_000;

/** Tells whether processes of Causeway use a database of Postgres; one that has just ended doesn't count. */
export async function isUsed(url: string, patienceMs = usualPatienceMs): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'looking for causeway',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // What fails is the query's error.
  client.on('error', () => {});
  await client.connect();
  try {
    const until = monotonicMs() + patienceMs;
    while (await hasUsers(client)) {
      if (monotonicMs() > until) return true;
      await sleep(pollMs);
    }
    return false;
  } finally {
    await client.end();
  }
}

async function hasUsers(client: pg.Client): Promise<boolean> {
  const { rows: connections } = await client.query(`
    SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'causeway%' LIMIT 1
  `);
  return connections.length > 0 || hasProcesses(client);
}

/** A process that can't reach the server now may come back while it counts as alive. */
async function hasProcesses(client: pg.Client): Promise<boolean> {
  const table = 'causeway_bridge.processes';
  const { rows: found } = await client.query(`SELECT 1 WHERE to_regclass('${table}') IS NOT NULL`);
  if (found.length === 0) return false;
  const { rows } = await client.query(`
    SELECT 1 FROM ${table} WHERE until_ms > extract(epoch FROM clock_timestamp()) * 1000 LIMIT 1
  `);
  return rows.length > 0;
}
