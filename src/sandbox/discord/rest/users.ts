import { z } from 'zod';
import { openDirectChannel } from '../channels.ts';
import type { Guild } from '../documents.ts';
import { leaveGuild } from '../guilds.ts';
import { memberOf } from '../members.ts';
import { permissionsOf } from '../permissions.ts';
import { refusal } from '../refusals.ts';
import { renderChannel, renderUser, renderUserById } from '../render.ts';
import type { DiscordState } from '../state.ts';
import { parseForm, snowflake } from '../validation.ts';
import type { Endpoint } from './endpoint.ts';

const guildsSchema = z.object({
  after: snowflake.optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(200)).default(200),
});

const directSchema = z.object({ recipient_id: snowflake });

/** https://docs.discord.com/developers/resources/user */
export function userEndpoints(state: DiscordState): Endpoint[] {
  const { documents, self } = state;

  /** https://docs.discord.com/developers/resources/user#get-current-user-guilds */
  const renderOwnGuild = ({ id, name, owner }: Guild) => ({
    id,
    name,
    icon: null,
    banner: null,
    owner: owner === self.user,
    permissions: permissionsOf(state, self.user, undefined, id).toString(),
    features: [],
  });

  return [
    {
      method: 'GET',
      path: '/users/@me/guilds',
      handle({ query }) {
        const { after, limit } = parseForm(guildsSchema, Object.fromEntries(query));
        const own = documents.guilds.list().filter(({ id }) => memberOf(state, id, self.user));
        const later = own.filter(({ id }) => !after || BigInt(id) > BigInt(after));
        return later.slice(0, limit).map(renderOwnGuild);
      },
    },
    {
      method: 'DELETE',
      path: '/users/@me/guilds/:guild',
      handle(call) {
        const id = call.param('guild');
        if (!memberOf(state, id, self.user)) throw refusal(10004);
        leaveGuild(state, id);
        return undefined;
      },
    },
    {
      method: 'GET',
      path: '/users/@me',
      handle: () => ({
        ...renderUserById(state, state.self.user),
        verified: true,
        email: null,
        mfa_enabled: false,
        locale: 'en-US',
      }),
    },
    {
      method: 'POST',
      path: '/users/@me/channels',
      handle({ body }) {
        const { recipient_id: recipient } = parseForm(directSchema, body);
        return renderChannel(state, openDirectChannel(state, recipient));
      },
    },
    {
      method: 'GET',
      path: '/users/:user',
      handle(call) {
        const user = state.documents.users.get(call.param('user'));
        if (!user) throw refusal(10013);
        return renderUser(user);
      },
    },
  ];
}
