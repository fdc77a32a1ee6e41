import type { HandOver } from './hand-over/hand-over.ts';
import type { IncomingMessage } from './ports.ts';
import type { TurnStore } from './turns/turn-store.ts';
import type { Sessions } from './sessions.ts';
import type { Settings } from './settings.ts';

/** Whether to act on a message. Rejects when the store is down: that doesn't mean "no". */
export type MessageFilter = (message: IncomingMessage) => Promise<boolean>;

/** Accepts mentions, direct messages, and whatever else the channel's settings say to answer. */
export function createMessageFilter(options: {
  sessions: Pick<Sessions, 'find'>;
  settings: Pick<Settings, 'followingIn'> | undefined;
  turns: Pick<TurnStore, 'hasTurnIn'>;
  handOver: Pick<HandOver, 'find'> | undefined;
}): MessageFilter {
  const { sessions, settings, turns, handOver } = options;

  async function isFollowed({ id, text, thread }: IncomingMessage): Promise<boolean> {
    const { address } = thread;
    const handedOver = await handOver?.find(address);
    // A person who posts only a picture has also joined.
    if (handedOver && !handedOver.ended) return true;
    if (text.trim() === '') return false;
    const following = (await settings?.followingIn(address)) ?? 'threads';
    if (following === 'mentions') return false;
    // A thread has the id of its first message. Threads started by others are left alone.
    if (following === 'everything' && address.thread === id) return true;
    if (handedOver || (await turns.hasTurnIn(address))) return true;
    return (await sessions.find(address)) !== undefined;
  }

  return async (message) => message.addressed !== 'overheard' || isFollowed(message);
}
