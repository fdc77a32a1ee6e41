import { type Channel, channelKey, tagKey, workspaceKey } from './address.ts';
import { ChatbotError } from './errors.ts';
import type { KeyedStore } from './keyed-store.ts';
import type { Tenancy } from './tenancy.ts';

/** Which chatbot was chosen for a channel, a tag of its posts, or a workspace. */
export interface BindingRecord {
  chatbot: string;
}

/**
 * Which chatbot answers where: that of a tag of the post, else the channel's, else the workspace's, else
 * the default one, else any that belongs to the workspace. Chatbots of other workspaces never do.
 */
export interface Bindings {
  /** The chatbot that answers at home if none was chosen. */
  readonly fallback: string;
  /**
   * The chatbots that may answer there, the first choice first.
   * @param tags ids of the tags of the post that it is about
   * @throws {ChatbotError} `no_chatbot` if the workspace has none
   */
  candidatesFor(place: Channel, tags?: readonly string[]): AsyncIterable<string>;
  /**
   * The first of the candidates that is not gone.
   * @throws {ChatbotError} `no_chatbot` if the workspace has none
   */
  chatbotFor(place: Channel, tags?: readonly string[]): Promise<string>;
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
  /** Chooses the chatbot for posts of a forum that have a tag; without one, the tag means none. */
  bindTag(place: Channel, tag: string, chatbot: string | undefined): Promise<void>;
  /** The chatbot chosen for a tag. */
  boundTo(place: Channel, tag: string): Promise<string | undefined>;
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

  async function* candidatesFor(
    place: Channel,
    tags: readonly string[] = [],
  ): AsyncGenerator<string> {
    const { fallback } = options;
    const tenant = await tenancy.tenantOf(place);
    if (!tenant) throw none();
    const keys = [
      ...tags.map((tag) => tagKey(place, tag)),
      channelKey(place),
      workspaceKey(tenant),
    ];
    const chosen = await Promise.all(keys.map((key) => store.get(key)));
    const held = new Set<string>();
    for (const uuid of [...chosen.map((record) => record?.chatbot), fallback]) {
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
    async chatbotFor(place, tags) {
      let first: string | undefined;
      for await (const uuid of candidatesFor(place, tags)) {
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
    async bindTag(place, tag, chatbot) {
      if (chatbot === undefined) return void (await store.delete(tagKey(place, tag)));
      await store.set(tagKey(place, tag), { chatbot });
      gone.delete(chatbot);
    },
    boundTo: async (place, tag) => (await store.get(tagKey(place, tag)))?.chatbot,
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
