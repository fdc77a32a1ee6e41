import { setTimeout as delay } from 'node:timers/promises';

/** Waits for this many ms; rejects with an AbortError if the signal aborts first. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

/** Waits with a real timer, which does not keep the process alive. */
export const sleep: Sleep = (milliseconds, signal) =>
  delay(milliseconds, undefined, { ref: false, signal });
