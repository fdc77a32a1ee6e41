import { createLru } from '../../../shared/primitives/lru.ts';
import { english, textsFor } from '../../texts/texts.ts';
import { addressKey } from '../address.ts';
import { shorten } from '../../../shared/primitives/shorten.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import type {
  Author,
  HandOverContacts,
  HandOverSettings,
  Log,
  Notice,
  Thread,
  ThreadAddress,
} from '../ports.ts';
import { hasContacts } from './person-request.ts';
import type { Say } from './announcements.ts';
import type { HandOverRecords, Person } from './records.ts';
import { createQueue } from '../../../shared/primitives/queue.ts';
import { handOverId, isWithPeople } from './records.ts';

/** Somebody asks for a person. */
export interface PersonRequest {
  thread: Thread;
  by: Author;
  /** What they said, or what they had asked before pressing the button. */
  query: string;
  /** Who asked the question, if somebody else pressed the button below its reply. */
  onBehalfOf?: Person;
  /** The message that asked, as `turnId` derives it; absent after a button. */
  askedIn?: string;
}

/** Whether people were notified now, had been notified shortly before, or can't be notified. */
export type NotifyResult = 'now' | 'before' | 'nobody';

/** Notifies the contacts that somebody asks for a person. Never rejects. */
export type NotifyContacts = (request: PersonRequest) => Promise<NotifyResult>;

const maxPeople = 20;
const maxQueryLength = 500;
const timeoutMs = 10_000;

/** Min interval between notifications for the same thread. */
const tellEveryMs = 10 * 60 * 1000;

const maxThreads = 1_000;

/**
 * Notifies the contact channel, with mentions of the contact people; if there is no channel or it
 * fails, each of them by direct message. At most once in ten minutes per thread.
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
  /** When people were last notified, by thread. */
  const lastTold = createLru<number>(maxThreads);

  function keepTold(thread: string): void {
    lastTold.set(thread, now());
  }

  /** Resolves with whether anybody was notified. */
  async function tell(request: PersonRequest): Promise<boolean> {
    const { address } = request.thread;
    const { channel, people: named } = await contacts.contactsFor(address);
    const people = named.slice(0, maxPeople);
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
  // The reader, and so the language, is unknown.
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

/**
 * Notifies the contacts that somebody asks for a person, and tells the asker if nobody was
 * notified.
 */
export interface RequestNotifier {
  /** Whether there is anybody to notify. Says in the log why not. Never rejects. */
  reaches(thread: ThreadAddress, settings: HandOverSettings): Promise<boolean>;
  /** Starts notifying. It may be slow, and the thread does not wait for it. */
  begin(request: PersonRequest): void;
  /** Resolves once no notification is running. */
  idle(): Promise<void>;
}

export function createRequestNotifier(options: {
  contacts: HandOverContacts;
  notifyContacts: NotifyContacts;
  /** A command as people type it on a platform. */
  typed(platform: string, words: string): string;
  say: Say;
  records: HandOverRecords;
  now: () => number;
  log: Log;
}): RequestNotifier {
  const { contacts, notifyContacts, typed, say, records, now, log } = options;
  const queue = createQueue();

  /**
   * Tells the asker if nobody was notified, unless somebody has joined or the hand-over has ended.
   */
  async function tell(request: PersonRequest, id: string): Promise<void> {
    const told = await notifyContacts(request);
    if (told === 'now') return;
    await records.inOrder(id, async () => {
      const record = await records.get(id);
      if (!record || !isWithPeople(record, now()) || record.takenBy) return;
      const { toldBefore, nobodyTold } = textsFor(request.by.locale).handOver;
      const command = typed(request.thread.address.platform, 'chatbot notify');
      const why = told === 'before' ? toldBefore : nobodyTold(`\`${command}\``);
      await say(request.thread, why);
    });
  }

  return {
    async reaches(thread, settings) {
      if (!settings.notifies) {
        log.warn({ thread }, 'somebody asks for a person, but the agent’s notifications are off');
        return false;
      }
      try {
        if (await hasContacts(thread, contacts)) return true;
        const nobody =
          'somebody asks for a person, but neither a channel nor people are named to be told (the command “chatbot notify” names them)';
        log.warn({ thread }, nobody);
      } catch (error) {
        const unread = 'the contacts for a request for a person could not be read';
        log.error({ err: error, thread }, unread);
      }
      return false;
    },
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
