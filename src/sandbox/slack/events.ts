import type { Changes } from '../changes.ts';
import type { Delivery } from './delivery.ts';
import type { Directory } from './directory.ts';
import { newId } from './identifiers.ts';
import type { MessageChange, SlackChange } from './slack-changes.ts';
import type { Timestamps } from './timestamps.ts';
import type { Wire } from './wire.ts';
import type { SlackChannel } from './workspace.ts';
import type { SlackMessage } from './message.ts';

interface EventsOptions {
  changes: Changes<SlackChange>;
  delivery: Delivery;
  directory: Directory;
  timestamps: Timestamps;
  wire: Wire;
  now: () => number;
}

/**
 * Tells the app of messages in the channels its bot is in: `message`, its subtypes
 * `message_changed` and `message_deleted`, and `app_mention`. The bot's own messages come too.
 */
export function connectEvents(options: EventsOptions): void {
  const { changes, delivery, directory, timestamps, wire, now } = options;
  const { app, team } = directory;
  const mention = new RegExp(`<@${app.botUser}(\\|[^>]*)?>`);
  let mentions = 0;

  function deliver(event: object): void {
    const authorization = { team_id: team.id, user_id: app.botUser, enterprise_id: null };
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
  }

  /** A mention brings two events, and Slack promises no order: every other comes the other way. */
  function deliverWithMention(event: object, message: SlackMessage, channel: SlackChannel): void {
    const mentioned = channel.kind === 'channel' && !message.bot_id && mention.test(message.text);
    if (!mentioned) return deliver(event);
    const place = { channel: channel.id, event_ts: message.edited?.ts ?? message.ts };
    const pair = [event, { ...wire.message(message), type: 'app_mention', ...place }];
    for (const each of mentions++ % 2 === 0 ? pair : pair.toReversed()) deliver(each);
  }

  function posted(message: SlackMessage, channel: SlackChannel): void {
    const root = message.subtype === 'thread_broadcast' && { root: rootOf(message) };
    const place = { channel: channel.id, channel_type: channel.kind, event_ts: message.ts };
    deliverWithMention({ ...wire.message(message), ...root, ...place }, message, channel);
  }

  function changed({ message, previous }: MessageChange, channel: SlackChannel): void {
    const event = {
      ...hidden('message_changed', channel),
      message: wire.message(message),
      previous_message: previous && wire.message(previous),
    };
    deliverWithMention(event, message, channel);
  }

  function removed(message: SlackMessage, channel: SlackChannel): void {
    deliver({
      ...hidden('message_deleted', channel),
      deleted_ts: message.ts,
      previous_message: wire.message(message),
    });
  }

  function hidden(subtype: string, { id: channel, kind: channel_type }: SlackChannel): object {
    const ts = timestamps.next();
    return { type: 'message', subtype, hidden: true, channel, channel_type, ts, event_ts: ts };
  }

  changes.subscribe((change) => {
    if (change.kind !== 'message' && change.kind !== 'removed') return;
    const channel = directory.channel(change.channel);
    if (!channel || !directory.hasBot(channel)) return;
    if (change.kind === 'removed') removed(change.message, channel);
    else if (change.event === 'posted') posted(change.message, channel);
    else if (change.event === 'edited') changed(change, channel);
  });
}

function rootOf({ channel, thread_ts }: SlackMessage): object {
  return { channel, ts: thread_ts };
}
