import { setTimeout as delay } from 'node:timers/promises';
import type { Sleep } from '../shared/primitives/time.ts';

/** Waits with a real timer, which does not keep the process alive. */
export const sleep: Sleep = (ms, signal) => delay(ms, undefined, { ref: false, signal });
