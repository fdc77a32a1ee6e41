import type { Message } from '../documents.ts';
import { acknowledge, findAnswer, followUp } from '../interactions/answers.ts';
import type { Interaction, Interactions } from '../interactions/interactions.ts';
import { messageSchema } from '../messages/message-schema.ts';
import { dropMessage } from '../messages/message-store.ts';
import { renderMessage } from '../messages/render-message.ts';
import { editMessage } from '../messages/write-message.ts';
import { refusal } from '../refusals.ts';
import type { DiscordState } from '../state.ts';
import { parseForm } from '../validation.ts';
import type { Call, Endpoints } from './endpoint.ts';

/** Discord publishes no limit for webhooks; the community agrees on this one per token. */
const webhook = { tokenInPath: true, limit: { requests: 5, per: 2_000 } } as const;
const messagePath = '/webhooks/:application/:token/messages/:message';

/** https://docs.discord.com/developers/interactions/receiving-and-responding#endpoints */
export function interactionEndpoints(state: DiscordState, interactions: Interactions): Endpoints {
  function findAnswered(call: Call): Interaction {
    if (call.param('application') !== state.self.application) throw refusal(10015);
    return interactions.findAnswered(call.param('token'));
  }

  function findMessage(call: Call): Message {
    return findAnswer(state, findAnswered(call), call.param('message'));
  }

  return {
    'POST /interactions/:interaction/:token/callback': {
      tokenInPath: true,
      async handle(call) {
        const interaction = interactions.findOpen(call.param('interaction'), call.param('token'));
        const answer = await acknowledge(state, interaction, call.body, call.files);
        return call.query.get('with_response') === 'true' ? answer : undefined;
      },
    },
    'POST /webhooks/:application/:token': {
      ...webhook,
      async handle(call) {
        const interaction = findAnswered(call);
        const form = parseForm(messageSchema, call.body);
        const message = await followUp(state, interaction, { form, files: call.files });
        return renderMessage(state, message);
      },
    },
    [`GET ${messagePath}`]: {
      ...webhook,
      handle: (call) => renderMessage(state, findMessage(call)),
    },
    [`PATCH ${messagePath}`]: {
      ...webhook,
      async handle(call) {
        const message = findMessage(call);
        const form = parseForm(messageSchema, call.body);
        return renderMessage(state, await editMessage(state, message, { form, files: call.files }));
      },
    },
    [`DELETE ${messagePath}`]: {
      ...webhook,
      handle: (call) => dropMessage(state, findMessage(call)),
    },
  };
}
