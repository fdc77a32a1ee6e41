import {
  type Channel,
  ChannelType,
  type Client,
  type Guild,
  type GuildMember,
  type NonThreadGuildBasedChannel,
  PermissionFlagsBits,
  type REST,
  type Role,
  Routes,
} from 'discord.js';
import { isOutsideWorkspaces } from '../conversation/address.ts';
import type { Log, Room, Rooms, ThreadAddress } from '../conversation/ports.ts';
import { createOnceAtATime } from '../primitives/cache.ts';
import { toBatches } from '../primitives/batches.ts';
import { discordErrorCode, ErrorCode, toPlatformError } from './errors.ts';

/** Of further servers, nobody is a member. */
const maxServers = 100;
const serversAtOnce = 5;

/** Discord's answers about who and what is not there for the bot. */
const absent = new Set<unknown>([
  ErrorCode.UnknownChannel,
  ErrorCode.UnknownMember,
  ErrorCode.UnknownMessage,
  ErrorCode.UnknownUser,
  ErrorCode.MissingAccess,
]);

/**
 * Who reads a channel or thread, asked of Discord's REST API each time: the gateway tells neither who
 * is a member nor, of a channel that the bot can't view, who can.
 */
export function createRooms(options: {
  client: () => Client<true> | undefined;
  rest: REST;
  log: Log;
}): Rooms {
  const { client, rest, log } = options;
  /** A list of conversations asks for many threads of one channel at once. */
  const once = createOnceAtATime<Channel | null | undefined>();

  /** Undefined if there is no such channel in the server. */
  async function findChannel({
    workspace,
    channel: id,
  }: ThreadAddress): Promise<NonThreadGuildBasedChannel | undefined> {
    const found = await once(id, async () => client()?.channels.fetch(id, { force: true }));
    if (!found || found.isDMBased() || found.isThread()) return undefined;
    return found.guildId === workspace ? found : undefined;
  }

  /** Undefined if there is no such thread in the channel. */
  async function findThreadType(address: ThreadAddress): Promise<ChannelType | undefined> {
    const { workspace, channel, thread } = address;
    try {
      // Neither a thread's type nor its channel ever changes.
      const found = await client()?.channels.fetch(thread);
      const isThere =
        found?.isThread() && found.guildId === workspace && found.parentId === channel;
      return isThere ? found.type : undefined;
    } catch (error) {
      if (discordErrorCode(error) !== ErrorCode.UnknownChannel) throw error;
      // The thread of a message has its id: this one never opened, or was deleted.
      await rest.get(Routes.channelMessage(channel, thread));
      return ChannelType.PublicThread;
    }
  }

  async function findRoom(address: ThreadAddress): Promise<Room | undefined> {
    const { channel: id, thread } = address;
    if (isOutsideWorkspaces(address)) return { id, isPublic: false, isDirect: true };
    if (thread !== id) {
      const type = await findThreadType(address);
      if (type === undefined) return undefined;
      if (type === ChannelType.PrivateThread) return { id: thread, isPublic: false };
    }
    const channel = await findChannel(address);
    return channel && { id, isPublic: canRead(channel, channel.guild.roles.everyone) };
  }

  async function isIn(address: ThreadAddress, room: Room, person: string): Promise<boolean> {
    if (isOutsideWorkspaces(address)) return false;
    const channel = await findChannel(address);
    if (!channel || !canRead(channel, await fetchMember(channel.guild, person))) return false;
    if (room.id !== channel.id) await rest.get(Routes.threadMembers(room.id, person));
    return true;
  }

  /** The result of asking Discord, or this one if it does not tell. */
  async function ask<Value, None>(asking: Promise<Value>, none: None): Promise<Value | None> {
    try {
      return await asking;
    } catch (error) {
      const level = absent.has(discordErrorCode(error)) ? 'debug' : 'warn';
      log[level]({ err: toPlatformError(error) }, 'Discord did not tell who reads a place');
      return none;
    }
  }

  return {
    of: (address) => ask(findRoom(address), undefined),
    has: (address, room, person) => ask(isIn(address, room, person), false),
    async sharedWith(person, workspaces) {
      const known = workspaces.flatMap((id) => client()?.guilds.cache.get(id) ?? []);
      const shared: Guild[] = [];
      for (const batch of toBatches(known.slice(0, maxServers), serversAtOnce)) {
        const members = batch.map((guild) => ask(fetchMember(guild, person), undefined));
        const found = await Promise.all(members);
        shared.push(...batch.filter((_, index) => found[index]));
      }
      return shared.map(({ id, name }) => ({ id, name }));
    },
  };
}

/** Without the intent for members, what the library knows of one may be old. */
function fetchMember(guild: Guild, user: string): Promise<GuildMember> {
  return guild.members.fetch({ user, force: true });
}

/**
 * Whether a member, or everyone with a role, sees a channel's messages and those before; a voice
 * channel's also need the permission to connect: docs.discord.com/developers/topics/permissions.
 */
function canRead(channel: NonThreadGuildBasedChannel, who: GuildMember | Role): boolean {
  const { ViewChannel, ReadMessageHistory, Connect } = PermissionFlagsBits;
  const needed = [ViewChannel, ReadMessageHistory, ...(channel.isVoiceBased() ? [Connect] : [])];
  return channel.permissionsFor(who).has(needed);
}
