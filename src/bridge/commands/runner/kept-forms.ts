import { randomBytes } from 'node:crypto';
import type { Log } from '../../../shared/primitives/log.ts';
import { inTime, sleep } from '../../../shared/primitives/time.ts';
import type { KeyedStore } from '../../conversation/keyed-store.ts';

/** The forms that people fill in, as JSON: any process may hear what becomes of one. */
export interface Forms {
  /** Keeps a form for a day. Resolves with its id; undefined while the store fails. Never rejects. */
  keep(form: object): Promise<string | undefined>;
  /** A form by its id; undefined while the store fails. Never rejects. */
  find(id: string): Promise<unknown>;
}

const keptMs = 24 * 60 * 60 * 1000;
/** Platforms wait three seconds for an answer. */
const findingMs = 1_000;

/** What is read from the store; undefined if that fails or takes too long. Never rejects. */
export async function soon<Value>(
  reading: Promise<Value>,
  log: Log,
  failed: string,
): Promise<Value | undefined> {
  try {
    return await inTime(reading, findingMs, sleep);
  } catch (error) {
    log.error({ err: error }, failed);
    return undefined;
  }
}

export function createForms(store: Pick<KeyedStore<object>, 'get' | 'set'>, log: Log): Forms {
  return {
    async keep(form) {
      const id = randomBytes(16).toString('base64url');
      try {
        await store.set(id, form, keptMs);
        return id;
      } catch (error) {
        log.error({ err: error }, 'a form could not be stored');
        return undefined;
      }
    },
    find: (id) => soon(store.get(id), log, 'a form could not be read'),
  };
}
