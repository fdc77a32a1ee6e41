import type { ChatbotClient } from '../bridge/chatbot/chatbot-client.ts';
import {
  createConversationChatbot,
  type ServiceLimits,
} from '../bridge/chatbot/conversation-chatbot.ts';
import {
  type ConversationOptions,
  createConversation,
} from '../bridge/conversation/conversation.ts';
import type { RenderHelp } from '../bridge/conversation/decide.ts';
import type { HandOverTools } from '../bridge/conversation/hand-over/hand-over.ts';
import { createPacer } from '../bridge/conversation/reply/pacer.ts';
import type {
  Bindings,
  Log,
  Platform,
  Reports,
  ThreadAddress,
} from '../bridge/conversation/ports.ts';
import { createSessions, type SessionRecord } from '../bridge/conversation/sessions.ts';
import type { Access } from '../bridge/conversation/access.ts';
import type { Managers } from '../bridge/conversation/managers.ts';
import type { Settings } from '../bridge/conversation/settings.ts';
import type { Tenancy } from '../bridge/conversation/tenancy.ts';
import type { Store } from '../bridge/stores/open-store.ts';
import type { HandOverRecord } from '../bridge/conversation/hand-over/records.ts';

/**
 * Assembles the core: the conversation, and the tools that other parts use on threads. `platforms`
 * can be filled later: it is read whenever a thread is looked up.
 */
export function createCore(options: {
  client: ChatbotClient;
  serviceLimits: ServiceLimits;
  store: Store;
  bindings: Bindings;
  settings?: Settings;
  /** If set, threads can be handed over to people. */
  handOver?: Pick<HandOverTools, 'contacts' | 'notify' | 'typed'>;
  managers?: Managers;
  access: Access;
  tenancy: Tenancy;
  notify: ConversationOptions['notify'];
  renderHelp?: RenderHelp;
  platforms: readonly Pick<Platform, 'name' | 'thread' | 'read'>[];
  /** Max turns asked at once; any number by default. */
  maxTurns?: number;
  /** Most characters of a reply that are shown; any number by default. */
  maxReplyCharacters?: number;
  reports?: Reports;
  log: Log;
}) {
  const { store, bindings, settings, handOver, managers, platforms, reports, log } = options;
  const { access, tenancy, notify, maxTurns, maxReplyCharacters, renderHelp } = options;
  const chatbot = createConversationChatbot(options.client, options.serviceLimits);
  const sessions = createSessions({
    store: store.keyv<SessionRecord>('session'),
    former: store.keyv<ThreadAddress>('former-session'),
    chatbot,
    bindings,
  });
  const findPlatform = (name: string) => platforms.find((platform) => platform.name === name);
  const openThread = (address: ThreadAddress) => findPlatform(address.platform)?.thread(address);
  const tools = {
    chatbot,
    sessions,
    turns: store.turns,
    pacer: createPacer(),
    openThread,
    maxReplyCharacters,
    log,
  };
  const conversation = createConversation({
    ...tools,
    findPlatform,
    managers,
    access,
    tenancy,
    notify,
    renderHelp,
    maxTurns,
    settings,
    ...(handOver && {
      handOver: {
        ...handOver,
        bindings,
        store: store.keyv<HandOverRecord>('hand-over'),
        saidIn: store.keyv<string>('hand-over-said'),
      },
    }),
    reports,
  });
  return { tools, conversation };
}
