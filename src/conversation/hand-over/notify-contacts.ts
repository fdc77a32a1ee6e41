import { LRUCache } from 'lru-cache';
import { english, messagesFor } from '../../messages/messages.ts';
import { addressKey } from '../address.ts';
import { shorten } from '../../primitives/shorten.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import type { Author, HandOverContacts, Log, Notice, Thread } from '../ports.ts';
import type { Say } from './announcements.ts';
import type { HandOverRecords, Person } from './records.ts';
import { createQueue } from '../../primitives/queue.ts';
import { handOverId, isWithPeople } from './records.ts';

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
export type NotifyResult = 'now' | 'before' | 'nobody';

/** Tells those who are named for it that somebody asks for a person. Never rejects. */
export type NotifyContacts = (request: PersonRequest) => Promise<NotifyResult>;

const maxPeople = 20;
const maxQueryLength = 500;
const timeoutMs = 10_000;

/** Whoever asks again and again in a thread calls people about so often. */
const tellEveryMs = 10 * 60 * 1000;

const maxThreads = 1_000;

/**
 * Tells the channel that is named, where the people named are called by their names, or, without
 * one or where it fails, each of them by a direct message; once in ten minutes for each thread.
 */
export function createNotifyContacts(options: {
  contacts: HandOverContacts;
  notify(platform: string, notice: Notice, signal: AbortSignal): Promise<void>;
  /** Aborted at shutdown. */
  signal: AbortSignal;
  now: () => number;
  log: Log;
}): NotifyContacts {
  const { contacts, notify, signal, now, log } = options;
  /** When people were told last, by the thread. */
  const lastTold = new LRUCache<string, number>({ max: maxThreads });

  function keepTold(thread: string): void {
    lastTold.set(thread, now());
  }

  /** Resolves with whether anybody was told. */
  async function tell(request: PersonRequest): Promise<boolean> {
    const { address } = request.thread;
    const { channel, people: named } = await contacts.contactsFor(address);
    const people = named.slice(0, maxPeople);
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
        AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
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
  const short = shorten(query.trim(), maxQueryLength);
  // A link of theirs must not pass for the one above it.
  const quote = short.replaceAll('](', '] (').replaceAll('\n', '\n> ');
  const name = `**${renderPlainText(by.name)}**`;
  const request = onBehalfOf
    ? asksFor(name, `**${renderPlainText(onBehalfOf.name)}**`)
    : asks(name);
  return `${request} ${where}${quote && `\n> ${quote}`}`;
}

/** Tells people that somebody asks for a person, and that somebody where nobody was told. */
export interface RequestNotifier {
  /** Begins to tell. It takes its time, which the thread does not wait for. */
  begin(request: PersonRequest): void;
  /** Resolves once nobody is being told anything. */
  idle(): Promise<void>;
}

export function createRequestNotifier(options: {
  notifyContacts: NotifyContacts;
  say: Say;
  records: HandOverRecords;
  now: () => number;
  log: Log;
}): RequestNotifier {
  const { notifyContacts, say, records, now, log } = options;
  const queue = createQueue();

  /** Whoever waits in vain is told so, unless somebody came or it has ended meanwhile. */
  async function tell(request: PersonRequest, id: string): Promise<void> {
    const told = await notifyContacts(request);
    if (told === 'now') return;
    await records.inOrder(id, async () => {
      const record = await records.get(id);
      if (!record || !isWithPeople(record, now()) || record.takenBy) return;
      const { toldBefore, nobodyTold } = messagesFor(request.by.locale).handOver;
      const why = told === 'before' ? toldBefore : nobodyTold;
      await say(request.thread, why);
    });
  }

  return {
    begin(request) {
      const { address } = request.thread;
      const id = handOverId(address);
      queue
        .run(id, () => tell(request, id))
        .catch((error: unknown) =>
          log.error(
            { err: error, thread: address },
            'a thread could not be told that nobody was notified',
          ),
        );
    },
    idle: () => queue.idle(),
  };
}
