import {
  type APIGuild,
  type APIGuildMember,
  type Channel,
  ChannelType,
  type Guild,
  type GuildMember,
  type NonThreadGuildBasedChannel,
  PermissionFlagsBits,
  type Role,
  Routes,
} from 'discord.js';
import { isOutsideWorkspaces, type ThreadAddress } from '../conversation/address.ts';
import { isLostLease } from '../conversation/leases.ts';
import type { NamedWorkspace, Room, Rooms, Standing } from '../conversation/platform.ts';
import { createOnceAtATime } from '../../shared/primitives/cache.ts';
import { retry } from '../../shared/primitives/retry.ts';
import { toBatches } from '../../shared/primitives/iterables.ts';
import type { DiscordContext } from './context.ts';
import { discordErrorCode, ErrorCode, toPlatformError } from './errors.ts';
import { standingIn, toStanding } from './people.ts';

/** In servers beyond this number, nobody counts as a member. Those where a person was seen come first. */
const maxServers = 100;
const serversAtOnce = 5;

/** People wait for what they asked to see. */
const maxWaitMs = 2_000;
const maxTries = 5;

/** Discord's errors for people and channels that don't exist for the bot. */
const absent = new Set<unknown>([
  ErrorCode.UnknownChannel,
  ErrorCode.UnknownGuild,
  ErrorCode.UnknownMember,
  ErrorCode.UnknownMessage,
  ErrorCode.UnknownUser,
  ErrorCode.MissingAccess,
]);

/** A server, and what a person is in it. */
interface Membership extends NamedWorkspace {
  standing: Standing;
}

/**
 * Who reads a channel or thread. Asks Discord's REST API each time, because the gateway tells neither
 * who is a member nor who can view a channel that the bot can't.
 */
export function createRooms({ shards, rest, log, sleep }: DiscordContext): Rooms {
  /** A list of conversations asks for many threads of one channel at once. */
  const once = createOnceAtATime<Channel | null | undefined>();

  /** Undefined if the server has no such channel. */
  async function findChannel({
    workspace,
    channel: id,
  }: ThreadAddress): Promise<NonThreadGuildBasedChannel | undefined> {
    const found = await once(id, async () =>
      shards.clientOf(workspace)?.channels.fetch(id, { force: true }),
    );
    if (!found || found.isDMBased() || found.isThread()) return undefined;
    return found.guildId === workspace ? found : undefined;
  }

  /** Undefined if the channel has no such thread. */
  async function findThreadType(address: ThreadAddress): Promise<ChannelType | undefined> {
    const { workspace, channel, thread } = address;
    try {
      // A thread's type and channel never change.
      const found = await shards.clientOf(workspace)?.channels.fetch(thread);
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
    const channel = await findChannel(address);
    if (!channel) return undefined;
    if (thread !== id) {
      const type = await findThreadType(address);
      if (type === undefined) return undefined;
      if (type === ChannelType.PrivateThread) return { id: thread, isPublic: false };
    }
    return { id, isPublic: canRead(channel, channel.guild.roles.everyone) };
  }

  async function isIn(address: ThreadAddress, room: Room, person: string): Promise<boolean> {
    if (isOutsideWorkspaces(address)) return false;
    const channel = await findChannel(address);
    if (!channel || !canRead(channel, await fetchMember(channel.guild, person))) return false;
    if (room.id !== channel.id) await rest.get(Routes.threadMembers(room.id, person));
    return true;
  }

  /** Undefined if the person is not in the server, or the bot is not. */
  async function readMembership(id: string, person: string): Promise<Membership | undefined> {
    const guild = shards.guild(id);
    try {
      if (guild) {
        return { id, name: guild.name, standing: toStanding(await fetchMember(guild, person)) };
      }
      // Another process has the server's shard.
      const member = (await rest.get(Routes.guildMember(id, person))) as APIGuildMember;
      const server = (await rest.get(Routes.guild(id))) as APIGuild;
      return { id, name: server.name, standing: standingIn(server, member) };
    } catch (error) {
      if (absent.has(discordErrorCode(error))) return undefined;
      throw error;
    }
  }

  async function findShared(person: string, workspaces: readonly string[]) {
    const hasSeen = (id: string) => shards.guild(id)?.members.cache.has(person) === true;
    const likeliest = workspaces.toSorted((one, other) => +hasSeen(other) - +hasSeen(one));
    const found: (Membership | undefined)[] = [];
    for (const batch of toBatches(likeliest.slice(0, maxServers), serversAtOnce)) {
      found.push(...(await Promise.all(batch.map((id) => readMembership(id, person)))));
    }
    return found.flatMap((each) =>
      each && !each.standing.outsider ? [{ id: each.id, name: each.name }] : [],
    );
  }

  /**
   * Asks Discord, waiting out a short rate limit. Resolves with `none` if it does not answer.
   * @throws {LostLeaseError} when another process is to ask
   */
  async function ask<Value, None>(read: () => Promise<Value>, none: None): Promise<Value | None> {
    const waitMs = (error: unknown, failures: number) => {
      const { kind, retryAfterMs = 0 } = toPlatformError(error);
      const isShort = kind === 'rate_limited' && retryAfterMs <= maxWaitMs;
      return isShort && failures < maxTries ? retryAfterMs : undefined;
    };
    try {
      return await retry(read, { waitMs, sleep });
    } catch (error) {
      if (isLostLease(error)) throw error;
      const level = absent.has(discordErrorCode(error)) ? 'debug' : 'warn';
      log[level]({ err: toPlatformError(error) }, 'Discord did not tell who can read a channel');
      return none;
    }
  }

  return {
    of: (address) => ask(() => findRoom(address), undefined),
    has: (address, room, person) => ask(() => isIn(address, room, person), false),
    sharedWith: (person, workspaces) => ask(() => findShared(person, workspaces), undefined),
    standing: async (workspace, person) =>
      (await ask(() => readMembership(workspace, person), undefined))?.standing,
  };
}

/** Fetched, because the library's own data is old without the intent for members. */
function fetchMember(guild: Guild, user: string): Promise<GuildMember> {
  return guild.members.fetch({ user, force: true });
}

/**
 * Whether a member, or everyone with a role, sees a channel's messages and its history. A voice channel
 * also requires the permission to connect: docs.discord.com/developers/topics/permissions.
 */
function canRead(channel: NonThreadGuildBasedChannel, who: GuildMember | Role): boolean {
  const { ViewChannel, ReadMessageHistory, Connect } = PermissionFlagsBits;
  const needed = [ViewChannel, ReadMessageHistory, ...(channel.isVoiceBased() ? [Connect] : [])];
  return channel.permissionsFor(who).has(needed);
}
