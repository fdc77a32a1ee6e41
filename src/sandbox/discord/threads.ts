import { z } from 'zod';
import { findChannel, saveChannel } from './channels.ts';
import {
  type Channel,
  ChannelType,
  holdsPosts,
  type Message,
  MessageType,
  newChannel,
} from './documents.ts';
import { Intent } from './gateway/session.ts';
import { keepMessage, newMessage, publishMessage } from './messages/message-store.ts';
import { may, Permission, requirePermission } from './permissions.ts';
import { refusal } from './refusals.ts';
import { renderChannel, renderThreadMember } from './render.ts';
import { type DiscordState, moderate } from './state.ts';
import { list, snowflake, text } from './validation.ts';

const name = text(1, 100);
const autoArchive = z.literal([60, 1440, 4320, 10_080]);

/** https://docs.discord.com/developers/resources/channel#start-thread-from-message */
export const messageThreadSchema = z.object({
  name,
  auto_archive_duration: autoArchive.nullish(),
});

const appliedTags = list(snowflake, 0, 5).nullish();

/** https://docs.discord.com/developers/resources/channel#start-thread-in-forum-or-media-channel */
export const postSchema = messageThreadSchema.extend({ applied_tags: appliedTags });

/** https://docs.discord.com/developers/resources/channel#start-thread-without-message */
export const threadSchema = messageThreadSchema.extend({
  type: z.literal([ChannelType.PublicThread, ChannelType.PrivateThread]).nullish(),
});

/** https://docs.discord.com/developers/resources/channel#modify-channel, for a thread. */
export const threadChangeSchema = z.object({
  name: name.nullish(),
  archived: z.boolean().nullish(),
  locked: z.boolean().nullish(),
  auto_archive_duration: autoArchive.nullish(),
  applied_tags: appliedTags,
});

export type MessageThreadForm = z.infer<typeof messageThreadSchema>;
export type PostForm = z.infer<typeof postSchema>;
export type ThreadForm = z.infer<typeof threadSchema>;
export type ThreadChange = z.infer<typeof threadChangeSchema>;

const defaultAutoArchiveMinutes = 4320;
const maxMembers = 1_000;

/**
 * Starts the thread of a message, which takes the message's id.
 * @throws {DiscordRefusal} 160004 when the message has a thread already
 */
export function startMessageThread(
  state: DiscordState,
  owner: string,
  message: Message,
  form: MessageThreadForm,
): Channel {
  const parent = findChannel(state, message.channel);
  if (parent.type !== ChannelType.Text && !isNews(parent)) throw refusal(50024);
  checkMayStart(state, owner, parent, {
    name: form.name,
    permission: Permission.CreatePublicThreads,
  });
  if (state.documents.channels.get(message.id)) throw refusal(160004);
  const thread = createThread(state, parent, owner, { ...form, id: message.id });
  publishMessage(state, 'edited', message);
  postSystemMessage(state, thread, message.author, {
    type: MessageType.ThreadStarterMessage,
    content: '',
    reference: { channel: parent.id, message: message.id },
  });
  return thread;
}

/**
 * Opens a post in a forum or media channel: a thread whose first message has the thread's id. The
 * caller posts that message.
 * https://docs.discord.com/developers/resources/channel#start-thread-in-forum-or-media-channel
 */
export function startPost(
  state: DiscordState,
  owner: string,
  parent: Channel,
  form: PostForm,
): Channel {
  if (!holdsPosts(parent)) throw refusal(50024);
  checkMayStart(state, owner, parent, { name: form.name, permission: Permission.SendMessages });
  const tags = form.applied_tags ?? [];
  checkTags(state, owner, parent, { before: [], after: tags });
  return createThread(state, parent, owner, { ...form, id: state.nextId() }, tags);
}

/**
 * @throws {DiscordRefusal} 10087 for a tag that the forum does not have, 40067 where it demands one,
 * 50013 where only moderators may set or remove it
 */
function checkTags(
  state: DiscordState,
  user: string,
  { tags = [], needsTag, ...forum }: Channel,
  { before, after }: { before: readonly string[]; after: readonly string[] },
): void {
  const known = new Map(tags.map((tag) => [tag.id, tag]));
  if (after.some((id) => !known.has(id) && !before.includes(id))) throw refusal(10087);
  if (needsTag && after.length === 0) throw refusal(40067);
  const changed = [...new Set(before).symmetricDifference(new Set(after))];
  const isModerated = changed.some((id) => known.get(id)?.moderated);
  if (isModerated && !may(state, user, Permission.ManageThreads, forum)) throw refusal(50013);
}

/** Starts a thread without a message; private by default. */
export function startThread(
  state: DiscordState,
  owner: string,
  parent: Channel,
  form: ThreadForm,
): Channel {
  const type = form.type ?? ChannelType.PrivateThread;
  const isPublic = type === ChannelType.PublicThread;
  if (parent.type !== ChannelType.Text) throw refusal(50024);
  const needed = isPublic ? Permission.CreatePublicThreads : Permission.CreatePrivateThreads;
  checkMayStart(state, owner, parent, { name: form.name, permission: needed });
  const thread = createThread(state, parent, owner, { ...form, id: state.nextId(), type });
  if (isPublic) {
    postSystemMessage(state, parent, owner, {
      type: MessageType.ThreadCreated,
      content: form.name,
      reference: { channel: thread.id, message: thread.id },
    });
  }
  return thread;
}

