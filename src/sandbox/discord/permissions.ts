import { type Channel, ChannelType, type Member, type Role } from './documents.ts';
import { refusal } from './refusals.ts';
import type { DiscordState } from './state.ts';

/** A user as the member of a server; undefined if they are none. */
export function memberOf(
  { documents, guild: first }: DiscordState,
  guild: string | undefined,
  user: string,
): Member | undefined {
  if (guild === undefined) return undefined;
  return documents.members.get(guild === first ? user : `${guild}:${user}`);
}

/** The members of a server. */
export function membersOf({ documents, guild: first }: DiscordState, guild: string): Member[] {
  return documents.members.list().filter((member) => (member.guild ?? first) === guild);
}

/** The roles of a server. */
export function rolesOf({ documents, guild: first }: DiscordState, guild: string): Role[] {
  return documents.roles.list().filter((role) => (role.guild ?? first) === guild);
}

/**
 * The permissions that the sandbox enforces: https://docs.discord.com/developers/topics/permissions
 */
export const Permission = {
  Administrator: 1n << 3n,
  ManageChannels: 1n << 4n,
  ManageGuild: 1n << 5n,
  AddReactions: 1n << 6n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  MentionEveryone: 1n << 17n,
  Connect: 1n << 20n,
  UseApplicationCommands: 1n << 31n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  CreatePrivateThreads: 1n << 36n,
  SendMessagesInThreads: 1n << 38n,
} as const;

const allPermissions = Object.values(Permission).reduce((all, one) => all | one);

/**
 * A user's permissions in a channel or, without one, in a server, by default the first. A thread inherits those of its
 * channel; in a direct channel, both sides have all.
 * https://docs.discord.com/developers/topics/permissions#permission-overwrites
 */
export function permissionsOf(
  state: DiscordState,
  user: string,
  channel?: Channel,
  inGuild = state.guild,
): bigint {
  if (channel?.type === ChannelType.Direct)
    return isInDirect(state, user, channel) ? allPermissions : 0n;
  const guild = channel?.guild ?? inGuild;
  const member = memberOf(state, guild, user);
  if (!member) return 0n;
  if (state.documents.guilds.get(guild)?.owner === user) return allPermissions;

  const roles = new Set([guild, ...member.roles]);
  let granted = 0n;
  for (const role of roles) granted |= BigInt(state.documents.roles.get(role)?.permissions ?? 0);
  if (granted & Permission.Administrator) return allPermissions;
  if (!channel) return granted;

  const own = channel.parent ? state.documents.channels.get(channel.parent) : channel;
  const overwrites = own?.overwrites ?? [];
  const groups = [
    overwrites.filter(({ id }) => id === guild),
    overwrites.filter(({ id, type }) => type === 0 && id !== guild && roles.has(id)),
    overwrites.filter(({ id, type }) => type === 1 && id === user),
  ];
  for (const group of groups) {
    for (const { deny } of group) granted &= ~BigInt(deny);
    for (const { allow } of group) granted |= BigInt(allow);
  }
  if (!mayEnter(user, channel, granted)) return 0n;
  return granted & Permission.ViewChannel ? granted : 0n;
}

/** Whether a user has a permission in a channel. */
export function may(
  state: DiscordState,
  user: string,
  permission: bigint,
  channel?: Channel,
): boolean {
  return (permissionsOf(state, user, channel) & permission) === permission;
}

/**
 * @throws {DiscordRefusal} 50001 when the user does not see the channel, 50013 when the permission
 * is missing
 */
export function requirePermission(
  state: DiscordState,
  user: string,
  channel: Channel,
  permission: bigint = Permission.ViewChannel,
): void {
  const granted = permissionsOf(state, user, channel);
  if (!(granted & Permission.ViewChannel)) throw refusal(50001);
  if ((granted & permission) !== permission) throw refusal(50013);
}

/** Whether a channel is a thread that a moderator has locked: only moderators write in it. */
export function isLockedFor(state: DiscordState, user: string, channel: Channel): boolean {
  return channel.thread?.locked === true && !may(state, user, Permission.ManageThreads, channel);
}

/**
 * @throws {DiscordRefusal} 50083 when a thread is archived, and the user may not open it
 */
export function requireOpenable(state: DiscordState, user: string, channel: Channel): void {
  if (channel.thread?.archived && isLockedFor(state, user, channel)) throw refusal(50083);
}

/** The permission needed to post in a channel: threads have their own. */
export function sendPermission(channel: Channel): bigint {
  return channel.thread ? Permission.SendMessagesInThreads : Permission.SendMessages;
}

function isInDirect(state: DiscordState, user: string, channel: Channel): boolean {
  return user === channel.recipient || user === state.self.user;
}

function mayEnter(user: string, channel: Channel, granted: bigint): boolean {
  if (channel.type !== ChannelType.PrivateThread) return true;
  const isMember = channel.thread?.members.includes(user) ?? false;
  return isMember || (granted & Permission.ManageThreads) !== 0n;
}
