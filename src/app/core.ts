import type { ChatbotClient } from '../chatbot/chatbot-client.ts';
import { createConversationChatbot, type ServiceLimits } from '../chatbot/conversation-chatbot.ts';
import { createConversation } from '../conversation/conversation.ts';
import type { HandOverTools } from '../conversation/hand-over/hand-over.ts';
import { createPacer } from '../conversation/reply/pacer.ts';
import type { Bindings, Log, Platform, Reports, ThreadAddress } from '../conversation/ports.ts';
import { createSessions, type SessionRecord } from '../conversation/sessions.ts';
import type { Settings } from '../conversation/settings.ts';
import { createTurns, type TurnRecord } from '../conversation/turns.ts';
import type { Store } from '../stores/open-store.ts';
import type { HandOverRecord } from '../conversation/hand-over/records.ts';

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
  handOver?: Pick<HandOverTools, 'contacts' | 'notify'>;
  platforms: readonly Pick<Platform, 'name' | 'thread'>[];
  /** Most characters of a reply that are shown; any number by default. */
  maxReplyCharacters?: number;
  reports?: Reports;
  log: Log;
}) {
  const { store, bindings, settings, handOver, platforms, maxReplyCharacters, reports, log } =
    options;
  const chatbot = createConversationChatbot(options.client, options.serviceLimits);
  const sessions = createSessions({
    store: store.keyv<SessionRecord>('session'),
    chatbot,
    bindings,
  });
  const turns = createTurns({
    journal: store.keyv<TurnRecord>('journal'),
    ended: store.keyv<TurnRecord>('turn'),
  });
  const openThread = (address: ThreadAddress) =>
    platforms.find((platform) => platform.name === address.platform)?.thread(address);
  const tools = {
    chatbot,
    sessions,
    turns,
    pacer: createPacer(),
    openThread,
    maxReplyCharacters,
    log,
  };
  const conversation = createConversation({
    ...tools,
    coordinator: store.coordinator,
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
