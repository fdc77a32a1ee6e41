import type { Directory } from '../directory.ts';
import type { Messages } from '../message-store.ts';
import { channelKinds, type SlackChannel, type SlackMessage } from '../model.ts';
import { SlackError } from '../slack-error.ts';

/**
 * The channel with an id, if it is public or the bot is in it: the app sees no other.
 * @throws {SlackError} `channel_not_found`
 */
export function reachChannel(directory: Directory, id: string): SlackChannel {
  const channel = directory.channel(id);
  if (!channel || !isSeen(directory, channel)) throw new SlackError('channel_not_found');
  return channel;
}

/** The channels of some types that the app can know of. */
export function listChannels(directory: Directory, types: string | undefined): SlackChannel[] {
  const wanted = toTypes(types);
  return directory
    .channels()
    .filter(({ kind }) => wanted.has(channelKinds[kind].type))
    .filter((channel) => isSeen(directory, channel));
}

/** The types of channels that a method is asked for, by default public ones. */
export function toTypes(types: unknown): Set<string> {
  const wanted = typeof types === 'string' ? types : channelKinds.channel.type;
  return new Set(wanted.split(',').map((type) => type.trim()));
}

/** Whether the app can know of a channel: a public one, or one that the bot is in. */
export function isSeen(directory: Directory, channel: SlackChannel): boolean {
  return channel.kind === 'channel' || directory.hasBot(channel);
}

/**
 * A channel the bot is in.
 * @throws {SlackError} `channel_not_found` or `not_in_channel`
 */
export function reachOwnChannel(directory: Directory, id: string): SlackChannel {
  const channel = reachChannel(directory, id);
  if (!directory.hasBot(channel)) throw new SlackError('not_in_channel');
  return channel;
}

/**
 * A message.
 * @throws {SlackError} `message_not_found`
 */
export function reachMessage(messages: Messages, channel: string, ts: string): SlackMessage {
  const message = messages.find(channel, ts);
  if (!message || message.subtype === 'tombstone') throw new SlackError('message_not_found');
  return message;
}

/**
 * A message of the app.
 * @throws {SlackError} `message_not_found`, or `refusal` when it is someone else's
 */
export function reachOwnMessage(
  { directory, messages }: { directory: Directory; messages: Messages },
  { channel, ts }: { channel: string; ts: string },
  refusal: string,
): SlackMessage {
  reachChannel(directory, channel);
  const message = reachMessage(messages, channel, ts);
  if (message.user !== directory.app.botUser) throw new SlackError(refusal);
  return message;
}

/**
 * The first message of a thread.
 * @throws {SlackError} `thread_not_found`
 */
export function reachThread(messages: Messages, channel: string, ts: string): SlackMessage {
  const root = messages.find(channel, ts);
  if (!root || (root.thread_ts && root.thread_ts !== ts)) throw new SlackError('thread_not_found');
  return root;
}
