import type { Log } from '../shared/primitives/log.ts';
import { sleep } from '../shared/primitives/time.ts';
import { createDatabaseLocks } from '../shared/stores/database-lock.ts';
import { type Routes, type Server, startServer } from './server.ts';
import { growingWaitMs, retry } from '../shared/primitives/retry.ts';
import { isAway } from '../shared/stores/open-error.ts';

/** What the process gives a start. */
export interface StartOptions {
  /** Ends the start. */
  signal?: AbortSignal;
  /** Prints something for the person who started the process. */
  say?(text: string): void;
}

const pollMs = 200;

/**
 * Starts the server and takes the databases: their queues and caches are in memory, so only one
 * process may use them at a time. While another process has one of them, waits until it ends.
 * Meanwhile the server answers health checks, unless the other process has its port too.
 * @param options.databases their files
 * @throws {Error} what keeps the process from starting, or the reason of the signal
 */
export async function startAlone(
  { host, port }: { host: string; port: number },
  routes: Routes,
  options: StartOptions & { databases: readonly string[]; log: Log },
): Promise<Server> {
  const { databases, log, signal, say } = options;
  const address = { host, port, log };
  await using parts = new AsyncDisposableStack();
  // Released last, so that the next process finds the port free.
  const locks = parts.use(createDatabaseLocks(databases));
  let server: Server | undefined;
  const database = locks.take();
  if (database !== undefined) {
    const { awaited } = routes;
    routes.awaited = () => ['the end of another process with the same data'];
    server = parts.use(await startServerIfFree(address, routes));
    log.warn({ database }, 'another process uses the database: waiting until it ends');
    say?.(`Another process uses ${database}. This one waits until it ends; Ctrl+C ends the wait.`);
    while (locks.take() !== undefined) await sleep(pollMs, signal);
    routes.awaited = awaited;
    log.info({ database }, 'the other process has ended: starting');
  }
  server ??= parts.use(await startServer(address, routes));
  const { origin } = server;
  const running = parts.move();
  return { origin, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function startServerIfFree(
  address: Parameters<typeof startServer>[0],
  routes: Routes,
): Promise<Server | undefined> {
  try {
    return await startServer(address, routes);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined;
    throw error;
  }
}

const maxWaitMs = 5_000;

/**
 * Opens what is on a server of Postgres. While that is away, the log and /readyz say so, and it is tried
 * again without a limit.
 * @throws {unknown} what else keeps it from opening, or the reason of the signal
 */
export function openWhenThere<Opened>(
  open: () => Promise<Opened>,
  { routes, log, signal }: { routes: Routes; log: Log; signal?: AbortSignal },
): Promise<Opened> {
  const waitMs = (error: unknown, failures: number) => {
    if (!isAway(error)) return undefined;
    const retryMs = growingWaitMs(failures, { firstMs: 500, maxMs: maxWaitMs });
    log.warn({ reason: error.message, retryMs }, 'the start waits for Postgres, which is away');
    // What was opened is closed again.
    const closed = { service: undefined, sandbox: undefined };
    Object.assign(routes, { ...closed, awaited: () => [postgresThere] });
    return retryMs;
  };
  return retry(open, { waitMs, sleep, signal });
}

/** What /readyz waits for while the server is away. */
export const postgresThere = 'Postgres, which does not answer';
