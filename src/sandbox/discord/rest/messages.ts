import { z } from 'zod';
import { findChannel } from '../channels.ts';
import type { Channel, Message } from '../documents.ts';
import { editMessage } from '../messages/edit.ts';
import { messageSchema } from '../messages/message-form.ts';
import { findMessage, isSaid, listMessages, removeMessage } from '../messages/messages.ts';
import type { Nonces } from '../messages/nonces.ts';
import { postMessage } from '../messages/post.ts';
import { may, Permission, requirePermission } from '../permissions.ts';
import { createRateLimits } from '../rate-limits.ts';
import { refusal, tooManyOldEdits } from '../refusals.ts';
import { renderMessage } from '../messages/render-message.ts';
import type { DiscordState } from '../state.ts';
import { parseForm, snowflake } from '../validation.ts';
import type { Call, Endpoint } from './endpoint.ts';

/** Discord publishes no limit; the community agrees on this one for posts and for edits. */
const writeLimit = { requests: 5, per: 5_000 };

const hourMs = 60 * 60 * 1000;
/** For messages older than an hour; Discord publishes the error (30046) but no limit. */
const oldEditLimit = { requests: 5, per: hourMs };

const pageSchema = z.object({
  limit: z.coerce.number().pipe(z.int().min(1).max(100)).default(50),
  before: snowflake.optional(),
  after: snowflake.optional(),
  around: snowflake.optional(),
});

/** https://docs.discord.com/developers/resources/message */
export function messageEndpoints(state: DiscordState, nonces: Nonces): Endpoint[] {
  const { self } = state;
  const oldEdits = createRateLimits(state.now);

  function checkAge({ channel, createdAt }: Message): void {
    if (state.now() - createdAt <= hourMs) return;
    const edit = { route: 'old', major: channel, limit: oldEditLimit, counted: false };
    const { allowed, resetAt } = oldEdits.take(edit);
    if (!allowed) throw tooManyOldEdits((resetAt - state.now()) / 1000);
  }

  function findVisible(call: Call): Channel {
    const channel = findChannel(state, call.param('channel'));
    requirePermission(state, self.user, channel);
    return channel;
  }

  function find(call: Call): Message {
    return findMessage(state, findVisible(call).id, call.param('message'));
  }

  return [
    {
      method: 'GET',
      path: '/channels/:channel/messages',
      handle(call) {
        const channel = findVisible(call);
        const page = parseForm(pageSchema, Object.fromEntries(call.query));
        if (!may(state, self.user, Permission.ReadMessageHistory, channel)) return [];
        return listMessages(state, channel.id, page).map((message) =>
          renderMessage(state, message),
        );
      },
    },
    {
      method: 'POST',
      path: '/channels/:channel/messages',
      limit: writeLimit,
      async handle(call) {
        const channel = findVisible(call);
        const form = parseForm(messageSchema, call.body);
        const post = () =>
          postMessage(state, { channel, author: self.user, form, files: call.files });
        const message = form.enforce_nonce ? await nonces.once(form.nonce, post) : await post();
        return renderMessage(state, message);
      },
    },
    {
      method: 'GET',
      path: '/channels/:channel/messages/:message',
      handle(call) {
        const channel = findVisible(call);
        requirePermission(state, self.user, channel, Permission.ReadMessageHistory);
        return renderMessage(state, find(call));
      },
    },
    {
      method: 'PATCH',
      path: '/channels/:channel/messages/:message',
      limit: writeLimit,
      async handle(call) {
        const message = find(call);
        if (message.author !== self.user) throw refusal(50005);
        if (!isSaid(message)) throw refusal(50021);
        checkAge(message);
        const form = parseForm(messageSchema, call.body);
        return renderMessage(state, await editMessage(state, message, { form, files: call.files }));
      },
    },
    {
      method: 'DELETE',
      path: '/channels/:channel/messages/:message',
      handle(call) {
        removeMessage(state, self.user, find(call));
        return undefined;
      },
    },
  ];
}
