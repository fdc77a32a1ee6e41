import type { Changes } from '../changes.ts';
import type { Delivery } from './delivery.ts';
import type { Directory } from './directory.ts';
import { newId, type Timestamps } from './identifiers.ts';
import type { AppManifest } from './manifest.ts';
import {
  type MessageChange,
  type RemovedChange,
  slackbotId,
  type SlackChange,
  type SlackChannel,
  type SlackMessage,
} from './model.ts';
import type { Wire } from './wire.ts';

/** Sends an event to the app, in the envelope that all events share. */
export type SendEvent = (event: object) => void;

/** docs.slack.dev/apis/events-api, "Event type structure". */
export function createEventSender(
  delivery: Delivery,
  directory: Directory,
  manifest: AppManifest,
  now: () => number,
): SendEvent {
  const { app, team } = directory;
  return (event) => {
    if (!manifest.hasEvent(subscriptionOf(event))) return;
    const authorization = { team_id: team.id, user_id: app.botUser };
    delivery.deliverEvent({
      token: app.verificationToken,
      team_id: team.id,
      context_team_id: team.id,
      api_app_id: app.id,
      event,
      type: 'event_callback',
      event_id: newId('Ev'),
      event_time: Math.floor(now() / 1000),
      authorizations: [{ ...authorization, is_bot: true, is_enterprise_install: false }],
      is_ext_shared_channel: false,
      event_context: newId('EC'),
    });
  };
}

const messageEvents = {
  channel: 'message.channels',
  group: 'message.groups',
  mpim: 'message.mpim',
  im: 'message.im',
};

/** The name by which apps subscribe to an event: docs.slack.dev/reference/events. */
function subscriptionOf(event: object): string {
  const { type, channel_type: kind } = event as {
    type: string;
    channel_type: SlackChannel['kind'];
  };
  return type === 'message' ? messageEvents[kind] : type;
}

const always = ['app_id', 'reply_users', 'streaming_state'];
const ofBots = ['bot_id', 'bot_profile', 'metadata'];
const counts = ['reply_count', 'reply_users_count', 'latest_reply'];

/**
 * The fields of a message that methods return, but events don't:
 * github.com/slackapi/java-slack-sdk/tree/main/json-logs/samples/events.
 */
const leftOut = {
  message: always,
  app_mention: [...always, ...counts, 'files', 'metadata', 'parent_user_id'],
  file_share: [...always, ...ofBots, 'client_msg_id', 'team'],
  thread_broadcast: [...always, ...ofBots, 'files', 'parent_user_id', 'team'],
  me_message: [...always, ...ofBots, ...counts, 'client_msg_id', 'team'],
  channel_join: [...always, ...ofBots, ...counts, 'client_msg_id', 'team'],
  message_changed: [...always, 'files', 'metadata'],
  tombstone: always,
};

/**
 * Sends the app events for messages in the channels its bot is in: `message`, its subtypes
 * `message_changed` and `message_deleted`, and `app_mention`. They include the bot's own messages.
 */
export function connectEvents(options: {
  changes: Changes<SlackChange>;
  directory: Directory;
  sendEvent: SendEvent;
  timestamps: Timestamps;
  wire: Wire;
}): void {
  const { changes, directory, sendEvent, timestamps, wire } = options;
  const { app } = directory;
  const mention = new RegExp(`<@${app.botUser}(\\|[^>]*)?>`);
  let mentions = 0;

  /** A mention causes two events, and Slack promises no order: every other mention swaps them. */
  function deliverWithMention(event: object, message: SlackMessage, channel: SlackChannel): void {
    const mentioned = channel.kind !== 'im' && !message.bot_id && mention.test(message.text);
    if (!mentioned) return sendEvent(event);
    const place = { channel: channel.id, event_ts: message.edited?.ts ?? message.ts };
    const told = wire.message(message, { without: leftOut.app_mention });
    const pair = [event, { ...told, type: 'app_mention', ...place }];
    for (const each of mentions++ % 2 === 0 ? pair : pair.toReversed()) sendEvent(each);
  }

  function posted(message: SlackMessage, channel: SlackChannel): void {
    const root = message.subtype === 'thread_broadcast' && { root: rootOf(message) };
    const place = { channel: channel.id, channel_type: channel.kind, event_ts: message.ts };
    const told = wire.message(message, { without: leftOut[message.subtype ?? 'message'] });
    deliverWithMention({ ...told, ...root, ...place }, message, channel);
  }

  function changed({ message, previous }: MessageChange, channel: SlackChannel): void {
    const event = {
      ...hidden('message_changed', channel),
      message: wire.message(message, { without: leftOut.message_changed }),
      previous_message: previous && wire.message(previous, { without: leftOut.message_changed }),
    };
    deliverWithMention(event, message, channel);
  }

  /** A deleted message with replies leaves a stub, which Slack reports as a change. */
  function removed({ message, stub }: RemovedChange, channel: SlackChannel): void {
    const previous_message = wire.message(message, { without: leftOut.message_changed });
    if (stub) {
      const buried = {
        ...wire.message(stub, { without: leftOut.message_changed }),
        user: slackbotId,
        hidden: true,
      };
      sendEvent({ ...hidden('message_changed', channel), message: buried, previous_message });
    } else {
      const deleted_ts = message.ts;
      sendEvent({ ...hidden('message_deleted', channel), deleted_ts, previous_message });
    }
  }

  function hidden(subtype: string, { id: channel, kind: channel_type }: SlackChannel): object {
    const ts = timestamps.next();
    return { type: 'message', subtype, hidden: true, channel, channel_type, ts, event_ts: ts };
  }

  changes.subscribe((change) => {
    if (change.kind !== 'message' && change.kind !== 'removed') return;
    const channel = directory.channel(change.channel);
    if (!channel || !directory.hasBot(channel)) return;
    if (change.kind === 'removed') removed(change, channel);
    else if (change.event === 'posted') posted(change.message, channel);
    else if (change.event === 'edited') changed(change, channel);
  });
}

function rootOf({ thread_ts }: SlackMessage): object {
  return { type: 'message', ts: thread_ts, thread_ts };
}
