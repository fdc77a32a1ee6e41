import type { Commands } from '../application-commands/commands.ts';
import { applicationFlags } from '../gateway/greeting.ts';
import { refusal } from '../refusals.ts';
import { renderUserById } from '../render.ts';
import type { DiscordState } from '../state.ts';
import type { Call, Endpoint } from './endpoint.ts';

/** The bot's application and its commands. */
export function applicationEndpoints(state: DiscordState, commands: Commands): Endpoint[] {
  const { self } = state;

  const renderApplication = () => ({
    id: self.application,
    name: 'Causeway',
    icon: null,
    description: '',
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    flags: applicationFlags,
    approximate_guild_count: 1,
    team: null,
    owner: renderUserById(state, state.documents.guilds.get(state.guild)?.owner ?? ''),
    bot: renderUserById(state, self.user),
  });

  function checkApplication(call: Call): void {
    if (call.param('application') !== self.application) throw refusal(10002);
  }

  function guildOfCall(call: Call): string {
    checkApplication(call);
    if (call.param('guild') !== state.guild) throw refusal(50001);
    return state.guild;
  }

  return [
    { method: 'GET', path: '/oauth2/applications/@me', handle: renderApplication },
    { method: 'GET', path: '/applications/@me', handle: renderApplication },
    {
      method: 'GET',
      path: '/applications/:application/commands',
      handle(call) {
        checkApplication(call);
        return commands.list();
      },
    },
    {
      method: 'PUT',
      path: '/applications/:application/commands',
      handle(call) {
        checkApplication(call);
        return commands.replace(call.body);
      },
    },
    {
      method: 'GET',
      path: '/applications/:application/guilds/:guild/commands',
      handle: (call) => commands.list(guildOfCall(call)),
    },
    {
      method: 'PUT',
      path: '/applications/:application/guilds/:guild/commands',
      handle: (call) => commands.replace(call.body, guildOfCall(call)),
    },
  ];
}
