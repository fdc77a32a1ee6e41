import { setTimeout as delay } from 'node:timers/promises';

/** Waits for some milliseconds, or rejects when the signal aborts. Tests wait by one of their own. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<unknown>;

/** Waits by the machine's clock. */
export const sleep: Sleep = (ms, signal) => delay(ms, undefined, { signal });
