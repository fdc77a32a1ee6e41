import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a number of milliseconds; rejects with an AbortError when the signal aborts first. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

/** Waits by the machine's clock, without keeping the process alive for it. */
export const sleep: Sleep = (milliseconds, signal) =>
  delay(milliseconds, undefined, { ref: false, ...(signal && { signal }) });
