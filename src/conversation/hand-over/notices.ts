import { LRUCache } from 'lru-cache';
import { english } from '../../messages/messages.ts';
import { addressKey } from '../address.ts';
import { shorten } from '../../primitives/shorten.ts';
import type { Person } from './record.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import type { Author, HandOverContacts, Log, Notice, Thread } from '../ports.ts';

/** Somebody asks for a person. */
export interface PersonRequest {
  thread: Thread;
  by: Author;
  /** What they said, or what they had asked before they pressed the button. */
  query: string;
  /** Who had asked the question, where somebody else pressed the button below its reply. */
  onBehalfOf?: Person;
}

/** Whether people were told, had been told a short while before, or can't be told at all. */
export type Told = 'now' | 'before' | 'nobody';

/** Tells those who are named for it that somebody asks for a person. Never rejects. */
export type TellContacts = (request: PersonRequest) => Promise<Told>;

const mostPeople = 20;
const longestQuery = 500;
const longestMs = 10_000;

/** Whoever asks again and again in a thread calls people about so often. */
const tellEveryMs = 10 * 60 * 1000;

const mostThreads = 1_000;

/**
 * Tells the channel that is named, where the people named are called by their names, or, without
 * one or where it fails, each of them by a direct message; once in ten minutes for each thread.
 */
export function createTellContacts(options: {
  contacts: HandOverContacts;
  notify(platform: string, notice: Notice, signal: AbortSignal): Promise<void>;
  /** Aborted at shutdown. */
  signal: AbortSignal;
  now: () => number;
  log: Log;
}): TellContacts {
  const { contacts, notify, signal, now, log } = options;
  /** When people were told last, by the thread. */
  const lastTold = new LRUCache<string, number>({ max: mostThreads });

  function keepTold(thread: string): void {
    lastTold.set(thread, now());
  }

  /** Resolves with whether anybody was told. */
  async function tell(request: PersonRequest): Promise<boolean> {
    const { address } = request.thread;
    const { channel, people: named } = await contacts.contactsFor(address);
    const people = named.slice(0, mostPeople);
    if (channel === undefined && people.length === 0) {
      const nobody =
        'somebody asks for a person, but neither a channel nor people are named to be told (/chatbot notify names them)';
      log.warn({ thread: address }, nobody);
      return false;
    }
    const markdown = renderNotice(request, await findLink(request.thread));
    const send = (notice: Pick<Notice, 'to' | 'people'>) =>
      sendTo(request, { ...notice, markdown });
    if (channel !== undefined && (await send({ to: { channel }, people }))) return true;
    const sent = await Promise.all(people.map((person) => send({ to: { person } })));
    return sent.includes(true);
  }

  async function sendTo(
    { thread: { address } }: PersonRequest,
    notice: Omit<Notice, 'workspace'>,
  ): Promise<boolean> {
    const { platform, workspace } = address;
    try {
      await notify(
        platform,
        { workspace, ...notice },
        AbortSignal.any([signal, AbortSignal.timeout(longestMs)]),
      );
      return true;
    } catch (error) {
      log.error(
        { err: error, thread: address, to: notice.to },
        'nobody was notified of a request for a person',
      );
      return false;
    }
  }

  async function findLink(thread: Thread): Promise<string | undefined> {
    try {
      return await thread.link?.();
    } catch (error) {
      log.warn({ err: error, thread: thread.address }, 'a thread’s link could not be found');
      return undefined;
    }
  }

  return async (request) => {
    const { address } = request.thread;
    const thread = addressKey(address);
    if (now() < (lastTold.get(thread) ?? -Infinity) + tellEveryMs) return 'before';
    try {
      if (!(await tell(request))) return 'nobody';
    } catch (error) {
      log.error(
        { err: error, thread: address },
        'the contacts for a request for a person could not be read',
      );
      return 'nobody';
    }
    keepTold(thread);
    return 'now';
  };
}

/** Without a link it is a direct message, most likely, which nobody else can open. */
function renderNotice({ by, onBehalfOf, query }: PersonRequest, link: string | undefined): string {
  // Who reads it, and in which language, is not known.
  const { asks, asksFor, open, noLink } = english.handOver.notice;
  const where = link ? open(link) : noLink;
  const short = shorten(query.trim(), longestQuery);
  // A link of theirs must not pass for the one above it.
  const quote = short.replaceAll('](', '] (').replaceAll('\n', '\n> ');
  const name = `**${renderPlainText(by.name)}**`;
  const request = onBehalfOf
    ? asksFor(name, `**${renderPlainText(onBehalfOf.name)}**`)
    : asks(name);
  return `${request} ${where}${quote && `\n> ${quote}`}`;
}
