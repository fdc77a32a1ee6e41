import { randomBytes } from 'node:crypto';
import type { Records } from '../records.ts';
import { newDirectChannel } from './channels.ts';
import { ChannelType, type Documents, type Guild, newChannel, type User } from './documents.ts';
import { renderWholeGuild } from './gateway/greeting.ts';
import { Intent } from './gateway/session.ts';
import { memberOf, Permission, rolesOf } from './permissions.ts';
import { refusal } from './refusals.ts';
import type { DiscordState } from './state.ts';

/** Created once per database: the bot's ids and secrets. */
export interface Identity {
  guild: string;
  bot: string;
  token: string;
  /** The key that signs the URLs of attachments. */
  secret: string;
}

const recordKind = 'discord.identity';

const everyonePermissions = sum([
  Permission.ViewChannel,
  Permission.SendMessages,
  Permission.SendMessagesInThreads,
  Permission.CreatePublicThreads,
  Permission.EmbedLinks,
  Permission.AttachFiles,
  Permission.AddReactions,
  Permission.ReadMessageHistory,
  Permission.Connect,
  Permission.UseApplicationCommands,
]);
const writingPermissions = sum([
  Permission.SendMessages,
  Permission.SendMessagesInThreads,
  Permission.CreatePublicThreads,
]);

/** The server's identity; creates it and the server if the database has none. */
export function readIdentity(
  records: Records,
  documents: Documents,
  nextId: () => string,
  now: () => number,
): Identity {
  const known = records.get<Identity>(recordKind, 'server');
  if (known) return known;
  const identity = seedServer(documents, nextId, now());
  records.put(recordKind, 'server', identity);
  return identity;
}

function seedServer(documents: Documents, nextId: () => string, now: number): Identity {
  const guild = nextId();
  const createUser = (
    username: string,
    displayName: string,
    more: Pick<Partial<User>, 'bot' | 'locale'> = {},
  ): User => {
    const user = { id: nextId(), username, displayName, bot: false, ...more };
    documents.users.put(user);
    return user;
  };
  const createRole = (id: string, name: string, position: number, permissions: bigint) => {
    const managed = name === 'Causeway';
    documents.roles.put({ id, name, position, managed, permissions: permissions.toString() });
    return id;
  };
  const ada = createUser('ada', 'Ada');
  const grace = createUser('grace', 'Grace');
  const linus = createUser('linus', 'Linus');
  const konrad = createUser('konrad', 'Konrad', { locale: 'de' });
  const bot = createUser('causeway', 'Causeway', { bot: true });
  documents.guilds.put({ id: guild, name: 'Causeway Sandbox', owner: ada.id });

  createRole(guild, '@everyone', 0, everyonePermissions);
  const moderators = createRole(
    nextId(),
    'Moderators',
    2,
    everyonePermissions |
      sum([Permission.ManageGuild, Permission.ManageMessages, Permission.ManageThreads]),
  );
  const ownRole = createRole(
    nextId(),
    'Causeway',
    1,
    everyonePermissions | Permission.CreatePrivateThreads,
  );
  const roles = new Map([
    [grace.id, [moderators]],
    [bot.id, [ownRole]],
  ]);
  for (const { id } of [ada, grace, linus, konrad, bot]) {
    documents.members.put({ user: id, roles: roles.get(id) ?? [], joinedAt: now });
  }

  const channel = (name: string, position: number, topic: string) =>
    newChannel({ id: nextId(), type: ChannelType.Text, name, guild, topic, position });
  documents.channels.put(channel('general', 0, 'Mention the bot to ask it something'));
  documents.channels.put(channel('help', 1, 'Questions and answers'));
  documents.channels.put({
    ...channel('readonly', 2, 'Only moderators can post here, not the bot'),
    overwrites: [
      { id: guild, type: 0, allow: '0', deny: writingPermissions.toString() },
      { id: moderators, type: 0, allow: writingPermissions.toString(), deny: '0' },
    ],
  });
  documents.channels.put({
    ...channel('questions', 3, 'Each question is a post'),
    type: ChannelType.Forum,
    // The bot may mark posts as solved.
    overwrites: [{ id: ownRole, type: 0, allow: Permission.ManageThreads.toString(), deny: '0' }],
    tags: [
      { id: nextId(), name: 'Café', moderated: false },
      { id: nextId(), name: 'Events', moderated: false },
      { id: nextId(), name: 'Solved', moderated: true },
    ],
  });
  for (const user of [ada, grace, linus, konrad]) {
    documents.channels.put(newDirectChannel(nextId(), user));
  }

  return {
    guild,
    bot: bot.id,
    token: createToken(bot.id),
    secret: randomBytes(32).toString('hex'),
  };
}

/** A token in Discord's format: the bot's id, the time, and a secret. */
function createToken(bot: string): string {
  const parts = [Buffer.from(bot), randomBytes(4), randomBytes(27)];
  return parts.map((part) => part.toString('base64url')).join('.');
}

function sum(permissions: bigint[]): bigint {
  return permissions.reduce((all, one) => all | one, 0n);
}

/** Adds another server, with a channel #general and these users in it, the first one its owner. */
export function addGuild(
  state: DiscordState,
  { name, members }: { name: string; members: readonly [string, ...string[]] },
): Guild {
  const { documents, nextId, now } = state;
  const [owner] = members;
  const guild = { id: nextId(), name, owner };
  documents.guilds.put(guild);
  const role = { guild: guild.id, permissions: everyonePermissions.toString() };
  documents.roles.put({ ...role, id: guild.id, name: '@everyone', position: 0, managed: false });
  documents.roles.put({ ...role, id: nextId(), name: 'Causeway', position: 1, managed: true });
  for (const user of members) {
    documents.members.put({ user, guild: guild.id, roles: [], joinedAt: now() });
  }
  documents.channels.put(
    newChannel({ id: nextId(), type: ChannelType.Text, name: 'general', guild: guild.id }),
  );
  joinGuild(state, guild.id);
  return guild;
}

/**
 * Adds the bot to a server, and tells it.
 * @throws {DiscordRefusal} 10004 when there is no such server
 */
export function joinGuild(state: DiscordState, id: string): void {
  const { documents, self, now, guild: first } = state;
  const guild = documents.guilds.get(id);
  if (!guild) throw refusal(10004);
  if (memberOf(state, id, self.user)) return;
  const roles = rolesOf(state, id).filter(({ managed }) => managed);
  documents.members.put({
    user: self.user,
    ...(id !== first && { guild: id }),
    roles: roles.map((role) => role.id),
    joinedAt: now(),
  });
  const data = renderWholeGuild(state, guild, Intent.Guilds);
  state.dispatch({ name: 'GUILD_CREATE', data, intent: Intent.Guilds });
  state.changes.announce({ kind: 'guilds' });
}

/**
 * Removes the bot from a server, and tells it.
 * @throws {DiscordRefusal} 10004 when it is not there
 */
export function leaveGuild(state: DiscordState, id: string): void {
  const { documents, guild: first, self } = state;
  if (!memberOf(state, id, self.user)) throw refusal(10004);
  documents.members.delete(id === first ? self.user : `${id}:${self.user}`);
  state.dispatch({ name: 'GUILD_DELETE', data: { id }, intent: Intent.Guilds });
  state.changes.announce({ kind: 'guilds' });
}
