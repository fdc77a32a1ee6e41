import { z } from 'zod';
import type { CommandRegistry } from '../application-commands/command-registry.ts';
import { openDirectChannel } from '../channels.ts';
import type { Guild } from '../documents.ts';
import { guildsOf } from '../gateway/greeting.ts';
import { leaveGuild } from '../guilds.ts';
import { memberOf, permissionsOf } from '../permissions.ts';
import { refusal } from '../refusals.ts';
import { applicationFlags, renderChannel, renderUser, renderUserById } from '../render.ts';
import type { DiscordState } from '../state.ts';
import { parseForm, snowflake } from '../validation.ts';
import type { Call, Endpoints } from './endpoint.ts';

const guildsSchema = z.object({
  after: snowflake.optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(200)).default(200),
});

const directSchema = z.object({ recipient_id: snowflake });

/**
 * What a bot asks about itself: the gateway's URL, its application, commands and user.
 * https://docs.discord.com/developers/resources/application
 * https://docs.discord.com/developers/resources/user
 */
export function botEndpoints(
  state: DiscordState,
  commands: CommandRegistry,
  gateway: () => { url: string },
): Endpoints {
  const { documents, self } = state;

  function checkApplication(call: Call): void {
    if (call.param('application') !== self.application) throw refusal(10002);
  }

  function guildOfCall(call: Call): string {
    checkApplication(call);
    const guild = call.param('guild');
    if (!memberOf(state, guild, self.user)) throw refusal(50001);
    return guild;
  }

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

  return {
    'GET /gateway': () => ({ url: gateway().url }),
    'GET /gateway/bot': gateway,
    'GET /oauth2/applications/@me': () => renderApplication(state),
    'GET /applications/@me': () => renderApplication(state),
    'GET /applications/:application/commands': (call) => {
      checkApplication(call);
      return commands.list();
    },
    'PUT /applications/:application/commands': (call) => {
      checkApplication(call);
      return commands.replace(call.body);
    },
    'GET /applications/:application/guilds/:guild/commands': (call) =>
      commands.list(guildOfCall(call)),
    'PUT /applications/:application/guilds/:guild/commands': (call) =>
      commands.replace(call.body, guildOfCall(call)),
    'GET /users/@me/guilds': ({ query }) => {
      const { after, limit } = parseForm(guildsSchema, Object.fromEntries(query));
      const later = guildsOf(state).filter(({ id }) => !after || BigInt(id) > BigInt(after));
      return later.slice(0, limit).map(renderOwnGuild);
    },
    'DELETE /users/@me/guilds/:guild': (call) => leaveGuild(state, call.param('guild')),
    'GET /users/@me': () => ({
      ...renderUserById(state, self.user),
      verified: true,
      email: null,
      mfa_enabled: false,
      locale: 'en-US',
    }),
    'POST /users/@me/channels': ({ body }) => {
      const { recipient_id: recipient } = parseForm(directSchema, body);
      return renderChannel(state, openDirectChannel(state, recipient));
    },
    'GET /users/:user': (call) => {
      const user = documents.users.get(call.param('user'));
      if (!user) throw refusal(10013);
      return renderUser(user);
    },
  };
}

/** https://docs.discord.com/developers/resources/application#application-object */
function renderApplication(state: DiscordState): object {
  const { documents, self, settings } = state;
  const flags = applicationFlags(settings);
  return {
    id: self.application,
    name: 'Causeway',
    icon: null,
    description: '',
    type: null,
    bot: renderUserById(state, self.user),
    bot_public: settings.isPublic,
    bot_require_code_grant: settings.needsCodeGrant,
    verify_key: '0'.repeat(64),
    flags,
    flags_new: String(flags),
    redirect_uris: [],
    interactions_endpoint_url: settings.interactionsUrl,
    role_connections_verification_url: null,
    owner: renderUserById(state, documents.guilds.get(state.guild)?.owner ?? ''),
    approximate_guild_count: guildsOf(state).length,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    team: null,
    eligible_oauth2_scopes: [],
  };
}