/** Changes a thread. Its owner and moderators may; anyone may unarchive it. */
export function changeThread(
  state: DiscordState,
  user: string,
  thread: Channel,
  form: ThreadChange,
): Channel {
  if (!thread.thread) throw refusal(50024);
  requirePermission(state, user, thread);
  const isModerator = may(state, user, Permission.ManageThreads, thread);
  const isOwner = thread.thread.owner === user;
  const tags = form.applied_tags ?? undefined;
  const onlyOpens = form.archived === false && !form.name && !form.auto_archive_duration && !tags;
  if (typeof form.locked === 'boolean' && !isModerator) throw refusal(50013);
  if (thread.thread.locked && !isModerator) throw refusal(160005);
  if (!isModerator && !isOwner && !onlyOpens) throw refusal(50013);
  if (thread.thread.archived && form.archived !== false) throw refusal(50083);

  if (tags) {
    if (!thread.appliedTags) throw refusal(50024);
    const forum = findChannel(state, thread.parent ?? '');
    checkTags(state, user, forum, { before: thread.appliedTags, after: tags });
  }
  const archived = form.archived ?? thread.thread.archived;
  const changed: Channel = {
    ...thread,
    name: form.name ?? thread.name,
    ...(tags && { appliedTags: [...new Set(tags)] }),
    thread: {
      ...thread.thread,
      archived,
      locked: form.locked ?? thread.thread.locked,
      autoArchive: form.auto_archive_duration ?? thread.thread.autoArchive,
      archiveChangedAt:
        archived === thread.thread.archived ? thread.thread.archiveChangedAt : state.now(),
    },
  };
  saveChannel(state, changed, 'THREAD_UPDATE');
  return changed;
}

/** Archives a thread or opens it, without asking who may. */
export function setArchived(state: DiscordState, channel: Channel, archived: boolean): void {
  if (!channel.thread) throw refusal(50024);
  const thread = { ...channel.thread, archived, archiveChangedAt: state.now() };
  saveChannel(state, { ...channel, thread }, 'THREAD_UPDATE');
}

/**
 * Adds a user to a thread, unless they are already in it. The bot then gets the thread:
 * https://docs.discord.com/developers/events/gateway-events#thread-create
 */
export function joinThread(state: DiscordState, user: string, id: string): void {
  const channel = findChannel(state, id);
  if (!channel.thread || channel.thread.members.includes(user)) return;
  const members = [...channel.thread.members, user].slice(-maxMembers);
  const joined = { ...channel, thread: { ...channel.thread, members } };
  state.documents.channels.put(joined);
  const member = renderThreadMember(id, user);
  if (user === state.self.user) {
    const data = { ...renderChannel(state, joined), member };
    state.dispatch({ name: 'THREAD_CREATE', data, intent: Intent.Guilds });
  }
  publishMembers(state, joined, members.length, { added_members: [member] });
}

/** Removes a user from a thread. */
export function leaveThread(state: DiscordState, user: string, id: string): void {
  const channel = findChannel(state, id);
  if (!channel.thread?.members.includes(user)) return;
  const members = channel.thread.members.filter((member) => member !== user);
  state.documents.channels.put({ ...channel, thread: { ...channel.thread, members } });
  publishMembers(state, channel, members.length, { removed_member_ids: [user] });
}

function isNews({ type }: Channel): boolean {
  return type === ChannelType.Announcement;
}

/** @throws {DiscordRefusal} 160006 or 160007 when the server has as many active threads as it may */
function checkMayStart(
  state: DiscordState,
  owner: string,
  parent: Channel,
  { name, permission }: { name: string; permission: bigint },
): void {
  requirePermission(state, owner, parent, permission);
  moderate(state.rules, 'title', name);
  const own = state.documents.channels.list().filter(({ guild }) => guild === parent.guild);
  const active = own.filter(({ thread }) => thread && !thread.archived);
  const news = active.filter(({ type }) => type === ChannelType.AnnouncementThread).length;
  const { maxActiveThreads, maxActiveAnnouncements } = state.rules;
  if (!isNews(parent) && active.length - news >= maxActiveThreads) throw refusal(160006);
  if (isNews(parent) && news >= maxActiveAnnouncements) throw refusal(160007);
}

function createThread(
  state: DiscordState,
  parent: Channel,
  owner: string,
  form: ThreadForm & { id: string },
  tags?: readonly string[],
): Channel {
  const now = state.now();
  const thread = newChannel({
    id: form.id,
    type: form.type ?? (isNews(parent) ? ChannelType.AnnouncementThread : ChannelType.PublicThread),
    name: form.name,
    guild: parent.guild,
    parent: parent.id,
    appliedTags: tags && [...new Set(tags)],
    thread: {
      owner,
      archived: false,
      locked: false,
      autoArchive: form.auto_archive_duration ?? defaultAutoArchiveMinutes,
      archiveChangedAt: now,
      createdAt: now,
      members: [owner],
      messages: 0,
    },
  });
  saveChannel(state, thread, 'THREAD_CREATE');
  publishMembers(state, thread, 1, { added_members: [renderThreadMember(thread.id, owner)] });
  return thread;
}

function publishMembers(
  state: DiscordState,
  channel: Channel,
  count: number,
  change: { added_members: object[] } | { removed_member_ids: string[] },
): void {
  if (!may(state, state.self.user, Permission.ViewChannel, channel)) return;
  const { id, guild } = channel;
  const data = { id, guild_id: guild, member_count: count, ...change };
  state.dispatch({ name: 'THREAD_MEMBERS_UPDATE', data, intent: Intent.Guilds });
}

function postSystemMessage(
  state: DiscordState,
  channel: Channel,
  author: string,
  part: Pick<Message, 'type' | 'content' | 'reference'>,
): void {
  const message: Message = { ...newMessage(state, channel.id, author), ...part };
  keepMessage(state, message);
  publishMessage(state, 'posted', message);
}
