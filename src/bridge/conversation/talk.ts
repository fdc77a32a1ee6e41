import { inTime, sleep as sleepFor, type Sleep } from '../../shared/primitives/time.ts';
import { shorten } from '../../shared/primitives/text.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { addressKey, parseAddressKey, type ThreadAddress } from './address.ts';
import type { Inbox } from './inbox/inbox.ts';
import { asTurn, isLeftOpen, turnId, type TurnRecord } from './inbox/row.ts';
import type { KeyedStore } from './keyed-store.ts';
import type { Author, IncomingMessage } from './platform.ts';
import type { Settings } from './settings.ts';
import type { Spoken, Thread } from './thread.ts';

/**
 * What people say to each other in a thread, for the next question there. What was said before the bot
 * was called is read once; after that, it is collected from messages that are not for the bot.
 */
export interface Talk {
  /** A question was asked: what people say around it is collected from now on. */
  join(question: Pick<IncomingMessage, 'id' | 'thread'>): Promise<void>;
  /** What is said in a thread is collected from now on: people have it. */
  follow(thread: ThreadAddress): Promise<void>;
  /** Adds a message to what was said, if it is collected in its thread. */
  note(
    message: Pick<IncomingMessage, 'id' | 'thread' | 'text'> & {
      author: Pick<Author, 'id' | 'name'>;
    },
  ): Promise<void>;
  /** Updates a message, by its `turnId`, in what was said; an empty text removes it. */
  correct(message: string, text: string): Promise<void>;
  /**
   * What was said before a question, one line each, only the newest if it is long; empty if nothing
   * was. Reading it takes a few seconds at most, and a failure is only logged.
   */
  before(turn: TurnRecord, thread: Thread): Promise<string>;
  /** Deletes what a person said in any thread. */
  forgetPerson(id: string, isThere: (thread: ThreadAddress) => boolean): Promise<void>;
  /** Deletes what was said in a thread, all of it or only what was said before a question. */
  forget(thread: ThreadAddress, turn?: TurnRecord): Promise<void>;
}

/** What was said in a thread, and is not known to its session yet. */
export interface TalkRecord {
  said: Said[];
  /** What was said before the first question has been read. */
  isRead?: true;
}

/** What somebody said to others. */
interface Said {
  /** The message's identity, as `turnId` derives it. */
  id: string;
  /** The message's id on its platform, where later messages have higher ones. */
  sent: string;
  name: string;
  text: string;
  /** The id of who said it. */
  by?: string;
}

/** Where what was said is kept. */
export interface TalkStores {
  /** By the key of the thread. */
  store: KeyedStore<TalkRecord>;
  /** The threads of messages, by the messages' `turnId`: a deletion event does not contain the thread. */
  saidIn: KeyedStore<string>;
}

interface TalkOptions extends TalkStores {
  inbox: Pick<Inbox, 'get'>;
  settings: Pick<Settings, 'in'>;
  log: Log;
  sleep?: Sleep;
}

const maxSaid = 50;
const maxSaidLength = 500;
const maxNameLength = 80;
const maxContextLength = 3_000;
/** What nobody asks about is deleted after this time. */
const keptMs = 30 * 24 * 60 * 60 * 1000;
/** Reading takes at most so long: a question waits for it. */
const maxReadMs = 5_000;

