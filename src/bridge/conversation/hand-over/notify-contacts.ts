import { shorten } from '../../../shared/primitives/text.ts';
import { english } from '../../texts/texts.ts';
import { addressKey } from '../address.ts';
import type { KeyedStore } from '../keyed-store.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import type { Author, Notice } from '../platform.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { Thread } from '../thread.ts';
import type { Person } from './records.ts';
import type { Contacts } from './settings.ts';

/** Somebody asks for a person, or a question needs one. */
export interface PersonRequest {
  thread: Thread;
  by: Author;
  /** What they said, or what they had asked before pressing the button. */
  query: string;
  /** Who asked the question, if somebody else pressed the button below its reply. */
  onBehalfOf?: Person;
  /** The bot posted no answer to the question. */
  isUnanswered?: true;
  /** The message that asked, as `turnId` derives it; absent after a button. */
  askedIn?: string;
}

/**
 * Notifies the contacts that somebody asks for a person. Resolves with whether they were notified
 * now, had been shortly before, or can't be. Never rejects.
 */
export type NotifyContacts = (request: PersonRequest) => Promise<'now' | 'before' | 'nobody'>;

const maxPeople = 20;
const maxQueryLength = 500;
const timeoutMs = 10_000;

/** Min interval between notifications for the same thread. */
const tellEveryMs = 10 * 60 * 1000;

/**
 * Notifies the contact channel, with mentions of the contact people; if there is no channel or it
 * fails, each of them by direct message. At most once in ten minutes per thread.
 */
export function createNotifyContacts(options: {
  contacts: Contacts;
  notify(platform: string, notice: Notice, signal: AbortSignal): Promise<void>;
  /** When people were last notified, by thread, in milliseconds since the epoch. */
  toldAt: KeyedStore<number>;
  /** Aborted at shutdown. */
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Log;
}): NotifyContacts {
  const { contacts, notify, toldAt, signal, now, log } = options;

  /** While the store is down, people may be notified twice, which is better than never. */
  async function wasTold(thread: string): Promise<boolean> {
    try {
      return now() < ((await toldAt.get(thread)) ?? -Infinity) + tellEveryMs;
    } catch (error) {
      log.error({ err: error, thread }, 'the time of the last notification could not be read');
      return false;
    }
  }

  async function keepTold(thread: string): Promise<void> {
    try {
      await toldAt.set(thread, now(), tellEveryMs);
    } catch (error) {
      log.error({ err: error, thread }, 'the time of a notification could not be stored');
    }
  }

  /** Resolves with whether anybody was notified. */
  async function tell(request: PersonRequest): Promise<boolean> {
    const { address } = request.thread;
    const { channel, people: named } = (await contacts.of(address)).contacts;
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
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      await notify(platform, { workspace, ...notice }, limited);
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
    if (await wasTold(thread)) return 'before';
    try {
      if (!(await tell(request))) return 'nobody';
    } catch (error) {
      log.error(
        { err: error, thread: address },
        'the contacts for a request for a person could not be read',
      );
      return 'nobody';
    }
    await keepTold(thread);
    return 'now';
  };
}

/** Without a link it is a direct message, most likely, which nobody else can open. */
function renderNotice(
  { by, onBehalfOf, isUnanswered, query }: PersonRequest,
  link: string | undefined,
): string {
  // The reader, and so the language, is unknown.
  const { asks, asksFor, unanswered, open, noLink } = english.handOver.notice;
  const where = link ? open(link) : noLink;
  const short = shorten(query.trim(), maxQueryLength);
  // A link in their text must not pass for the one above it.
  const quote = short.replaceAll('](', '] (').replaceAll('\n', '\n> ');
  const name = `**${renderPlainText(by.name)}**`;
  const request = onBehalfOf
    ? asksFor(name, `**${renderPlainText(onBehalfOf.name)}**`)
    : (isUnanswered ? unanswered : asks)(name);
  return `${request} ${where}${quote && `\n> ${quote}`}`;
}
