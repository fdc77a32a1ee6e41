import type { ShownChannel } from './changes.ts';
import {
  type Channel,
  ChannelType,
  type ForumTag,
  holdsPosts,
  newChannel,
  type User,
} from './documents.ts';
import { Intent } from './gateway/session.ts';
import { may, Permission, requirePermission } from './permissions.ts';
import { refusal } from './refusals.ts';
import { renderChannel } from './render.ts';
import type { DiscordState } from './state.ts';

/**
 * The channel, thread or direct channel with an id.
 * @throws {DiscordRefusal} 10003 when there is none
 */
export function findChannel(state: DiscordState, id: string): Channel {
  const channel = state.documents.channels.get(id);
  if (!channel) throw refusal(10003);
  return channel;
}

/**
 * A channel that the bot sees.
 * @throws {DiscordRefusal} 10003 when there is none, 50001 when the bot does not see it
 */
export function findVisibleChannel(state: DiscordState, id: string): Channel {
  const channel = findChannel(state, id);
  requirePermission(state, state.self.user, channel);
  return channel;
}

/** The direct channel of the bot and a person; created on first use. */
export function openDirectChannel(state: DiscordState, user: string): Channel {
  const { documents } = state;
  const recipient = documents.users.get(user);
  if (!recipient) throw refusal(10013);
  if (recipient.bot) throw refusal(50007);
  const open = documents.channels.list().find((channel) => channel.recipient === user);
  if (open) return open;
  const channel = newDirectChannel(state.nextId(), recipient);
  documents.channels.put(channel);
  state.changes.announce({ kind: 'channel', event: 'created', channel: showChannel(channel) });
  return channel;
}

/** The direct channel of the bot and a person. */
export function newDirectChannel(id: string, { id: recipient, username }: User): Channel {
  return newChannel({ id, type: ChannelType.Direct, name: username, recipient });
}

/** The types of channels that can be created, beside text channels. */
export const createdTypes = {
  voice: ChannelType.Voice,
  stage: ChannelType.Stage,
  forum: ChannelType.Forum,
  media: ChannelType.Media,
  announcement: ChannelType.Announcement,
} as const;

/** What a forum or media channel asks of its posts. */
export interface ForumSettings {
  tags?: readonly (Pick<ForumTag, 'name'> & Partial<ForumTag>)[];
  /** Whether each post must have a tag. */
  needsTag?: boolean;
}

/** Creates a channel of the server. */
export function createChannel(
  state: DiscordState,
  name: string,
  kind: keyof typeof createdTypes,
  forum: ForumSettings = {},
): Channel {
  const channel = newChannel({
    ...toForum(forum, state.nextId),
    id: state.nextId(),
    type: createdTypes[kind],
    name,
    guild: state.guild,
    position: state.documents.channels.count(),
  });
  saveChannel(state, channel, 'CHANNEL_CREATE');
  return channel;
}

/** Tags without an id are new. */
export function toForum({ tags = [], needsTag }: ForumSettings, nextId: () => string) {
  if (tags.length === 0 && needsTag === undefined) return {};
  const named = tags.map((tag) => ({ id: nextId(), moderated: false, ...tag }));
  return { tags: named, needsTag };
}

/**
 * Stores a channel of the server, sends the bot the named event, and announces the change. The bot is
 * told of all channels, but only of threads that it sees.
 */
export function saveChannel(
  state: DiscordState,
  channel: Channel,
  name: 'CHANNEL_CREATE' | 'CHANNEL_UPDATE' | 'THREAD_CREATE' | 'THREAD_UPDATE',
): void {
  state.documents.channels.put(channel);
  const rendered = renderChannel(state, channel);
  const data = name === 'THREAD_CREATE' ? { ...rendered, newly_created: true } : rendered;
  const isTold = !channel.thread || may(state, state.self.user, Permission.ViewChannel, channel);
  if (isTold) state.dispatch({ name, data, intent: Intent.Guilds });
  const event = name.endsWith('CREATE') ? 'created' : 'changed';
  state.changes.announce({ kind: 'channel', event, channel: showChannel(channel) });
}

/** A channel as people see it. */
export function showChannel(channel: Channel): ShownChannel {
  const { id, type, name, guild, parent, recipient, thread, appliedTags } = channel;
  const { tags = [], needsTag = false } = channel;
  return {
    id,
    type,
    name,
    guild,
    parent,
    recipient,
    forum: holdsPosts(channel) ? { tags, needsTag } : undefined,
    archived: thread?.archived,
    locked: thread?.locked,
    owner: thread?.owner,
    appliedTags,
  };
}
