import {
  type APIGuild,
  type APIGuildMember,
  type APIInteractionGuildMember,
  type BaseInteraction,
  GuildMember,
  GuildMemberFlags,
  Locale,
  type Message,
  PermissionFlagsBits,
  PermissionsBitField,
} from 'discord.js';
import { toPlatformError } from './errors.ts';
import type { Locales } from './locales.ts';
import { isPassingRefusal } from '../conversation/errors.ts';
import type { Author, Standing } from '../conversation/platform.ts';
import { recognizeLanguage } from '../texts/texts.ts';

/**
 * The author of a message: a manager if they may manage its server. A message does not contain its
 * author's language, so that of their last interaction is used. Else it is the server's or, where
 * nobody has chosen one, that of what they wrote: `said`.
 */
export async function toAuthor(
  { author, member, guildId }: Pick<Message, 'author' | 'member' | 'guildId'>,
  locales: Pick<Locales, 'of'> | undefined,
  said = '',
): Promise<Author> {
  const mayManage = member?.permissions.has(PermissionFlagsBits.ManageGuild) ?? false;
  return {
    id: author.id,
    name: member?.displayName ?? author.displayName,
    locale: (await locales?.of(author.id)) ?? guessLocale(member?.guild.preferredLocale, said),
    ...standingOf(member, guildId, mayManage),
  };
}

/** A server has Discord's `en-US` until somebody chooses another language; direct messages have none. */
function guessLocale(server: Locale | undefined, said: string): string | undefined {
  if (server !== undefined && server !== Locale.EnglishUS) return server;
  return recognizeLanguage(said) ?? server;
}

/**
 * Looks up what the author of a message is in its server. The gateway sends that with a message,
 * Discord's REST API does not.
 */
export async function learnMember({ author, guild, member }: Message): Promise<void> {
  if (!guild || member || author.bot) return;
  try {
    await guild.members.fetch(author.id);
  } catch (error) {
    // Nothing is known of a person who is not in the server, or about whom Discord refuses to tell.
    if (isPassingRefusal(toPlatformError(error))) throw error;
  }
}

/** The person who used a command or pressed a button. */
export function toRequester(interaction: BaseInteraction): Author {
  const { user, member, memberPermissions, guildId, locale } = interaction;
  const mayManage = memberPermissions?.has(PermissionFlagsBits.ManageGuild) ?? false;
  return {
    id: user.id,
    name: member instanceof GuildMember ? member.displayName : user.displayName,
    locale,
    ...standingOf(member, guildId, mayManage),
  };
}

/** What a member is in their server. */
export function toStanding(member: GuildMember): Standing {
  const mayManage = member.permissions.has(PermissionFlagsBits.ManageGuild);
  return standingOf(member, member.guild.id, mayManage);
}

/**
 * What a member is in a server, of which another process has the shard:
 * docs.discord.com/developers/topics/permissions#permission-hierarchy.
 */
export function standingIn(server: APIGuild, member: APIGuildMember): Standing {
  const held = new Set([server.id, ...member.roles]);
  const granted = server.roles.filter(({ id }) => held.has(id));
  const permissions = new PermissionsBitField(granted.map((role) => BigInt(role.permissions)));
  const isOwner = member.user.id === server.owner_id;
  return standingOf(member, server.id, isOwner || permissions.has(PermissionFlagsBits.ManageGuild));
}

/** A member of a server that the library does not have is as Discord sent it. */
type Member = GuildMember | Pick<APIInteractionGuildMember, 'roles' | 'flags'> | null;

/** What a person is in a server; direct messages have no outsiders. */
function standingOf(member: Member, server: string | null, mayManage: boolean): Standing {
  const outsider = server === null ? undefined : outsiderOf(member);
  const groups = groupsOf(member);
  return {
    isManager: mayManage && !outsider,
    ...(outsider && { outsider }),
    ...(groups.length > 0 && { groups }),
  };
}

/** docs.discord.com/developers/resources/guild#guild-member-object-guild-member-flags */
function outsiderOf(member: Member): Author['outsider'] {
  if (!member) return 'unknown';
  const flags = typeof member.flags === 'number' ? member.flags : member.flags.bitfield;
  return (flags & GuildMemberFlags.IsGuest) === 0 ? undefined : 'guest';
}

/** The roles that a member has, without @everyone, whose id is the server's. */
function groupsOf(member: Member): readonly string[] {
  if (!(member instanceof GuildMember)) return member?.roles ?? [];
  return [...member.roles.cache.keys()].filter((id) => id !== member.guild.id);
}
