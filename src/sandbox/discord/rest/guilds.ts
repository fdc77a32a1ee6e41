import type { Channel, Guild } from '../documents.ts';
import { memberOf, rolesOf } from '../members.ts';
import { may, Permission } from '../permissions.ts';
import { refusal } from '../refusals.ts';
import {
  renderChannel,
  renderGuild,
  renderMemberWithUser,
  renderRole,
  renderThreadMember,
} from '../render.ts';
import type { DiscordState } from '../state.ts';
import type { Call, Endpoint } from './endpoint.ts';

/** https://docs.discord.com/developers/resources/guild */
export function guildEndpoints(state: DiscordState): Endpoint[] {
  const { documents, self } = state;

  function findGuild(call: Call): Guild {
    const guild = documents.guilds.get(call.param('guild'));
    if (!guild || !memberOf(state, guild.id, self.user)) throw refusal(10004);
    return guild;
  }

  /** The channels that the bot can see. */
  function visibleChannels({ id }: Guild): Channel[] {
    return documents.channels
      .list()
      .filter(
        (channel) => channel.guild === id && may(state, self.user, Permission.ViewChannel, channel),
      );
  }

  return [
    {
      method: 'GET',
      path: '/guilds/:guild',
      handle: (call) => renderGuild(state, findGuild(call)),
    },
    {
      method: 'GET',
      path: '/guilds/:guild/channels',
      handle(call) {
        const { id } = findGuild(call);
        return documents.channels
          .list()
          .filter(({ guild, thread }) => guild === id && !thread)
          .map((channel) => renderChannel(state, channel));
      },
    },
    {
      method: 'GET',
      path: '/guilds/:guild/members/:user',
      handle(call) {
        const member = memberOf(state, findGuild(call).id, call.param('user'));
        if (!member) throw refusal(10007);
        return renderMemberWithUser(state, member);
      },
    },
    {
      method: 'GET',
      path: '/guilds/:guild/roles',
      handle(call) {
        return rolesOf(state, findGuild(call).id).map((role) => renderRole(role, self.user));
      },
    },
    {
      method: 'GET',
      path: '/guilds/:guild/threads/active',
      handle(call) {
        const active = visibleChannels(findGuild(call)).filter(
          ({ thread }) => thread && !thread.archived,
        );
        const joined = active.filter(({ thread }) => thread?.members.includes(self.user));
        return {
          threads: active.map((thread) => renderChannel(state, thread)),
          members: joined.map(({ id }) => renderThreadMember(id, self.user)),
          has_more: false,
        };
      },
    },
  ];
}
