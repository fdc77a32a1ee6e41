import type { z } from 'zod';
import { type Chatbot, defaultRateLimit } from '../../shared/api/chatbot.ts';
import { mapEach } from '../../shared/primitives/iterables.ts';
import { type Access, createAccess, requireRoom } from '../access.ts';
import { createDefaultAgent } from './agents.ts';
import type { Handlers } from '../http/handlers.ts';
import { createUuid, toTimestamp } from '../identifiers.ts';
import type { Models } from '../model/models.ts';
import type { Quota } from '../quota.ts';
import type { Replies } from '../replies/replies.ts';
import type { createSources } from './sources.ts';
import type { ChatbotRecord } from '../store/chatbot-store.ts';
import type { Store } from '../store/store.ts';

type ChatbotAnswer = z.input<typeof Chatbot>;

const maxChatbots = 10_000;

/**
 * The rules of chatbots. Deleting one ends its running replies. Each handler throws HttpError when
 * it can't do its work.
 */
export function createChatbots(parts: {
  store: Store;
  access: Access;
  quota: Pick<Quota, 'within'>;
  models: Pick<Models, 'require'>;
  sources: Pick<ReturnType<typeof createSources>, 'deleteAllOf'>;
  replies: Pick<Replies, 'end'>;
  now: () => number;
}) {
  const { store, access, quota, models, sources, replies, now } = parts;

  return {
    async createChatbot({ owner, body: request, signal }) {
      if (request.model !== undefined) await models.require(request.model, signal);
      const [rateMessages, rateSeconds] = request.rate_limit ?? defaultRateLimit;
      const chatbot: ChatbotRecord = {
        uuid: createUuid(),
        owner,
        name: request.name,
        rateMessages,
        rateSeconds,
        rateLimitMessage: request.rate_limit_message ?? '',
        showCitations: request.show_citations ?? true,
        visibility: request.visibility ?? 'private',
        createdMs: now(),
        modifiedMs: now(),
      };
      await quota.within(owner, async (tx) => {
        requireRoom('chatbot', await tx.chatbots.count(owner), maxChatbots);
        await tx.chatbots.insert(chatbot);
        await tx.agents.insert(createDefaultAgent(chatbot.uuid, request, now()));
      });
      return toChatbot(chatbot);
    },

    listChatbots: ({ owner }) => mapEach(store.chatbots.each(owner), toChatbot),

    getChatbot: async ({ owner, params }) => toChatbot(await access.chatbot(owner, params.uuid)),

    updateChatbot: ({ owner, params: { uuid }, body: { meta, ...given } }) =>
      quota.within(owner, async (tx) => {
        const request = { ...meta, ...given };
        const chatbot = await createAccess(tx).chatbot(owner, uuid);
        const [rateMessages, rateSeconds] = request.rate_limit ?? [
          chatbot.rateMessages,
          chatbot.rateSeconds,
        ];
        const changes = {
          name: request.name ?? chatbot.name,
          rateMessages,
          rateSeconds,
          rateLimitMessage: request.rate_limit_message ?? chatbot.rateLimitMessage,
          showCitations: request.show_citations ?? chatbot.showCitations,
          visibility: request.visibility ?? chatbot.visibility,
          modifiedMs: now(),
        };
        await tx.chatbots.update(uuid, changes);
        return toChatbot({ ...chatbot, ...changes });
      }),

    async deleteChatbot({ owner, params: { uuid } }) {
      await access.chatbot(owner, uuid);
      await sources.deleteAllOf(uuid);
      await store.sessions.deleteAllOf(uuid);
      await store.transaction(async (tx) => {
        // What was added in the meantime goes with it.
        await tx.passages.removeAllOf(uuid);
        await tx.chatbots.delete(uuid);
      });
      // From here on, none can start.
      replies.end({ chatbot: uuid });
      return { success: true };
    },
  } satisfies Partial<Handlers>;
}

function toChatbot(chatbot: ChatbotRecord): ChatbotAnswer {
  return {
    uuid: chatbot.uuid,
    name: chatbot.name,
    created_at: toTimestamp(chatbot.createdMs),
    modified_at: toTimestamp(chatbot.modifiedMs),
    meta: {
      rate_limit: [chatbot.rateMessages, chatbot.rateSeconds],
      rate_limit_message: chatbot.rateLimitMessage,
      show_citations: chatbot.showCitations,
      visibility: chatbot.visibility,
      tells_evidence: chatbot.showCitations,
    },
  };
}
