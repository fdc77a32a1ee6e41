import type { Changes } from '../changes.ts';
import type { Records } from '../records.ts';
import type { EphemeralMessage } from './message.ts';
import type { SlackChange } from './slack-changes.ts';
import type { Timestamps } from './timestamps.ts';

/** Messages that only one person sees, at most 200 per person and channel. */
export interface Ephemerals {
  post(draft: Omit<EphemeralMessage, 'ts'>): EphemeralMessage;
  replace(message: EphemeralMessage, content: Pick<EphemeralMessage, 'text' | 'blocks'>): void;
  remove(message: EphemeralMessage): void;
  find(channel: string, ts: string): EphemeralMessage | undefined;
  list(user: string, channel: string): EphemeralMessage[];
}

interface EphemeralsOptions {
  records: Records;
  changes: Changes<SlackChange>;
  timestamps: Timestamps;
}

const maxEphemerals = 200;

/** Unlike Slack's, these ephemeral messages survive a restart. Every change is announced. */
export function createEphemerals(options: EphemeralsOptions): Ephemerals {
  const { records, changes, timestamps } = options;

  function put(message: EphemeralMessage): void {
    const { channel, to: user, ts } = message;
    const parent = `${channel}:${user}`;
    records.put('slack.ephemeral', `${channel}:${ts}`, message, parent);
    records.trim('slack.ephemeral', maxEphemerals, parent);
    changes.announce({ kind: 'ephemeral', channel, user, message });
  }

  return {
    post(draft) {
      const message = { ...draft, ts: timestamps.next() };
      put(message);
      return message;
    },
    replace({ blocks: _blocks, ...message }, content) {
      put({ ...message, ...content });
    },
    remove({ channel, to: user, ts }) {
      records.delete('slack.ephemeral', `${channel}:${ts}`);
      changes.announce({ kind: 'ephemeral-removed', channel, user, ts });
    },
    find: (channel, ts) => records.get('slack.ephemeral', `${channel}:${ts}`),
    list: (user, channel) => records.list('slack.ephemeral', `${channel}:${user}`),
  };
}