export function createTalk(options: TalkOptions): Talk {
  const { store, saidIn, inbox, settings, log, sleep = sleepFor } = options;

  const change = (key: string, next: (record: TalkRecord) => TalkRecord) =>
    store.update(key, (known) => known && next(known), keptMs);

  async function follow(thread: ThreadAddress, fields?: Pick<TalkRecord, 'isRead'>) {
    const key = addressKey(thread);
    // Most threads have one, and a read waits for nobody.
    if (await store.get(key)) return;
    await store.update(key, (known = { said: [], ...fields }) => known, keptMs);
  }

  async function add(thread: ThreadAddress, spoken: readonly Spoken[], isRead?: true) {
    const key = addressKey(thread);
    const lines = spoken.map((each) => ({ ...each, id: turnId(thread, each.sent) }));
    for (const { id } of lines) await saidIn.set(id, key, keptMs);
    const { after } = await change(key, ({ said, ...record }) => ({
      ...record,
      ...(isRead && { isRead }),
      said: lines.reduce(remember, said),
    }));
    return after?.said ?? [];
  }

  /** What was said before a question, without the questions that were asked. Undefined if it can't be read. */
  async function read(turn: TurnRecord, thread: Thread): Promise<Spoken[] | undefined> {
    const { address, messageId } = turn;
    const where = isInside(address, messageId) ? 'thread' : 'channel';
    try {
      const reading = thread.readBefore?.(messageId, where, maxSaid) ?? Promise.resolve([]);
      const found = await inTime(reading, maxReadMs, sleep);
      const others: Spoken[] = [];
      for (const spoken of found ?? []) {
        const turn = asTurn(await inbox.get(turnId(address, spoken.sent)));
        // No session knows of a question that was left without an answer.
        if (!turn || isLeftOpen(turn)) others.push(spoken);
      }
      return found && others;
    } catch (error) {
      log.info({ err: error, thread: address }, 'the conversation before a question can’t be read');
      return undefined;
    }
  }

  return {
    async join({ id, thread: { address, readBefore } }) {
      if (!readBefore) return;
      const isTaken = isInside(address, id) || (await settings.in(address)).takesContext;
      // Nothing comes before the first message of a thread.
      const isOwn = address.thread === id;
      if (isTaken || isOwn) await follow(address, isTaken ? {} : { isRead: true });
    },
    follow: (thread) => follow(thread),
    async note({ id: sent, thread, author, text }) {
      if (!(await store.get(addressKey(thread.address)))) return;
      await add(thread.address, [{ sent, name: author.name, text, by: author.id }]);
    },
    async correct(message, text) {
      const key = await saidIn.get(message);
      if (key === undefined) return;
      await change(key, (record) => ({ ...record, said: rephrase(record.said, message, text) }));
    },
    async before(turn, thread) {
      const record = await store.get(addressKey(turn.address));
      if (!record) return '';
      const found = record.isRead ? undefined : await read(turn, thread);
      const said = found ? await add(turn.address, found, true) : record.said;
      return render(said.filter(isBefore(turn)));
    },
    async forgetPerson(id, isThere) {
      for await (const [key, { said }] of store.entries()) {
        const place = parseAddressKey(key);
        if (!place || !isThere(place) || !said.some(({ by }) => by === id)) continue;
        await change(key, (record) => ({
          ...record,
          said: record.said.filter(({ by }) => by !== id),
        }));
      }
    },
    async forget(thread, turn) {
      const key = addressKey(thread);
      const isOld = turn ? isBefore(turn) : () => true;
      if (!(await store.get(key))?.said.some(isOld)) return;
      await change(key, ({ said, ...record }) => ({
        ...record,
        said: said.filter((each) => !isOld(each)),
      }));
    },
  };
}

/** Whether a question was asked in a thread that others had begun. */
function isInside({ channel, thread }: ThreadAddress, question: string): boolean {
  return thread !== question && thread !== channel;
}

/** Whether something was said before a question, and is not the question itself. */
function isBefore({ id, messageId }: TurnRecord): (said: Said) => boolean {
  return (said) => said.id !== id && !(Number(said.sent) > Number(messageId));
}

/**
 * Adds a message to what was said, in the order in which it was sent: a platform may deliver the
 * second of two first. Beyond fifty, the oldest is dropped.
 */
function remember(said: readonly Said[], { name, text, ...known }: Said): Said[] {
  const { id } = known;
  const line = { ...known, name: oneLine(name, maxNameLength), text: oneLine(text, maxSaidLength) };
  // After a crash the message may be handled once more.
  const others = said.filter((each) => each.id !== id);
  if (line.text === '') return others;
  const all = [...others, line].toSorted((one, other) => Number(one.sent) - Number(other.sent));
  return all.slice(-maxSaid);
}

/** Replaces a message in what was said, or removes it if its text is empty. */
function rephrase(said: readonly Said[], id: string, text: string): Said[] {
  const line = oneLine(text, maxSaidLength);
  const others = line === '' ? said.filter((each) => each.id !== id) : said;
  return others.map((each) => (each.id === id ? { ...each, text: line } : each));
}

function render(said: readonly Said[]): string {
  const lines: string[] = [];
  let length = 0;
  for (const { name, text } of said.toReversed()) {
    const line = `${beginLine(name)}${text}`;
    length += line.length + 1;
    if (length > maxContextLength) break;
    lines.unshift(line);
  }
  return lines.join('\n');
}

/** How each line with what a person said begins. */
export function beginLine(name: string): string {
  return `${oneLine(name, maxNameLength)}: `;
}

function oneLine(text: string, max: number): string {
  return shorten(text.replaceAll(/\s+/g, ' ').trim(), max);
}
