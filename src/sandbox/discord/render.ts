import {
  type Channel,
  ChannelType,
  type Guild,
  holdsPosts,
  type Member,
  type Role,
  type ThreadState,
  toMilliseconds,
  type User,
} from './documents.ts';
import { permissionsOf, rolesOf } from './permissions.ts';
import type { ApplicationSettings, DiscordState } from './state.ts';

/** https://docs.discord.com/developers/resources/application#application-object-application-flags */
const messageContentFlag = 1 << 18;
/** Before a review. */
const messageContentLimitedFlag = 1 << 19;

export function applicationFlags({ messageContent, isReviewed }: ApplicationSettings): number {
  if (!messageContent) return 0;
  return isReviewed ? messageContentFlag : messageContentLimitedFlag;
}

/** https://docs.discord.com/developers/resources/user#user-object */
export function renderUser({ id, username, displayName, bot }: User) {
  return {
    id,
    username,
    global_name: displayName,
    discriminator: '0',
    avatar: null,
    public_flags: 0,
    flags: 0,
    primary_guild: null,
    ...(bot && { bot }),
  };
}

/** A user by id; a deleted one keeps only the id. */
export function userOf({ documents }: DiscordState, id: string): User {
  const user = documents.users.get(id);
  return user ?? { id, username: 'unknown', displayName: 'Unknown', bot: false };
}

export function renderUserById(state: DiscordState, id: string) {
  return renderUser(userOf(state, id));
}

/** https://docs.discord.com/developers/topics/permissions#role-object */
export function renderRole({ id, name, permissions, position, managed }: Role, self: string) {
  return {
    id,
    name,
    permissions,
    position,
    managed,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    mentionable: false,
    flags: 0,
    icon: null,
    unicode_emoji: null,
    ...(managed && { tags: { bot_id: self } }),
  };
}

/** https://docs.discord.com/developers/resources/guild#guild-member-object-guild-member-flags */
const guestFlag = 1 << 4;

/** https://docs.discord.com/developers/resources/guild#guild-member-object, without the user. */
export function renderMember({ roles, joinedAt, isGuest }: Member) {
  return {
    roles,
    joined_at: toTimestamp(joinedAt),
    nick: null,
    avatar: null,
    banner: null,
    premium_since: null,
    communication_disabled_until: null,
    pending: false,
    deaf: false,
    mute: false,
    flags: isGuest ? guestFlag : 0,
  };
}

/** A member with the user, and for interactions with their permissions in the channel. */
export function renderMemberWithUser(state: DiscordState, member: Member, channel?: Channel) {
  return {
    ...renderMember(member),
    user: renderUserById(state, member.user),
    ...(channel && { permissions: permissionsOf(state, member.user, channel).toString() }),
  };
}

/** https://docs.discord.com/developers/resources/channel#channel-object-channel-flags */
const requireTagFlag = 1 << 4;

/** https://docs.discord.com/developers/resources/channel#channel-object */
export function renderChannel(state: DiscordState, channel: Channel): object {
  const { id, type, name, position, overwrites } = channel;
  const flags = channel.needsTag ? requireTagFlag : 0;
  const shared = { id, type, last_message_id: channel.lastMessage ?? null, flags };
  if (type === ChannelType.Direct) {
    const recipients = channel.recipient ? [renderUserById(state, channel.recipient)] : [];
    return { ...shared, recipients };
  }
  const inGuild = {
    ...shared,
    guild_id: channel.guild,
    name,
    rate_limit_per_user: channel.slowMode ?? 0,
  };
  if (channel.thread) return { ...inGuild, ...renderThread(state, channel) };
  return {
    ...inGuild,
    position,
    nsfw: false,
    parent_id: null,
    permission_overwrites: overwrites,
    ...renderKind(channel),
  };
}

function renderKind(channel: Channel): object {
  if (channel.type === ChannelType.Voice || channel.type === ChannelType.Stage) {
    return { bitrate: 64_000, user_limit: 0, rtc_region: null };
  }
  const topic = channel.topic ?? null;
  if (!holdsPosts(channel)) return { topic };
  return {
    topic,
    available_tags: (channel.tags ?? []).map((tag) => ({
      ...tag,
      emoji_id: null,
      emoji_name: null,
    })),
    default_reaction_emoji: null,
    default_sort_order: null,
    ...(channel.type === ChannelType.Forum && { default_forum_layout: 0 }),
  };
}

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-resolved-data-structure */
export function renderPartialChannel(channel: Channel): object {
  const { id, name, type, parent } = channel;
  if (!channel.thread) return { id, name, type };
  const metadata = renderThreadMetadata(channel.thread);
  return { id, name, type, parent_id: parent, thread_metadata: metadata };
}

function renderThread(state: DiscordState, { id, parent, thread, appliedTags }: Channel): object {
  if (!thread) return {};
  const isMember = thread.members.includes(state.self.user);
  return {
    parent_id: parent,
    owner_id: thread.owner,
    message_count: thread.messages,
    total_message_sent: thread.messages,
    member_count: thread.members.length,
    thread_metadata: renderThreadMetadata(thread),
    ...(appliedTags && { applied_tags: appliedTags }),
    ...(isMember && { member: renderThreadMember(id, state.self.user) }),
  };
}

/** https://docs.discord.com/developers/resources/channel#thread-metadata-object */
function renderThreadMetadata(thread: ThreadState) {
  return {
    archived: thread.archived,
    locked: thread.locked,
    auto_archive_duration: thread.autoArchive,
    archive_timestamp: toTimestamp(thread.archiveChangedAt),
    create_timestamp: toTimestamp(thread.createdAt),
    invitable: true,
  };
}

/** https://docs.discord.com/developers/resources/channel#thread-member-object */
export function renderThreadMember(thread: string, user: string) {
  return {
    id: thread,
    user_id: user,
    join_timestamp: toTimestamp(toMilliseconds(thread)),
    flags: 0,
  };
}

/** https://docs.discord.com/developers/resources/guild#guild-object */
export function renderGuild(state: DiscordState, { id, name, owner, locale }: Guild) {
  return {
    id,
    name,
    owner_id: owner,
    icon: null,
    home_header: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    description: null,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    roles: rolesOf(state, id).map((role) => renderRole(role, state.self.user)),
    emojis: [],
    stickers: [],
    features: [],
    mfa_level: 0,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    premium_progress_bar_enabled: false,
    preferred_locale: locale ?? 'en-US',
    nsfw_level: 0,
    incidents_data: null,
    region: 'deprecated',
    widget_enabled: false,
    widget_channel_id: null,
    max_presences: null,
    max_members: 500_000,
    max_video_channel_users: 25,
    max_stage_video_channel_users: 50,
    nsfw: false,
  };
}

/** The guild_id of a channel's events; none for a direct channel. */
export function guildOf(channel: Channel | undefined): { guild_id?: string } {
  return channel?.guild ? { guild_id: channel.guild } : {};
}

/** A time in Discord's format: ISO 8601 with an offset. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000+00:00');
}
