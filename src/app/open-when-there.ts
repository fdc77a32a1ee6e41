import type { Log } from '../shared/primitives/log.ts';
import { growingWaitMs, retry } from '../shared/primitives/retry.ts';
import { sleep } from '../shared/primitives/time.ts';
import { isAway } from '../shared/stores/open-error.ts';
import type { Routes } from './server.ts';

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
    routes.awaited = () => [postgresThere];
    return retryMs;
  };
  return retry(open, { waitMs, sleep, signal });
}

/** What /readyz waits for while the server is away. */
export const postgresThere = 'Postgres, which does not answer';
