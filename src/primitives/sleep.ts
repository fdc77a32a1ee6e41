import { setTimeout as delay } from 'node:timers/promises';

/** Waits for some milliseconds, or rejects when the signal aborts. Tests pass their own. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<unknown>;

/** Waits on the real clock. */
export const sleep: Sleep = (ms, signal) => delay(ms, undefined, { signal });
