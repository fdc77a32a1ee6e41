import {
  type APIGuildChannel,
  type APIGuildMember,
  ChannelType,
  PermissionFlagsBits,
  PermissionsBitField,
} from 'discord.js';
import type { Problem } from '../../shared/problems/problem.ts';
import type { Shards } from './shards.ts';

/** The names of permissions in Discord's settings. */
const names = {
  ViewChannel: 'View Channel',
  SendMessages: 'Send Messages',
  SendMessagesInThreads: 'Send Messages in Threads',
  AttachFiles: 'Attach Files',
  CreatePublicThreads: 'Create Public Threads',
  EmbedLinks: 'Embed Links',
  ReadMessageHistory: 'Read Message History',
  ManageThreads: 'Manage Threads',
} as const;

export type Permission = keyof typeof names;

/** Without Manage Threads, only marking posts as solved fails. */
const needed = (Object.keys(names) as Permission[]).filter((name) => name !== 'ManageThreads');

/** The address at which people add the bot to a server, with the permissions that it needs. */
export function inviteUrl(applicationId: string): string {
  const permissions = needed.reduce((sum, name) => sum | PermissionFlagsBits[name], 0n);
  const query = `client_id=${applicationId}&scope=bot+applications.commands&permissions=${permissions}`;
  return `https://discord.com/oauth2/authorize?${query}`;
}

/** The names of the permissions that the bot needs and these bits, as Discord sends them, lack. */
export function missingPermissions(bits: string): string[] {
  const granted = new PermissionsBitField(BigInt(bits));
  return needed
    .filter((name) => !granted.has(PermissionFlagsBits[name]))
    .map((name) => names[name]);
}

/** Channels, as Discord's REST API sends them, in which people write and threads are opened. */
export type WrittenChannel = Pick<
  APIGuildChannel,
  'id' | 'name' | 'type' | 'permission_overwrites'
>;

/**
 * The names of the permissions that the bot lacks in a channel; undefined where it can't see it.
 * docs.discord.com/developers/topics/permissions, "Permission Overwrites".
 * @param bits what its roles grant it in the server
 */
export function missingInChannel(
  bits: string,
  { permission_overwrites: all = [] }: WrittenChannel,
  { guild, member }: { guild: string; member: APIGuildMember },
): string[] | undefined {
  const granted = new PermissionsBitField(BigInt(bits));
  const { Administrator, ViewChannel } = PermissionFlagsBits;
  const groups = [
    all.filter(({ id }) => id === guild),
    all.filter(({ id }) => member.roles.includes(id)),
    all.filter(({ id }) => id === member.user.id),
  ];
  for (const group of granted.has(Administrator) ? [] : groups) {
    for (const { deny } of group) granted.remove(BigInt(deny));
    for (const { allow } of group) granted.add(BigInt(allow));
  }
  return granted.has(ViewChannel) ? missingPermissions(String(granted.bitfield)) : undefined;
}

/** What the bot is allowed to do in a channel. */
export interface Permissions {
  /** Whether the bot can open a thread on a message in the channel, and write in it. */
  canOpenThread(channel: string): boolean;
  /** Whether the bot can change the tags of posts in a forum. */
  canTag(channel: string): boolean;
  /**
   * Why the bot can't write in the channel or thread: names the missing permission. `more` is also
   * needed.
   */
  lacking(channel: string, ...more: Permission[]): Problem;
}

/** Answers from the gateway's data. */
export function createPermissions(shards: Pick<Shards, 'channel'>): Permissions {
  function missing(id: string, needed: readonly Permission[]): Permission[] {
    const channel = shards.channel(id);
    if (!channel || channel.isDMBased() || !channel.client.isReady()) return [];
    const granted = channel.permissionsFor(channel.client.user);
    if (!granted) return [];
    return needed.filter((permission) => !granted.has(PermissionFlagsBits[permission]));
  }

  return {
    canOpenThread(id) {
      const type = shards.channel(id)?.type;
      if (type !== ChannelType.GuildText && type !== ChannelType.GuildAnnouncement) return false;
      return missing(id, ['CreatePublicThreads', 'SendMessagesInThreads']).length === 0;
    },
    canTag: (id) => missing(id, ['ManageThreads']).length === 0,
    lacking(id, ...more) {
      const channel = shards.channel(id);
      const inThread = channel?.isThread() ?? false;
      const send = inThread ? 'SendMessagesInThreads' : 'SendMessages';
      const needed = ['ViewChannel', send, ...more] as const;
      const [lack] = missing(id, needed);
      // Threads inherit the permissions of their channel.
      const parent = channel?.isThread() ? channel.parent : channel;
      const where = {
        channel: parent && 'name' in parent && parent.name ? parent.name : undefined,
      };
      if (lack) {
        const params = { permission: names[lack], ...where };
        return { code: 'discord_permission_missing', params };
      }
      const permissions = needed.map((permission) => names[permission]);
      return { code: 'discord_permissions_needed', params: { permissions, ...where } };
    },
  };
}
