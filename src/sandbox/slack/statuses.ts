import { createLru } from '../../shared/primitives/lru.ts';
import type { Changes } from '../changes.ts';
import type { SlackChange } from './slack-changes.ts';

/** The app's status in a thread, shown as "Causeway is thinking…". */
export interface Statuses {
  /** An empty status removes it. */
  set(channel: string, thread: string, status: string): void;
  get(channel: string, thread: string): string;
}

/** Slack removes a status after 2 minutes, or when the app posts. */
const lifetimeMs = 120_000;
const maxStatuses = 1_000;

/** Statuses are kept in memory, at most a thousand. */
export function createStatuses(changes: Changes<SlackChange>, now: () => number): Statuses {
  const statuses = createLru<{ status: string; expires: number }>(maxStatuses);

  function set(channel: string, thread: string, status: string): void {
    const key = `${channel}:${thread}`;
    statuses.delete(key);
    if (status) statuses.set(key, { status, expires: now() + lifetimeMs });
    changes.announce({ kind: 'status', channel, thread, status });
  }

  changes.subscribe((change) => {
    if (change.kind !== 'message' || change.event !== 'posted' || !change.message.bot_id) return;
    const { channel, thread } = change;
    if (thread && statuses.has(`${channel}:${thread}`)) set(channel, thread, '');
  });

  return {
    set,
    get(channel, thread) {
      const found = statuses.get(`${channel}:${thread}`);
      return found && found.expires > now() ? found.status : '';
    },
  };
}
