import { createConversationChatbot } from '../../../src/chatbot/conversation-chatbot.ts';
import { createChatbotClient } from '../../../src/chatbot/chatbot-client.ts';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { createPacer } from '../../../src/conversation/pacer.ts';
import type { Log, Platform, Receiver } from '../../../src/conversation/ports.ts';
import { createSessions, type SessionRecord } from '../../../src/conversation/sessions.ts';
import { createTurns, type TurnRecord } from '../../../src/conversation/turns.ts';
import { openStore } from '../../../src/stores/open-store.ts';

/** The core as the app puts it together, without a server, for one platform. */
export function createCore(options: {
  /** Where the chatbot service answers. */
  upstream: string;
  storeUrl: string;
  platform: Platform;
  log: Log;
}): Receiver {
  const { platform, log } = options;
  const store = openStore(options.storeUrl);
  const client = createChatbotClient({ baseUrl: options.upstream, apiKey: 'bench' });
  const chatbot = createConversationChatbot(client);
  return createConversation({
    chatbot,
    sessions: createSessions({
      store: store.keyv<SessionRecord>('session'),
      chatbot,
      bindings: { chatbotFor: async () => 'bench' },
    }),
    turns: createTurns({
      journal: store.keyv<TurnRecord>('journal'),
      ended: store.keyv<TurnRecord>('turn'),
    }),
    coordinator: store.coordinator,
    pacer: createPacer(),
    openThread: (address) => platform.thread(address),
    log,
  });
}
