import type { Directory } from './directory.ts';
import type { SendEvent } from './event-sender.ts';
import type { Messages } from './messages.ts';
import type { Sessions } from './sessions.ts';
import type { Streams } from './streams.ts';
import type { Timestamps } from './timestamps.ts';

/** Slack's own button to stop an agent, as people use it. */
export interface Stops {
  /**
   * Stops what the app streams into a thread and tells the app of it. The session stays
   * `processing` until the app says otherwise.
   * @throws {Error} when none is, for then there is no button
   */
  stop(at: { user: string; channel: string; thread: string }): void;
}

interface StopsOptions {
  directory: Directory;
  messages: Messages;
  sessions: Sessions;
  streams: Streams;
  timestamps: Timestamps;
  sendEvent: SendEvent;
}

/** docs.slack.dev/reference/events/agent_session_stopped. */
export function createStops(options: StopsOptions): Stops {
  const { directory, messages, sessions, streams, timestamps, sendEvent } = options;
  return {
    stop({ user, channel, thread }) {
      if (!directory.channel(channel)?.members.includes(user)) {
        throw new Error(`${user} is not in the channel ${channel}.`);
      }
      if (sessions.find(channel, thread)?.status !== 'processing') {
        throw new Error(`There is nothing to stop in the thread ${thread}.`);
      }
      const replies = [...messages.oldest({ channel, thread })];
      const open = replies.filter((message) => streams.isOpen(message));
      for (const message of open) streams.interrupt(message);
      sendEvent({
        type: 'agent_session_stopped',
        channel,
        user,
        thread_ts: thread,
        streaming_message_ts: open.map(({ ts }) => ts),
        event_ts: timestamps.next(),
      });
    },
  };
}
