import { z } from 'zod';
import { createCache } from '../../../shared/primitives/cache.ts';
import { findVisibleChannel } from '../channels.ts';
import type { Message } from '../documents.ts';
import { type MessageForm, messageSchema } from '../messages/message-schema.ts';
import { findMessage, isSaid, listMessages, removeMessage } from '../messages/message-store.ts';
import { renderMessage } from '../messages/render-message.ts';
import { editMessage, postMessage } from '../messages/write-message.ts';
import { may, Permission, requirePermission } from '../permissions.ts';
import { createRateLimits } from '../rate-limits.ts';
import { refusal, tooManyOldEdits } from '../refusals.ts';
import type { DiscordState } from '../state.ts';
import { parseForm, snowflake } from '../validation.ts';
import type { Call, Endpoints } from './endpoint.ts';

/** Discord publishes no limit; the community agrees on this one for posts and for edits. */
const writeLimit = { requests: 5, per: 5_000 };

const hourMs = 60 * 60 * 1000;
/** For messages older than an hour; Discord publishes the error (30046) but no limit. */
const oldEditLimit = { requests: 5, per: hourMs };

/** Discord says "the past few minutes". */
const nonceLifetimeMs = 5 * 60 * 1000;
const maxNonces = 10_000;

const pageSchema = z.object({
  limit: z.coerce.number().pipe(z.int().min(1).max(100)).default(50),
  before: snowflake.optional(),
  after: snowflake.optional(),
  around: snowflake.optional(),
});

/** https://docs.discord.com/developers/resources/message */
export function messageEndpoints(state: DiscordState): Endpoints {
  const { self, documents, now } = state;
  const oldEdits = createRateLimits(now);
  const byNonce = createCache<Message>({ max: maxNonces, freshMs: nonceLifetimeMs, now });

  /** Posts a message, or finds the one posted with the same nonce a few minutes ago. */
  async function once(nonce: MessageForm['nonce'], post: () => Promise<Message>): Promise<Message> {
    if (nonce === null || nonce === undefined || nonce === '') return post();
    const message = await byNonce.get(String(nonce), post);
    return documents.messages.get(message.id) ?? message;
  }

  function checkAge({ channel, createdAt }: Message): void {
    if (now() - createdAt <= hourMs) return;
    const { allowed, resetAfter } = oldEdits.take(channel, oldEditLimit);
    if (!allowed) throw tooManyOldEdits(resetAfter);
  }

  const findVisible = (call: Call) => findVisibleChannel(state, call.param('channel'));

  function find(call: Call): Message {
    return findMessage(state, findVisible(call).id, call.param('message'));
  }

  return {
    'GET /channels/:channel/messages': (call) => {
      const channel = findVisible(call);
      const page = parseForm(pageSchema, Object.fromEntries(call.query));
      if (!may(state, self.user, Permission.ReadMessageHistory, channel)) return [];
      return listMessages(state, channel.id, page).map((message) => renderMessage(state, message));
    },
    'POST /channels/:channel/messages': {
      limit: writeLimit,
      async handle(call) {
        const channel = findVisible(call);
        const form = parseForm(messageSchema, call.body);
        const post = () =>
          postMessage(state, { channel, author: self.user, form, files: call.files });
        const message = form.enforce_nonce ? await once(form.nonce, post) : await post();
        return renderMessage(state, message);
      },
    },
    'GET /channels/:channel/messages/:message': (call) => {
      const channel = findVisible(call);
      requirePermission(state, self.user, channel, Permission.ReadMessageHistory);
      return renderMessage(state, find(call));
    },
    'PATCH /channels/:channel/messages/:message': {
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
    'DELETE /channels/:channel/messages/:message': (call) =>
      removeMessage(state, self.user, find(call)),
  };
}
