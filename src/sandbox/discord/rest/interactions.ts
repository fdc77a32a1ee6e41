import { followUp, findAnswer, removeAnswer } from '../interactions/answers.ts';
import { acknowledge } from '../interactions/callback.ts';
import type { Interactions } from '../interactions/interactions.ts';
import type { Interaction } from '../interactions/interaction.ts';
import { editMessage } from '../messages/edit.ts';
import { messageSchema } from '../messages/message-form.ts';
import { refusal } from '../refusals.ts';
import { renderMessage } from '../messages/render-message.ts';
import type { DiscordState } from '../state.ts';
import { parseForm } from '../validation.ts';
import type { Call, Endpoint } from './endpoint.ts';

/** Discord publishes no limit for webhooks; the community agrees on this one per token. */
const webhookLimit = { requests: 5, per: 2_000 };
const messagePath = '/webhooks/:application/:token/messages/:message';

/** https://docs.discord.com/developers/interactions/receiving-and-responding#endpoints */
export function interactionEndpoints(state: DiscordState, interactions: Interactions): Endpoint[] {
  function findAnswered(call: Call): Interaction {
    if (call.param('application') !== state.self.application) throw refusal(10015);
    return interactions.findAnswered(call.param('token'));
  }

  return [
    {
      method: 'POST',
      path: '/interactions/:interaction/:token/callback',
      tokenInPath: true,
      async handle(call) {
        const interaction = interactions.findOpen(call.param('interaction'), call.param('token'));
        const answer = await acknowledge(state, interaction, call.body, call.files);
        return call.query.get('with_response') === 'true' ? answer : undefined;
      },
    },
    {
      method: 'POST',
      path: '/webhooks/:application/:token',
      tokenInPath: true,
      limit: webhookLimit,
      async handle(call) {
        const interaction = findAnswered(call);
        const form = parseForm(messageSchema, call.body);
        return renderMessage(
          state,
          await followUp(state, interaction, { form, files: call.files }),
        );
      },
    },
    {
      method: 'GET',
      path: messagePath,
      tokenInPath: true,
      limit: webhookLimit,
      handle: (call) =>
        renderMessage(state, findAnswer(state, findAnswered(call), call.param('message'))),
    },
    {
      method: 'PATCH',
      path: messagePath,
      tokenInPath: true,
      limit: webhookLimit,
      async handle(call) {
        const message = findAnswer(state, findAnswered(call), call.param('message'));
        const form = parseForm(messageSchema, call.body);
        return renderMessage(state, await editMessage(state, message, { form, files: call.files }));
      },
    },
    {
      method: 'DELETE',
      path: messagePath,
      tokenInPath: true,
      limit: webhookLimit,
      handle(call) {
        removeAnswer(state, findAnswered(call), call.param('message'));
        return undefined;
      },
    },
  ];
}
