import { createLru } from '../../shared/primitives/lru.ts';
import { newDigits, newSecret } from './identifiers.ts';
import { SlackError } from './slack-error.ts';

/** Trigger ids: each lets the app open one modal for a user, within 3 seconds of their action. */
export interface Triggers {
  create(user: string): string;
  /**
   * Uses a trigger up and says whose it was.
   * @throws {SlackError} `invalid_trigger_id`, `expired_trigger_id` or `exchanged_trigger_id`
   */
  exchange(id: string): string;
}

const lifetimeMs = 3_000;
const maxTriggers = 1_000;

/** Triggers are kept in memory, at most the last thousand. */
export function createTriggers(now: () => number): Triggers {
  const triggers = createLru<{ user: string; expires: number; exchanged: boolean }>(maxTriggers);
  return {
    create(user) {
      const id = `${newDigits(13)}.${newDigits(12)}.${newSecret(16)}`;
      triggers.set(id, { user, expires: now() + lifetimeMs, exchanged: false });
      return id;
    },
    exchange(id) {
      const trigger = triggers.get(id);
      if (!trigger) throw new SlackError('invalid_trigger_id');
      if (trigger.exchanged) throw new SlackError('exchanged_trigger_id');
      if (trigger.expires < now()) throw new SlackError('expired_trigger_id');
      trigger.exchanged = true;
      return trigger.user;
    },
  };
}
