import { createCache } from '../../../shared/primitives/cache.ts';
import { sleep } from '../../../shared/primitives/sleep.ts';
import type { Chatbot, HandOverSettings, Log } from '../ports.ts';

/** The hand-over settings of chatbots, cached for about a minute. */
export interface KnownSettings {
  /** Never rejects: if the service is slow or can't be reached, the last known settings apply. */
  of(chatbot: string): Promise<HandOverSettings | undefined>;
}

const freshMs = 60_000;

/** Max wait for the settings, while a question is held up. */
const maxWaitMs = 1_000;

const maxChatbots = 500;

export function createKnownSettings(options: {
  chatbot: Pick<Chatbot, 'handOver'>;
  /** Aborted at shutdown. */
  signal: AbortSignal;
  log: Log;
  now: () => number;
}): KnownSettings {
  const { chatbot, signal, log, now } = options;
  const cache = createCache<HandOverSettings | undefined>({ max: maxChatbots, freshMs, now });
  type Settings = Promise<HandOverSettings | undefined>;

  /** The settings or, while a slow service keeps them back, those known before. */
  async function load(uuid: string, before?: Settings): Settings {
    const reading = read(uuid, before);
    void reading.then((settings) => cache.set(uuid, Promise.resolve(settings)));
    const ended = new AbortController();
    try {
      return await Promise.race([reading, sleep(maxWaitMs, ended.signal).then(() => before)]);
    } finally {
      ended.abort();
    }
  }

  async function read(uuid: string, before?: Settings): Settings {
    try {
      return await chatbot.handOver(uuid, signal);
    } catch (error) {
      log.warn({ err: error, chatbot: uuid }, 'the agents’ hand-over settings could not be read');
      return before;
    }
  }

  return { of: (uuid) => cache.get(uuid, (before) => load(uuid, before)) };
}
