import type { Commands } from '../application-commands/commands.ts';
import { renderApplication } from '../application.ts';
import { memberOf } from '../members.ts';
import { refusal } from '../refusals.ts';
import type { DiscordState } from '../state.ts';
import type { Call, Endpoint } from './endpoint.ts';

/** The bot's application and its commands. */
export function applicationEndpoints(state: DiscordState, commands: Commands): Endpoint[] {
  const { self } = state;

  function checkApplication(call: Call): void {
    if (call.param('application') !== self.application) throw refusal(10002);
  }

  function guildOfCall(call: Call): string {
    checkApplication(call);
    const guild = call.param('guild');
    if (!memberOf(state, guild, self.user)) throw refusal(50001);
    return guild;
  }

  return [
    {
      method: 'GET',
      path: '/oauth2/applications/@me',
      handle: () => renderApplication(state),
    },
    { method: 'GET', path: '/applications/@me', handle: () => renderApplication(state) },
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
