import { renderWholeGuild } from './gateway/greeting.ts';
import { Intent } from './gateway/intents.ts';
import { ChannelType, type Guild } from './documents.ts';
import { everyonePermissions } from './seed.ts';
import type { DiscordState } from './state.ts';

/** Adds another server, with a channel #general and these users in it, the first one its owner. */
export function addGuild(
  state: DiscordState,
  { name, members }: { name: string; members: readonly [string, ...string[]] },
): Guild {
  const { documents, nextId, self, now } = state;
  const [owner] = members;
  const guild = { id: nextId(), name, owner };
  documents.guilds.put(guild);
  const role = { guild: guild.id, permissions: everyonePermissions.toString() };
  documents.roles.put({ ...role, id: guild.id, name: '@everyone', position: 0, managed: false });
  const own = { ...role, id: nextId(), name: 'Causeway', position: 1, managed: true };
  documents.roles.put(own);
  for (const user of members) {
    documents.members.put({ user, guild: guild.id, roles: [], joinedAt: now() });
  }
  documents.members.put({ user: self.user, guild: guild.id, roles: [own.id], joinedAt: now() });
  documents.channels.put({
    id: nextId(),
    type: ChannelType.Text,
    name: 'general',
    guild: guild.id,
    position: 0,
    overwrites: [],
  });
  const data = renderWholeGuild(state, guild, Intent.Guilds);
  state.dispatch({ name: 'GUILD_CREATE', data, intent: Intent.Guilds });
  return guild;
}

/** Takes the bot out of a server, and tells it. */
export function leaveGuild({ documents, guild: first, self, dispatch }: DiscordState, id: string) {
  documents.members.delete(id === first ? self.user : `${id}:${self.user}`);
  dispatch({ name: 'GUILD_DELETE', data: { id }, intent: Intent.Guilds });
}
