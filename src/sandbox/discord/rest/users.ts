import { z } from 'zod';
import { openDirectChannel } from '../channels.ts';
import { refusal } from '../refusals.ts';
import { renderChannel, renderUser, renderUserById } from '../render.ts';
import type { DiscordState } from '../state.ts';
import { parseForm, snowflake } from '../validation.ts';
import type { Endpoint } from './endpoint.ts';

const directSchema = z.object({ recipient_id: snowflake });

/** https://docs.discord.com/developers/resources/user */
export function userEndpoints(state: DiscordState): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/users/@me',
      handle: () => ({ ...renderUserById(state, state.self.user), verified: true, email: null }),
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
