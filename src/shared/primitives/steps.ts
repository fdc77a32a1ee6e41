import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from './log.ts';
import { createQueue } from './queue.ts';
import { monotonicMs, sleep } from './time.ts';

/** Work that may take long, which pauses at each `yield`. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** How long the work may block the event loop, unless a single step takes longer. */
const maxMs = 5;

/** Does work that may take long, and lets the event loop do other work between steps. */
export async function inSteps<Result>(steps: Steps<Result>): Promise<Result> {
  let since = monotonicMs();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (monotonicMs() - since < maxMs) continue;
    await nextTurn();
    since = monotonicMs();
  }
}

/** Does all the work at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Regular work on a database, at the start and then every minute. Disposing ends it after its next step. */
export interface Upkeep extends AsyncDisposable {
  /** Does the work now; resolves once it is done. */
  run(): Promise<void>;
}

const everyMs = 60_000;

/** Does work at once and then every minute, in small steps with other work in between. */
export function createUpkeep(work: () => Steps<void>, log: Pick<Log, 'error'>): Upkeep {
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
