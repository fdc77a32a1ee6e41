import { type Channel, channelKey, workspaceKey } from './address.ts';
import { ChatbotError } from './errors.ts';
import type { KeyedStore } from './keyed-store.ts';
import type { Tenancy } from './tenancy.ts';

/** Which chatbot was chosen for a channel or a workspace. */
export interface BindingRecord {
  chatbot: string;
}

/**
 * Which chatbot answers where: the channel's, else the workspace's, else the default one, else any
 * that belongs to the workspace. Chatbots of other workspaces never do.
 */
export interface Bindings {
  /** The chatbot that answers at home if none was chosen. */
  readonly fallback: string;
  /** @throws {ChatbotError} `no_chatbot` if the workspace has none */
  chatbotFor(place: Channel): Promise<string>;
  /** Whether a chatbot may answer there: it belongs to the workspace. */
  mayAnswer(place: Channel, chatbot: string): Promise<boolean>;
  /**
   * Chooses the chatbot for a channel, or for all channels of a workspace that have none of their
   * own.
   */
  bind(place: Channel, scope: 'channel' | 'workspace', chatbot: string): Promise<void>;
  /** How many channels and workspaces have chosen a chatbot. */
  countOf(chatbot: string): Promise<number>;
  /** Removes every binding of a chatbot that is gone; resolves with how many there were. */
  release(chatbot: string): Promise<number>;
}

export function createBindings(options: {
  store: KeyedStore<BindingRecord>;
  fallback: string;
  tenancy: Pick<Tenancy, 'tenantOf' | 'holds' | 'chatbotsOf' | 'lost'>;
}): Bindings {
  const { store, fallback, tenancy } = options;

  async function keysOf(chatbot: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const [key, record] of store.entries()) {
      if (record.chatbot === chatbot) keys.push(key);
    }
    return keys;
  }

  async function mayAnswer(place: Channel, chatbot: string): Promise<boolean> {
    const tenant = await tenancy.tenantOf(place);
    return tenant !== undefined && (await tenancy.holds(tenant, chatbot)) !== undefined;
  }

  return {
    fallback,
    mayAnswer,
    async chatbotFor(place) {
      const tenant = await tenancy.tenantOf(place);
      if (!tenant) throw none();
      const chosen = await store.get(channelKey(place));
      const shared = await store.get(workspaceKey(tenant));
      for (const uuid of [chosen?.chatbot, shared?.chatbot, fallback]) {
        if (uuid !== undefined && (await tenancy.holds(tenant, uuid))) return uuid;
      }
      const [own] = await tenancy.chatbotsOf(tenant);
      if (own === undefined) throw none();
      return own;
    },
    async bind(place, scope, chatbot) {
      const key = scope === 'channel' ? channelKey(place) : workspaceKey(place);
      await store.set(key, { chatbot });
    },
    async release(chatbot) {
      const keys = await keysOf(chatbot);
      for (const key of keys) await store.delete(key);
      await tenancy.lost(chatbot);
      return keys.length;
    },
    countOf: async (chatbot) => (await keysOf(chatbot)).length,
  };
}

function none(): ChatbotError {
  return new ChatbotError('no_chatbot', 'No chatbot belongs to this workspace');
}
