import { wrapEvent } from './delivery.ts';
import { newId } from './identifiers.ts';
import { isOrganisation } from './installations.ts';
import {
  type MessageChange,
  type RemovedChange,
  slackbotId,
  type SlackChannel,
  type SlackMessage,
  type SlackTeam,
} from './model.ts';
import type { AppParts, Parts, SendEvent } from './parts.ts';

/** Tells the app, where it is installed, of what it subscribes to. */
export function createEventSender(
  { manifest, installations, workspaces, now }: AppParts,
  { directory, delivery }: Pick<Parts, 'directory' | 'delivery'>,
): SendEvent {
  const { app, team } = directory;

  /**
   * The workspaces that the envelope names besides the authorization. In a shared channel they are
   * those of the author and of the channel, which may have nothing to do with the installation:
   * slackapi/bolt-python, tests/slack_bolt/request/test_internals.py, `slack_connect_from_*`.
   */
  function origin({ type, user }: SentEvent, channel: SlackChannel | undefined): object {
    const find = (id = team.id) =>
      workspaces().find((each) => each.directory.team.id === id)?.directory.team ?? team;
    const [host] = channel?.teams ?? [];
    const author = find(
      host && type !== 'app_mention' ? directory.user(user ?? '')?.team : team.id,
    );
    const context = find(host);
    return {
      team_id: author.id,
      enterprise_id: author.enterprise?.id,
      ...(!(host && type === 'app_mention') && {
        context_team_id: context.id,
        context_enterprise_id: context.enterprise?.id ?? null,
      }),
    };
  }

  return (event) => {
    const sent = event as SentEvent;
    const installation = installations.serving(team.id);
    if (!installation || !manifest.hasEvent(subscriptionOf(sent))) return;
    const channel = directory.channel(sent.channel ?? '');
    delivery.deliverEvent({
      ...wrapEvent(event, app, now()),
      ...origin(sent, channel),
      authorizations: [
        {
          enterprise_id: team.enterprise?.id ?? null,
          team_id: team.id,
          user_id: app.botUser,
          is_bot: true,
          is_enterprise_install: isOrganisation(installation),
        },
      ],
      is_ext_shared_channel: isExternal(channel, team),
      event_context: newId('EC'),
    });
  };
}

/** What the envelope depends on. */
interface SentEvent {
  type: string;
  channel?: string;
  channel_type?: SlackChannel['kind'];
  user?: string;
}

/** Whether a channel is shared with another workspace. */
function isExternal(channel: SlackChannel | undefined, { id }: SlackTeam): boolean {
  return channel?.teams?.some((team) => team !== id) ?? false;
}

const messageEvents = {
  channel: 'message.channels',
  group: 'message.groups',
  mpim: 'message.mpim',
  im: 'message.im',
};

/** The name by which apps subscribe to an event: docs.slack.dev/reference/events. */
function subscriptionOf({ type, channel_type: kind }: SentEvent): string {
  return type === 'message' && kind ? messageEvents[kind] : type;
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
  // With files: slackapi/node-slack-sdk#2449.
  app_mention: [...always, ...counts, 'metadata', 'parent_user_id'],
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
 *
 * @param isTold whether this workspace is the one that tells of a shared channel: the app gets each
 * event once (slackapi/bolt-js#2008)
 */
export function connectEvents(
  parts: Pick<Parts, 'changes' | 'directory' | 'sendEvent' | 'timestamps' | 'wire'>,
  isTold: (channel: SlackChannel) => boolean,
): void {
  const { changes, directory, sendEvent, timestamps, wire } = parts;
  let mentions = 0;

  /** In a shared channel, the app has a bot of each workspace. */
  function mentionsBot({ text }: SlackMessage, { members }: SlackChannel): boolean {
    const mentioned = text.matchAll(/<@(\w+)(?:\|[^>]*)?>/g);
    return [...mentioned].some(
      ([, id = '']) => members.includes(id) && directory.user(id)?.isBot === true,
    );
  }

  /** A mention causes two events, and Slack promises no order: every other mention swaps them. */
  function deliverWithMention(event: object, message: SlackMessage, channel: SlackChannel): void {
    const mentioned = channel.kind !== 'im' && !message.bot_id && mentionsBot(message, channel);
    if (!mentioned) return sendEvent(event);
    const home = directory.user(message.user)?.team;
    const place = {
      channel: channel.id,
      ...(channel.teams && home && { user_team: home, source_team: home }),
      event_ts: message.edited?.ts ?? message.ts,
    };
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
    if (!channel || !directory.hasBot(channel) || !isTold(channel)) return;
    if (change.kind === 'removed') removed(change, channel);
    else if (change.event === 'posted') posted(change.message, channel);
    else if (change.event === 'edited') changed(change, channel);
  });
}

function rootOf({ thread_ts }: SlackMessage): object {
  return { type: 'message', ts: thread_ts, thread_ts };
}
