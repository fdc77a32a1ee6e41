import { withIds } from '../block.ts';
import { parseContent, parseMetadata, truncationWarning } from '../content.ts';
import { byApp, inThreadOf, type SlackChannel } from '../model.ts';
import type { Parts } from '../parts.ts';
import { SlackError } from '../slack-error.ts';
import {
  type ApiMethod,
  apiMethod,
  flag,
  json,
  optional,
  perMinute,
  required,
  tiers,
} from './api-method.ts';
import {
  reachChannel,
  reachMessage,
  reachOwnChannel,
  reachOwnMessage,
  reachThread,
} from './reach.ts';

/** `chat.update` allows shorter texts than `chat.postMessage`: its reference, `msg_too_long`. */
const maxUpdateLength = 4_000;
/**
 * About one message a second in each channel, with short bursts, and several hundred a minute in a
 * workspace (docs.slack.dev/apis/web-api/rate-limits, "Posting messages"): three hundred here.
 */
const postLimit = { capacity: 5, perSecond: 1, each: 'channel', within: perMinute(300) };

/** What `chat.update` leaves out of the message that it returns. */
const placed = ['ts', 'thread_ts', 'parent_user_id', 'reply_count', 'streaming_state'];

const content = { text: optional, blocks: json, markdown_text: optional, metadata: json };
const place = { channel: required, ts: required };

/** docs.slack.dev/reference/methods, the family `chat`. */
export function chatMethods(parts: Parts): Record<string, ApiMethod> {
  const { directory, messages, ephemerals, streams, timestamps, wire, baseUrl } = parts;
  const { app } = directory;

  /** The channel for a channel's id or name, or the direct message with a user. */
  function reachAudience(audience: string): SlackChannel {
    const name = audience.replace(/^#/, '');
    const named = directory.channels().find((channel) => channel.name && channel.name === name);
    if (named) return reachOwnChannel(directory, named.id);
    const user = directory.user(audience);
    if (user) return directory.direct(user.id);
    return reachOwnChannel(directory, audience);
  }

  return {
    'chat.postMessage': apiMethod({
      limit: postLimit,
      scope: 'chat:write',
      arguments: { channel: required, ...content, thread_ts: optional, reply_broadcast: flag },
      run({ channel: audience, thread_ts, reply_broadcast: broadcast, metadata, ...said }) {
        const channel = reachAudience(audience);
        const { text = '', blocks } = parseContent(said);
        const root = thread_ts ? reachThread(messages, channel.id, thread_ts) : undefined;
        const message = messages.post({
          channel: channel.id,
          ...byApp(app),
          text,
          blocks: blocks && withIds(blocks),
          ...(root && inThreadOf(root)),
          subtype: root && broadcast ? 'thread_broadcast' : undefined,
          metadata: parseMetadata(metadata) ?? undefined,
        });
        const warning = truncationWarning(said.text);
        return { channel: channel.id, ts: message.ts, message: wire.message(message), ...warning };
      },
    }),

    'chat.update': apiMethod({
      limit: tiers.three,
      scope: 'chat:write',
      arguments: { ...place, ...content },
      run({ channel, ts, metadata, ...said }) {
        const message = reachOwnMessage(parts, { channel, ts }, 'cant_update_message');
        streams.assertEnded(message);
        if ((said.text?.length ?? 0) > maxUpdateLength) throw new SlackError('msg_too_long');
        const { text = message.text, blocks } = parseContent(said);
        // A text without blocks removes the old blocks, and only then is the message marked
        // "edited".
        const plain = blocks === undefined;
        const edited = messages.edit(message, {
          text,
          blocks: withIds(blocks ?? []),
          ...(plain && { edited: { user: app.botUser, ts: timestamps.next() } }),
          metadata: parseMetadata(metadata),
        });
        return { channel, ts, text, message: wire.message(edited, { without: placed }) };
      },
    }),

    'chat.delete': apiMethod({
      limit: tiers.three,
      scope: 'chat:write',
      arguments: place,
      run({ channel, ts }) {
        const message = reachOwnMessage(parts, { channel, ts }, 'cant_delete_message');
        if (streams.isOpen(message)) throw new SlackError('cant_delete_message');
        messages.remove(message);
        return { channel, ts };
      },
    }),

    'chat.postEphemeral': apiMethod({
      limit: tiers.four,
      scope: 'chat:write',
      arguments: { channel: required, user: required, ...content, thread_ts: optional },
      run({ channel: id, user, thread_ts, metadata: _metadata, ...said }) {
        const channel = reachOwnChannel(directory, id);
        if (!channel.members.includes(user)) throw new SlackError('user_not_in_channel');
        const { text = '', blocks } = parseContent(said);
        // Slack shows it only in a thread that has replies: docs.slack.dev/reference/methods/chat.postEphemeral
        const [, reply] = thread_ts ? messages.oldest({ channel: id, thread: thread_ts }) : [];
        if (thread_ts && !reply) return { message_ts: timestamps.next() };
        const message = ephemerals.post({
          channel: channel.id,
          to: user,
          user: app.botUser,
          text,
          blocks: blocks && withIds(blocks),
          thread_ts,
        });
        return { message_ts: message.ts };
      },
    }),

    'chat.getPermalink': apiMethod({
      limit: tiers.special,
      arguments: { channel: required, message_ts: required },
      run({ channel, message_ts: ts }) {
        reachChannel(directory, channel);
        const { thread_ts } = reachMessage(messages, channel, ts);
        const thread = thread_ts ? `?thread_ts=${thread_ts}&cid=${channel}` : '';
        const permalink = `${baseUrl()}/archives/${channel}/p${ts.replace('.', '')}${thread}`;
        return { channel, permalink };
      },
    }),
  };
}
