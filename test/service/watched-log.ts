import { EventEmitter, once } from 'node:events';
import type { Log } from '../../src/service/log.ts';

/** A log whose messages can be waited for. */
export function createWatchedLog(): { log: Log; next: (message: string) => Promise<unknown> } {
  const written = new EventEmitter();
  const write = (_fields: object, message: string) => {
    written.emit(message);
  };
  return {
    log: { debug: write, info: write, warn: write, error: write },
    next: (message) => once(written, message),
  };
}
