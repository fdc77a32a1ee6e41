import { createCache } from '../../../shared/primitives/cache.ts';
import { sleep } from '../../../shared/primitives/time.ts';
import type { Texts } from '../../texts/texts.ts';
import { isOutsideWorkspaces, type ThreadAddress } from '../address.ts';
import type { Chatbot, HandOverSettings } from '../chatbot.ts';
import { hasContacts, type Settings } from '../settings.ts';
import type { Log } from '../../../shared/primitives/log.ts';

/** Who is notified when somebody asks for a person. */
export type Contacts = Pick<Settings, 'of'>;

const freshMs = 60_000;

/** Max wait for the settings, while a question is held up. */
const maxWaitMs = 1_000;

const maxChatbots = 500;

/** The hand-over settings of chatbots, cached for about a minute. */
export function createKnownSettings(options: {
  chatbot: Pick<Chatbot, 'handOver'>;
  /** Aborted at shutdown. */
  signal: AbortSignal;
  log: Log;
  now: () => number;
}) {
  const { chatbot, signal, log, now } = options;
  const createKnown = () =>
    createCache<HandOverSettings | undefined>({ max: maxChatbots, freshMs, now });
  let cache = createKnown();
  type Settings = Promise<HandOverSettings | undefined>;

  /** The settings or, while a slow service delays them, the last known ones. */
  async function load(uuid: string, before?: Settings): Settings {
    const reading = read(uuid, before);
    const known = cache;
    void reading.then((settings) => known.set(uuid, Promise.resolve(settings)));
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

  return {
    /** Never rejects: if the service is slow or can't be reached, the last known settings apply. */
    of: (uuid: string) => cache.get(uuid, (before) => load(uuid, before)),
    /** Forgets all of them, so that they are read again. */
    forget() {
      cache = createKnown();
    },
  };
}

/** Max characters of a message to search for a request. */
const maxTextLength = 4_000;

/** Scripts that put no spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Whether a message asks for a person: it contains one of the monitored messages as whole words.
 * Case, spaces and punctuation make no difference; where a script has no spaces between words,
 * containing it is enough.
 */
export function asksForPerson(text: string, monitored: readonly string[]): boolean {
  const said = toWords(text.slice(0, maxTextLength));
  return monitored.some((message) => {
    const words = toWords(message);
    if (words === '') return false;
    return unspaced.test(words) ? said.includes(words) : ` ${said} `.includes(` ${words} `);
  });
}

function toWords(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Mark}\p{Number}]+/gu, ' ')
    .trim();
}

/**
 * Why a thread can't be handed over, as a sentence for the asker; undefined if it can. Rejects when
 * the store is down.
 */
export async function whyNotHere(
  address: ThreadAddress,
  settings: HandOverSettings,
  contacts: Contacts,
  { handOver }: Texts,
): Promise<string | undefined> {
  const { channel, thread } = address;
  if (!isOutsideWorkspaces(address)) return thread === channel ? handOver.noThread : undefined;
  // Nobody else can see a direct message: people must be notified to learn of it.
  const isTold = settings.notifies && hasContacts((await contacts.of(address)).contacts);
  return isTold ? undefined : handOver.noneFromHere;
}

/**
 * Whether there is anybody to notify when somebody asks for a person. Says in the log why not. Never
 * rejects.
 */
export async function isAnybodyNotified(
  thread: ThreadAddress,
  settings: HandOverSettings,
  { contacts, log }: { contacts: Contacts; log: Log },
): Promise<boolean> {
  if (!settings.notifies) {
    log.warn({ thread }, 'somebody asks for a person, but the agent’s notifications are off');
    return false;
  }
  try {
    if (hasContacts((await contacts.of(thread)).contacts)) return true;
    const nobody =
      'somebody asks for a person, but no channel or people to notify are set (the command “handover on” sets a channel)';
    log.warn({ thread }, nobody);
  } catch (error) {
    const unread = 'the contacts for a request for a person could not be read';
    log.error({ err: error, thread }, unread);
  }
  return false;
}
