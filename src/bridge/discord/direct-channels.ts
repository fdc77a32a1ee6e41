import { LRUCache } from 'lru-cache';
import type { Log } from '../../shared/primitives/log.ts';
import type { KeyedStore } from '../conversation/keyed-store.ts';

/** The channels of direct messages that the bot has seen. Discord has no list of them for bots. */
export interface DirectChannels {
  ids(): string[];
  remember(channel: string, message: string): void;
  forget(channel: string): void;
}

const maxChannels = 500;

/**
 * The direct channels that a store holds, each with its newest message. Above 500, those with the
 * oldest messages are forgotten.
 * @param stored the rows of the store: channel and message
 */
export function createDirectChannels(
  store: Pick<KeyedStore<string>, 'set' | 'delete'>,
  stored: readonly [string, string][],
  log: Log,
): DirectChannels {
  const known = new LRUCache<string, string>({
    max: maxChannels,
    dispose: (_, id, reason) => reason !== 'set' && void settle(store.delete(id)),
  });
  const byAge = stored.toSorted(([, one], [, other]) => (BigInt(one) < BigInt(other) ? -1 : 1));
  for (const [id, message] of byAge) known.set(id, message);

  async function settle(write: Promise<unknown>): Promise<void> {
    try {
      await write;
    } catch (error) {
      log.warn({ err: error }, 'a channel of direct messages could not be stored');
    }
  }

  return {
    ids: () => [...known.keys()],
    remember(id, message) {
      known.set(id, message);
      void settle(store.set(id, message));
    },
    forget: (id) => void known.delete(id),
  };
}
