import { inSteps, type Steps } from './in-steps.ts';
import { createQueue } from './queue.ts';
import { sleep } from './sleep.ts';

/** Regular work on a database, at the start and then every minute. Disposing ends it after its next step. */
export interface Upkeep extends AsyncDisposable {
  /** Does the work now; resolves once it is done. */
  run(): Promise<void>;
}

interface Log {
  error(fields: object, message: string): void;
}

const everyMs = 60_000;

/** Does work at once and then every minute, in small steps with other work in between. */
export function createUpkeep(work: () => Steps<void>, log: Log): Upkeep {
  const closing = new AbortController();
  const queue = createQueue();

  function* steps(): Steps<void> {
    for (const _ of work()) {
      if (closing.signal.aborted) return;
      yield;
    }
  }

  const run = () =>
    queue.run('', async () => {
      try {
        if (!closing.signal.aborted) await inSteps(steps());
      } catch (error) {
        log.error({ err: error }, 'the upkeep of a database failed: it will be retried');
      }
    });

  const repeat = async () => {
    while (!closing.signal.aborted) {
      await run();
      await sleep(everyMs, closing.signal).catch(() => undefined);
    }
  };
  const repeated = repeat();

  return {
    run,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await repeated;
      await queue.idle();
    },
  };
}
