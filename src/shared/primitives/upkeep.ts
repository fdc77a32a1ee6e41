import type { Log } from './log.ts';
import { createQueue } from './queue.ts';
import { sleep } from './time.ts';

/** Regular work on a database, at the start and then every minute. Disposing aborts it. */
export interface Upkeep extends AsyncDisposable {
  /** Does the work now; resolves once it is done. */
  run(): Promise<void>;
  /** Resolves when no work is under way. */
  idle(): Promise<void>;
}

const everyMs = 60_000;

/** Does work at once and then every minute, until the signal that it is given aborts. */
export function createUpkeep(
  work: (signal: AbortSignal) => Promise<void>,
  log: Pick<Log, 'error'>,
): Upkeep {
  const closing = new AbortController();
  const { signal } = closing;
  const queue = createQueue();

  const run = () =>
    queue.run('', async () => {
      try {
        if (!signal.aborted) await work(signal);
      } catch (error) {
        log.error({ err: error }, 'the upkeep of a database failed: it will be retried');
      }
    });

  const repeat = async () => {
    while (!signal.aborted) {
      await run();
      await sleep(everyMs, signal).catch(() => undefined);
    }
  };
  const repeated = repeat();

  return {
    run,
    idle: queue.idle,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await repeated;
      await queue.idle();
    },
  };
}
