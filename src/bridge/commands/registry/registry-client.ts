import type { Chatbot } from '../../../shared/api/chatbot.ts';
import type { ChatbotClient } from '../../chatbot/chatbot-client.ts';
import { isChatbotError, isNoSuchOperation } from '../../conversation/errors.ts';
import type { Referenced } from '../option.ts';
import type { Registry, RememberedKind } from './registry.ts';

/**
 * What commands ask of the service. The registry remembers what they create, and knows what they
 * change and delete.
 */
export interface RegisteredClient extends Pick<
  ChatbotClient,
  | 'listChatbots'
  | 'getChatbot'
  | 'createChatbot'
  | 'updateChatbot'
  | 'deleteChatbot'
  | 'listAgents'
  | 'createAgent'
  | 'updateAgent'
  | 'deleteAgent'
  | 'listDataSources'
  | 'uploadDataSource'
  | 'addUrlSource'
  | 'addQaSource'
  | 'listSourceQuestions'
  | 'updateDataSource'
  | 'deleteDataSource'
  | 'listSourceTags'
  | 'createSourceTag'
  | 'updateSourceTag'
  | 'deleteSourceTag'
  | 'createSession'
  | 'listSessions'
  | 'deleteSession'
  | 'listMessages'
  | 'call'
> {
  /** Whether the service's last answer listed a kind. */
  lists(kind: RememberedKind): boolean;
}

type ListedKind = Exclude<RememberedKind, 'chatbot'>;

/**
 * A client that remembers what it creates. If the service has no operation that lists a kind, the
 * remembered things are the list: the API (section 4) lists only agents, sessions and messages. If
 * the service does list a kind, its list counts: what it no longer contains is forgotten.
 */
