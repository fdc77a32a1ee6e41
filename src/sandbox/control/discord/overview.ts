import type { ShownChannel } from '../../discord/changes.ts';
import type { DiscordServer } from '../../discord/discord-server.ts';
import { toMilliseconds, type User } from '../../discord/documents.ts';
import type { Directory } from '../platform-control.ts';
import type { ListedThread, Person, Place, PlatformOverview, Workspace } from '../shown.ts';
import { toCommands, toShortcuts } from './shown-commands.ts';

/** The people and channels of the server. */
export function createDirectory(discord: DiscordServer): Directory {
  return {
    people() {
      const people = discord.users().filter(({ bot }) => !bot);
      return people.map((user) => ({ ...toPerson(user), role: discord.managerRole(user.id) }));
    },
    channels: () => discord.channels().map((channel) => toPlace(channel, discord)),
    direct: (user) => toPlace(discord.directChannel(user), discord),
  };
}

/** The whole server: its people, channels, threads and commands. */
export function renderOverview(discord: DiscordServer, directory: Directory): PlatformOverview {
  const withLatest = <T extends { id: string }>(place: T) => {
    const said = Iterator.from(discord.newest(place.id));
    return { ...place, latest: said.find(({ ephemeralFor }) => !ephemeralFor)?.createdAt };
  };
  return {
    workspaces: toWorkspaces(discord),
    people: directory.people(),
    bot: toPerson(findBot(discord)),
    connections: discord.gateway.connections,
    channels: directory.channels().map(withLatest),
    threads: discord
      .channels()
      .flatMap(({ id }) => discord.threads(id))
      .flatMap((thread) => toThread(thread, discord) ?? [])
      .map(withLatest),
    commands: toCommands(discord),
    shortcuts: toShortcuts(discord),
  };
}

/** The servers that the bot is in. */
function toWorkspaces(discord: DiscordServer): Workspace[] {
  return discord.servers().map(({ id, name }) => ({ id, name }));
}

/** A channel; a direct channel shows the bot's name. */
export function toPlace(channel: ShownChannel, discord: DiscordServer): Place {
  const { id, name, guild, recipient, forum } = channel;
  const botAnswers = discord.botMayWrite(id);
  if (!recipient) return { id, name, workspace: guild, kind: 'channel', botAnswers, forum };
  const bot = findBot(discord).displayName;
  return { id, name: bot, kind: 'direct', people: [recipient], botAnswers };
}

/** A thread, or undefined for any other channel. */
export function toThread(channel: ShownChannel, discord: DiscordServer): ListedThread | undefined {
  const { id, parent, name, archived = false, owner, appliedTags } = channel;
  if (!parent) return undefined;
  const by = discord.users().find((user) => user.id === owner)?.displayName;
  const known = discord.channel(parent)?.forum?.tags ?? [];
  const tags = appliedTags?.flatMap((tag) => known.find((one) => one.id === tag)?.name ?? []);
  return { id, channel: parent, name, archived, at: toMilliseconds(id), by, tags };
}

function findBot(discord: DiscordServer): User {
  const bot = discord.users().find((user) => user.bot);
  if (!bot) throw new TypeError('The server has no bot.');
  return bot;
}

export function toPerson({ id, username, displayName, locale }: User): Person {
  return { id, name: username, displayName, locale };
}
