import { createCache } from '../../../shared/primitives/cache.ts';
import type { Message } from '../documents.ts';
import type { DiscordState } from '../state.ts';

/** Discord says "the past few minutes". */
const lifetimeMs = 5 * 60 * 1000;
const maxNonces = 10_000;

/** Messages by the nonce they were posted with. */
export interface Nonces {
  /**
   * Posts a message, or finds the one posted with the same nonce a few minutes ago.
   * https://docs.discord.com/developers/resources/message#create-message
   */
  once(nonce: string | number | null | undefined, post: () => Promise<Message>): Promise<Message>;
}

export function createNonces({ documents, now }: DiscordState): Nonces {
  const posted = createCache<Message>({ max: maxNonces, freshMs: lifetimeMs, now });
  return {
    async once(nonce, post) {
      if (nonce === null || nonce === undefined || nonce === '') return post();
      const message = await posted.get(String(nonce), post);
      return documents.messages.get(message.id) ?? message;
    },
  };
}
