import { type Channel, channelKey, workspaceKey } from './address.ts';
import type { Bindings, KeyedStore } from './ports.ts';

/** Which chatbot was chosen for a channel or a workspace. */
export interface BindingRecord {
  chatbot: string;
}

/** Which chatbot answers where: the channel's, else the workspace's, else the default one. */
export interface ChangeableBindings extends Bindings {
  /** The chatbot that answers if none was chosen. */
  readonly fallback: string;
  /**
   * Chooses the chatbot for a channel, or for all channels of a workspace that have none of their
   * own.
   */
  bind(place: Channel, scope: 'channel' | 'workspace', chatbot: string): Promise<void>;
  /** How many channels and workspaces have chosen a chatbot. */
  countOf(chatbot: string): Promise<number>;
}

export function createBindings(options: {
  store: KeyedStore<BindingRecord>;
  fallback: string;
}): ChangeableBindings {
  const { store, fallback } = options;

  async function keysOf(chatbot: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const [key, record] of store.entries()) {
      if (record.chatbot === chatbot) keys.push(key);
    }
    return keys;
  }

  return {
    fallback,
    async chatbotFor(place) {
      const own = await store.get(channelKey(place));
      const shared = own ?? (await store.get(workspaceKey(place)));
      return shared?.chatbot ?? fallback;
    },
    async bind(place, scope, chatbot) {
      const key = scope === 'channel' ? channelKey(place) : workspaceKey(place);
      await store.set(key, { chatbot });
    },
    async release(chatbot) {
      const keys = await keysOf(chatbot);
      for (const key of keys) await store.delete(key);
      return keys.length;
    },
    countOf: async (chatbot) => (await keysOf(chatbot)).length,
  };
}
