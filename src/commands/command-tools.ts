import type { ChatbotClient } from '../chatbot/chatbot-client.ts';
import type { ChangeableBindings } from '../conversation/bindings.ts';
import type { ThreadControl } from '../conversation/thread-control.ts';

/** What the commands need of the rest of the process. */
export interface CommandTools {
  client: ChatbotClient;
  bindings: ChangeableBindings;
  threads: ThreadControl;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds since the epoch. */
  now: () => number;
}
