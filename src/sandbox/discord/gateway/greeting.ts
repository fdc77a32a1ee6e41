import type { Guild, User } from '../documents.ts';
import { may, memberOf, membersOf, Permission } from '../permissions.ts';
import {
  applicationFlags,
  renderChannel,
  renderGuild,
  renderMemberWithUser,
  renderUserById,
  toTimestamp,
} from '../render.ts';
import type { DiscordState } from '../state.ts';
import type { MembersRequest } from './connection.ts';
import type { SessionEvent } from './gateway.ts';
import { Intent, type Session, type Shard, isOfShard } from './session.ts';

/** The first event of a session: https://docs.discord.com/developers/events/gateway-events#ready */
export function renderReady(
  state: DiscordState,
  session: Session,
  resumeUrl: string,
): SessionEvent {
  const flags = applicationFlags(state.settings);
  const data = {
    v: 10,
    user: { ...renderUserById(state, state.self.user), verified: true, email: null, flags: 0 },
    guilds: guildsOf(state, session.shard).map(({ id }) => ({ id, unavailable: true })),
    session_id: session.id,
    resume_gateway_url: resumeUrl,
    shard: session.shard,
    application: { id: state.self.application, flags, flags_new: String(flags) },
  };
  return { name: 'READY', data };
}

/**
 * The events that make the servers available after READY or an outage, or unavailable, for a session
 * with the intent for servers: https://docs.discord.com/developers/events/gateway-events#guild-create
 */
export function renderAvailability(
  state: DiscordState,
  session: Session,
  isAvailable: boolean,
): SessionEvent[] {
  if (!(session.intents & Intent.Guilds)) return [];
  return guildsOf(state, session.shard).map((guild) =>
    isAvailable
      ? { name: 'GUILD_CREATE', data: renderWholeGuild(state, guild, session.intents) }
      : { name: 'GUILD_DELETE', data: { id: guild.id, unavailable: true } },
  );
}

/** The bot's servers, of a shard or of all. */
export function guildsOf(state: DiscordState, shard: Shard = [0, 1]): Guild[] {
  const isOwn = ({ id }: Guild) => memberOf(state, id, state.self.user) && isOfShard(shard, id);
  return state.documents.guilds.list().filter(isOwn);
}

/** Without the members intent, the bot is the only member that a server is sent with. */
export function renderWholeGuild(state: DiscordState, guild: Guild, intents: number): object {
  const { documents, self } = state;
  const everyone = membersOf(state, guild.id);
  const told =
    intents & Intent.GuildMembers ? everyone : everyone.filter(({ user }) => user === self.user);
  const channels = documents.channels.list().filter((channel) => channel.guild === guild.id);
  return {
    ...renderGuild(state, guild),
    joined_at: toTimestamp(everyone.find(({ user }) => user === self.user)?.joinedAt ?? 0),
    large: false,
    unavailable: false,
    member_count: everyone.length,
    members: told.map((member) => renderMemberWithUser(state, member)),
    // Channels within a server don't repeat its id here.
    channels: channels
      .filter(({ thread }) => !thread)
      .map((channel) => ({ ...renderChannel(state, channel), guild_id: undefined })),
    threads: channels
      .filter((channel) => channel.thread && !channel.thread.archived)
      .filter((thread) => may(state, self.user, Permission.ViewChannel, thread))
      .map((channel) => renderChannel(state, channel)),
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** The members asked for, in one piece: https://docs.discord.com/developers/events/gateway-events#guild-members-chunk */
export function renderMembers(state: DiscordState, request: MembersRequest): object {
  const wanted = request.user_ids === undefined ? undefined : new Set([request.user_ids].flat());
  const isWanted = (user: User | undefined): user is User => {
    if (!user) return false;
    if (wanted) return wanted.has(user.id);
    return user.username.startsWith((request.query ?? '').toLowerCase());
  };
  const { guild_id: guild } = request;
  const members = membersOf(state, guild)
    .filter(({ user }) => isWanted(state.documents.users.get(user)))
    .slice(0, request.limit || undefined);
  return {
    guild_id: guild,
    members: members.map((member) => renderMemberWithUser(state, member)),
    chunk_index: 0,
    chunk_count: 1,
    not_found: [...(wanted ?? [])].filter((id) => !memberOf(state, guild, id)),
    nonce: request.nonce,
  };
}