export function createRegisteredClient(options: {
  client: ChatbotClient;
  registry: Registry;
  /** Milliseconds since the epoch. */
  now: () => number;
}): RegisteredClient {
  const { client, registry, now } = options;
  const unlisted = new Set<RememberedKind>();

  async function list<Kind extends ListedKind>(
    kind: Kind,
    chatbot: string,
    ask: () => Promise<Referenced[Kind][]>,
    signal: AbortSignal | undefined,
  ): Promise<Referenced[Kind][]> {
    const askedMs = now();
    try {
      const listed = await ask();
      unlisted.delete(kind);
      await registry.compare(kind, chatbot, listed, askedMs);
      return listed;
    } catch (error) {
      if (!(await lacksOperation(error, chatbot, signal))) throw error;
      unlisted.add(kind);
      return registry.remembered(kind, chatbot);
    }
  }

  /**
   * A 404 may be about the chatbot itself: listing its agents, which every service can, shows
   * which.
   */
  async function lacksOperation(
    error: unknown,
    chatbot: string,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    if (!isNoSuchOperation(error)) return false;
    if (error.status === 404) await client.listAgents(chatbot, signal);
    return true;
  }

  async function remember<Kind extends RememberedKind>(
    kind: Kind,
    owner: string,
    thing: Referenced[Kind],
  ): Promise<Referenced[Kind]> {
    await registry.remember(kind, owner, thing);
    return thing;
  }

  async function update<Kind extends RememberedKind>(
    kind: Kind,
    uuid: string,
    change: () => Promise<Referenced[Kind]>,
  ): Promise<Referenced[Kind]> {
    try {
      const changed = await change();
      await registry.refresh(kind, changed);
      return changed;
    } catch (error) {
      if (await isLost(kind, uuid, error)) await registry.lose(kind, uuid);
      throw error;
    }
  }

  /** Some services can't change or delete tags, or delete chatbots. */
  async function isLost(kind: RememberedKind, uuid: string, error: unknown): Promise<boolean> {
    if (!isChatbotError(error, 'not_found') || kind === 'tag') return false;
    return kind !== 'chatbot' || isChatbotGone(client, uuid);
  }

  async function remove(
    kind: RememberedKind,
    uuid: string,
    deletion: () => Promise<void>,
  ): Promise<void> {
    try {
      await registry.removing(kind, uuid, deletion);
    } catch (error) {
      if (await isLost(kind, uuid, error)) await registry.lose(kind, uuid);
      throw error;
    }
  }

  async function added(
    chatbot: string,
    adding: ReturnType<ChatbotClient['addUrlSource']>,
  ): ReturnType<ChatbotClient['addUrlSource']> {
    const { source, duplicate } = await adding;
    await registry.remember('source', chatbot, source);
    return { source, duplicate };
  }

  return {
    lists: (kind) => !unlisted.has(kind),

    listChatbots: client.listChatbots,
    async getChatbot(uuid, signal) {
      try {
        return await client.getChatbot(uuid, signal);
      } catch (error) {
        if (!(await lacksOperation(error, uuid, signal))) throw error;
        return (await registry.find('chatbot', uuid)) ?? toUnknown(uuid);
      }
    },
    createChatbot: client.createChatbot,
    updateChatbot: (uuid, body, signal) =>
      update('chatbot', uuid, () => client.updateChatbot(uuid, body, signal)),
    deleteChatbot: (uuid, signal) =>
      remove('chatbot', uuid, () => client.deleteChatbot(uuid, signal)),

    listAgents: (chatbot, signal) =>
      list('agent', chatbot, () => client.listAgents(chatbot, signal), signal),
    createAgent: async (chatbot, body, signal) =>
      remember('agent', chatbot, await client.createAgent(chatbot, body, signal)),
    updateAgent: (uuid, body, signal) =>
      update('agent', uuid, () => client.updateAgent(uuid, body, signal)),
    deleteAgent: (uuid, signal) => remove('agent', uuid, () => client.deleteAgent(uuid, signal)),

    listDataSources: (chatbot, signal) =>
      list('source', chatbot, () => client.listDataSources(chatbot, signal), signal),
    uploadDataSource: (chatbot, file, signal) =>
      added(chatbot, client.uploadDataSource(chatbot, file, signal)),
    addUrlSource: (chatbot, body, signal) =>
      added(chatbot, client.addUrlSource(chatbot, body, signal)),
    addQaSource: (chatbot, body, signal) =>
      added(chatbot, client.addQaSource(chatbot, body, signal)),
    listSourceQuestions: client.listSourceQuestions,
    updateDataSource: (uuid, body, signal) =>
      update('source', uuid, () => client.updateDataSource(uuid, body, signal)),
    deleteDataSource: (uuid, signal) =>
      remove('source', uuid, () => client.deleteDataSource(uuid, signal)),

    listSourceTags: (chatbot, signal) =>
      list('tag', chatbot, () => client.listSourceTags(chatbot, signal), signal),
    createSourceTag: async (chatbot, body, signal) =>
      remember('tag', chatbot, await client.createSourceTag(chatbot, body, signal)),
    updateSourceTag: (uuid, body, signal) =>
      update('tag', uuid, () => client.updateSourceTag(uuid, body, signal)),
    deleteSourceTag: (uuid, signal) =>
      remove('tag', uuid, () => client.deleteSourceTag(uuid, signal)),

    createSession: client.createSession,
    listSessions: client.listSessions,
    deleteSession: client.deleteSession,
    listMessages: client.listMessages,
    call: client.call,
  };
}

/**
 * Whether a chatbot was deleted: checked by listing its agents, which every service can.
 * @throws {ChatbotError}
 */
export async function isChatbotGone(
  client: Pick<ChatbotClient, 'listAgents'>,
  uuid: string,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    await client.listAgents(uuid, signal);
    return false;
  } catch (error) {
    if (isChatbotError(error, 'not_found')) return true;
    throw error;
  }
}

/** A chatbot of which only its existence is known. */
function toUnknown(uuid: string): Chatbot {
  const meta = {
    rate_limit: undefined,
    rate_limit_message: '',
    show_citations: false,
    visibility: '',
  };
  return { uuid, name: uuid.slice(0, 8), created_at: '', modified_at: '', meta };
}
