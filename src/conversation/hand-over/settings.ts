import { createCache } from '../../primitives/cache.ts';
import type { Chatbot, HandOverSettings, Log } from '../ports.ts';

/** The hand-over settings of chatbots, cached for about a minute. */
export interface KnownSettings {
  /** Never rejects: if the service can't be reached, the last known settings apply. */
  of(chatbot: string): Promise<HandOverSettings | undefined>;
}

const freshMs = 60_000;

/** Max wait for the settings, while a question is held up; then the last known ones apply. */
const timeoutMs = 2_000;

const maxChatbots = 500;

export function createKnownSettings(options: {
  chatbot: Pick<Chatbot, 'handOver'>;
  log: Log;
  now: () => number;
}): KnownSettings {
  const { chatbot, log, now } = options;
  const cache = createCache<HandOverSettings | undefined>({ max: maxChatbots, freshMs, now });

  async function load(
    uuid: string,
    before: Promise<HandOverSettings | undefined> | undefined,
  ): Promise<HandOverSettings | undefined> {
    try {
      return await chatbot.handOver(uuid, AbortSignal.timeout(timeoutMs));
    } catch (error) {
      log.warn({ err: error, chatbot: uuid }, 'the agents’ hand-over settings could not be read');
      return before;
    }
  }

  return { of: (uuid) => cache.get(uuid, (before) => load(uuid, before)) };
}
