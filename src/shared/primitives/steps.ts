import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from './time.ts';

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
