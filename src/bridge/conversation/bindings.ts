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
  /**
   * The chatbots that may answer there, the first choice first.
   * @throws {ChatbotError} `no_chatbot` if the workspace has none
   */
  candidatesFor(place: Channel): AsyncIterable<string>;
  /**
   * The first of the candidates that is not gone.
   * @throws {ChatbotError} `no_chatbot` if the workspace has none
   */
  chatbotFor(place: Channel): Promise<string>;
  /** Whether a chatbot may answer there: it belongs to the workspace. */
  mayAnswer(place: Channel, chatbot: string): Promise<boolean>;
  /**
   * Notes whether the service knows a chatbot. One that is gone is passed over, but it stays chosen,
   * and answers again once it is there again.
   */
  note(chatbot: string, state: 'there' | 'gone'): void;
  /**
   * Chooses the chatbot for a channel, or for all channels of a workspace that have none of their
   * own.
   */
  bind(place: Channel, scope: 'channel' | 'workspace', chatbot: string): Promise<void>;
  /** How many channels and workspaces have chosen a chatbot. */
  countOf(chatbot: string): Promise<number>;
  /** Removes every binding of a chatbot that a command deleted. */
  release(chatbot: string): Promise<void>;
}

export function createBindings(options: {
  store: KeyedStore<BindingRecord>;
  /** Read each time, as it may become another one. */
  readonly fallback: string;
  tenancy: Pick<Tenancy, 'tenantOf' | 'holds' | 'chatbotsOf'>;
}): Bindings {
  const { store, tenancy } = options;
  /** The chatbots that the service did not know when it was last asked. */
  const gone = new Set<string>();

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

  async function* candidatesFor(place: Channel): AsyncGenerator<string> {
    const { fallback } = options;
    const tenant = await tenancy.tenantOf(place);
    if (!tenant) throw none();
    const chosen = await store.get(channelKey(place));
    const shared = await store.get(workspaceKey(tenant));
    const held = new Set<string>();
    for (const uuid of [chosen?.chatbot, shared?.chatbot, fallback]) {
      if (uuid === undefined || held.has(uuid) || !(await tenancy.holds(tenant, uuid))) continue;
      held.add(uuid);
      yield uuid;
    }
    // The default one is the last resort of those to whom it belongs.
    if (held.has(fallback)) return;
    for (const uuid of await tenancy.chatbotsOf(tenant)) {
      if (!held.has(uuid)) yield uuid;
      held.add(uuid);
    }
    if (held.size === 0) throw none();
  }

  return {
    get fallback() {
      return options.fallback;
    },
    mayAnswer,
    candidatesFor,
    async chatbotFor(place) {
      let first: string | undefined;
      for await (const uuid of candidatesFor(place)) {
        if (!gone.has(uuid)) return uuid;
        first ??= uuid;
      }
      if (first === undefined) throw none();
      return first;
    },
    note(chatbot, state) {
      if (state === 'gone') gone.add(chatbot);
      else gone.delete(chatbot);
    },
    async bind(place, scope, chatbot) {
      const key = scope === 'channel' ? channelKey(place) : workspaceKey(place);
      await store.set(key, { chatbot });
      gone.delete(chatbot);
    },
    async release(chatbot) {
      for (const key of await keysOf(chatbot)) {
        await store.update(key, (record) => (record?.chatbot === chatbot ? undefined : record));
      }
    },
    countOf: async (chatbot) => (await keysOf(chatbot)).length,
  };
}

function none(): ChatbotError {
  return new ChatbotError('no_chatbot', 'No chatbot belongs to this workspace');
}
