import {
  type APIInteractionGuildMember,
  type BaseInteraction,
  type GuildMember,
  PermissionFlagsBits,
  type User,
} from 'discord.js';
import type { Author } from '../conversation/ports.ts';

/**
 * The author of a message: a manager if they may manage its server. A message does not contain its
 * author's language, so the server's is used.
 */
export function toAuthor(user: User, member: GuildMember | null): Author {
  return {
    id: user.id,
    name: member?.displayName ?? user.displayName,
    isManager: member?.permissions.has(PermissionFlagsBits.ManageGuild) ?? false,
    locale: member?.guild.preferredLocale,
    ...groupsOf(member),
  };
}

/** The person who used a command or pressed a button. */
export function toRequester(interaction: BaseInteraction): Author {
  const { user, member, memberPermissions, locale } = interaction;
  return {
    id: user.id,
    name: member && 'displayName' in member ? member.displayName : user.displayName,
    isManager: memberPermissions?.has(PermissionFlagsBits.ManageGuild) ?? false,
    locale,
    ...groupsOf(member),
  };
}

/** The roles that a member has, without @everyone, whose id is the server's. */
function groupsOf(member: GuildMember | APIInteractionGuildMember | null): Pick<Author, 'groups'> {
  if (!member) return {};
  const groups =
    'guild' in member
      ? [...member.roles.cache.keys()].filter((id) => id !== member.guild.id)
      : member.roles;
  return groups.length > 0 ? { groups } : {};
}
