import type { HandOver } from './hand-over/hand-over.ts';
import type { IncomingMessage, Log, ThreadAddress } from './ports.ts';
import type { Sessions } from './sessions.ts';
import type { Settings } from './settings.ts';

/** Whether a message is one to act on. Never rejects. */
export type MessageFilter = (message: IncomingMessage) => Promise<boolean>;

/** Acts on mentions, direct messages, and what else is answered as its channel is followed. */
export function createMessageFilter(options: {
  sessions: Pick<Sessions, 'find'>;
  settings: Pick<Settings, 'followingIn'> | undefined;
  handOver: Pick<HandOver, 'find'> | undefined;
  /** Whether something is being answered in a thread, or heard, whose session is still on its way. */
  isUnderWay(thread: ThreadAddress): boolean;
  log: Log;
}): MessageFilter {
  const { sessions, settings, handOver, isUnderWay, log } = options;

  async function isFollowed({ id, text, thread }: IncomingMessage): Promise<boolean> {
    const { address } = thread;
    const underWay = isUnderWay(address);
    const handedOver = await handOver?.find(address);
    // Who sends a picture alone has come all the same.
    if (handedOver && !handedOver.ended) return true;
    if (text.trim() === '') return false;
    const following = (await settings?.followingIn(address)) ?? 'threads';
    if (following === 'mentions') return false;
    // A thread has the id of the message that it begins with; threads of others stay theirs.
    if (following === 'everything' && address.thread === id) return true;
    if (underWay || handedOver) return true;
    return (await sessions.find(address)) !== undefined;
  }

  return async (message) => {
    if (message.addressed !== 'overheard') return true;
    try {
      return await isFollowed(message);
    } catch (error) {
      log.error({ err: error, thread: message.thread.address }, 'an overheard message was skipped');
      return false;
    }
  };
}
