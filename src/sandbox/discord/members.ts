import type { Member, Role } from './documents.ts';
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
