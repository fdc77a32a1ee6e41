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
  const posted = new Map<string, { message: Promise<Message>; at: number }>();
  return {
    async once(nonce, post) {
      if (nonce === null || nonce === undefined || nonce === '') return post();
      const key = String(nonce);
      const before = posted.get(key);
      if (before && now() - before.at < lifetimeMs) {
        const message = await before.message;
        return documents.messages.get(message.id) ?? message;
      }
      const message = post();
      posted.delete(key);
      posted.set(key, { message, at: now() });
      const [oldest] = posted.keys();
      if (posted.size > maxNonces && oldest !== undefined) posted.delete(oldest);
      message.catch(() => posted.delete(key));
      return message;
    },
  };
}
