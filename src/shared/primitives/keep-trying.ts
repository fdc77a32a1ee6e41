import { growingWaitMs, retry } from './retry.ts';
import { sleep } from './sleep.ts';

interface TryingOptions {
  /** Ends a wait. */
  signal: AbortSignal;
  onFirstFailure(error: unknown): void;
  /** Failures are counted from 1; by default there is no end. */
  mayRetry?(error: unknown, failures: number): boolean;
}

/** A task that is tried until it succeeds. Neither promise rejects. */
export interface Trying {
  /** Resolves once the task has succeeded or failed for the first time. */
  tried: Promise<void>;
  /** Resolves once it has succeeded or will not be tried again. */
  done: Promise<void>;
}

/** Runs a task until it succeeds or `mayRetry` gives up, with growing waits. */
export function keepTrying(
  task: () => Promise<unknown>,
  { signal, onFirstFailure, mayRetry = () => true }: TryingOptions,
): Trying {
  const tried = Promise.withResolvers<void>();
  const waitMs = (error: unknown, failures: number) => {
    if (failures === 1) onFirstFailure(error);
    tried.resolve();
    return mayRetry(error, failures) ? growingWaitMs(failures) : undefined;
  };
  const ended = retry(task, { waitMs, sleep, signal }).then(
    () => tried.resolve(),
    () => tried.resolve(),
  );
  return { tried: tried.promise, done: ended };
}
