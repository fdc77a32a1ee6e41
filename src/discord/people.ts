import {
  type APIInteractionGuildMember,
  type BaseInteraction,
  type GuildMember,
  PermissionFlagsBits,
  type User,
} from 'discord.js';
import type { Author } from '../conversation/ports.ts';

/**
 * Who wrote a message: a manager is who may manage the server it stands in. A message says nothing
 * of its author's language, so that of the server stands for it.
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

/** Who used a command or pressed a button. */
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

/** The roles that a member has been given; the one with the server's id is everyone's. */
function groupsOf(member: GuildMember | APIInteractionGuildMember | null): Pick<Author, 'groups'> {
  if (!member) return {};
  const groups =
    'guild' in member
      ? [...member.roles.cache.keys()].filter((id) => id !== member.guild.id)
      : member.roles;
  return groups.length > 0 ? { groups } : {};
}
