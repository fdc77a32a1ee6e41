import { createHash } from 'node:crypto';
import type { IncomingMessage, Author } from '../platform.ts';
import type { KeyedStore } from '../keyed-store.ts';
import { type ThreadAddress, addressKey } from '../address.ts';
import { turnId } from '../inbox/row.ts';
import { textsFor } from '../../texts/texts.ts';
import { shorten } from '../../../shared/primitives/text.ts';
import { renderPlainText } from '../markdown/plain-text.ts';

/** A thread that was handed over to people, until its next question after them is answered. */
export interface HandOverRecord {
  address: ThreadAddress;
  askedBy: Person;
  /** Who asked the question, if somebody else asked for a person below its reply. */
  onBehalfOf?: Person;
  /** The message that asked for a person, as `turnId` derives it; absent after a button. */
  askedIn?: string;
  /** Milliseconds since the epoch. */
  askedAt: number;
  /** The first person to write there, other than those in need. */
  takenBy?: Person;
  /** When the last message was written there. */
  saidAt?: number;
  said: Said[];
  /** When the bot last said that it keeps quiet. */
  hintedAt?: number;
  /** The message of ours with the button that ends the hand-over. */
  announcement?: Announcement;
  /** The bot answers again; what was said is kept for the next query. */
  ended?: true;
}

/** A message of ours that announces a hand-over. */
export interface Announcement {
  id: string;
  markdown: string;
}

export type Person = Pick<Author, 'id' | 'name' | 'locale'>;

/** What somebody said while people had the thread. */
export interface Said {
  /** The message's identity, as `turnId` derives it. */
  id: string;
  /** The message's id on its platform, where later messages have higher ones. */
  sent: string;
  name: string;
  text: string;
}

/** If nobody takes over within this time, the bot answers again. */
const untakenMs = 24 * 60 * 60 * 1000;

/** If people stay silent this long, the bot answers again. */
const silentMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Whether people have the thread: for a day until someone takes over, then for a week after the
 * last message.
 */
export function isWithPeople(record: HandOverRecord, now: number): boolean {
  if (record.ended) return false;
  const { askedAt, takenBy, saidAt = askedAt } = record;
  return takenBy ? now <= saidAt + silentMs : now <= askedAt + untakenMs;
}

/** Whether the hand-over is for this person. */
export function isInNeed({ askedBy, onBehalfOf }: HandOverRecord, { id }: Person): boolean {
  return id === askedBy.id || id === onBehalfOf?.id;
}

/** Why a person may not end a hand-over, naming those who may; undefined if they may. */
export function whyNotEnd(record: HandOverRecord, by: Author): string | undefined {
  const { askedBy, onBehalfOf, takenBy } = record;
  if (by.isManager || isInNeed(record, by) || by.id === takenBy?.id) return undefined;
  return textsFor(by.locale).handOver.notYoursToEnd({
    askedBy: renderPlainText(askedBy.name),
    onBehalfOf: onBehalfOf && renderPlainText(onBehalfOf.name),
    takenBy: takenBy && renderPlainText(takenBy.name),
  });
}

/** The id of a thread's hand-over, short enough for a button. */
export function handOverId(thread: ThreadAddress): string {
  return createHash('sha256').update(addressKey(thread)).digest('base64url').slice(0, 22);
}

const maxSaid = 50;

const maxSaidLength = 500;

const maxNameLength = 80;

/**
 * Adds a message to what was said, in the order in which it was sent: a platform may deliver the
 * second of two first. Beyond fifty, the oldest is dropped.
 */
function remember(said: readonly Said[], { id, sent, name, text }: Said): Said[] {
  const line = { id, sent, name: oneLine(name, maxNameLength), text: oneLine(text, maxSaidLength) };
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

const maxContextLength = 3_000;

/**
 * Renders what was said during the hand-over for the next query, one line per message; only the
 * newest if it is long. Undefined if nothing was said.
 */
export function renderContext(said: readonly Said[]): string | undefined {
  const lines: string[] = [];
  let length = 0;
  for (const { name, text } of said.toReversed()) {
    const line = `${name}: ${text}`;
    length += line.length + 1;
    if (length > maxContextLength) break;
    lines.unshift(line);
  }
  return lines.length > 0 ? lines.join('\n') : undefined;
}

function oneLine(text: string, max: number): string {
  return shorten(text.replaceAll(/\s+/g, ' ').trim(), max);
}

/** The hand-overs in the store. */
export interface HandOverRecords {
  get(id: string): Promise<HandOverRecord | undefined>;
  /** Begins a hand-over; what was said in an earlier one is kept. Resolves with its record. */
  begin(record: Omit<HandOverRecord, 'said'>): Promise<HandOverRecord>;
  /** Changes some fields of a hand-over, if there is one. */
  change(id: string, fields: Partial<Omit<HandOverRecord, 'address' | 'said'>>): Promise<void>;
  /** Adds a message to what was said, and changes some fields. */
  note(
    id: string,
    message: IncomingMessage,
    fields: Pick<HandOverRecord, 'takenBy' | 'hintedAt'>,
  ): Promise<void>;
  /** Updates a message, by its `turnId`, in what was said; an empty text removes it. */
  correct(message: string, text: string): Promise<void>;
  /** Deletes a thread's hand-over, unless people have the thread. */
  forget(thread: ThreadAddress): Promise<void>;
}

/** A hand-over is deleted after this time; its button then no longer works. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

export function createHandOverRecords(options: {
  store: KeyedStore<HandOverRecord>;
  /** The hand-overs of messages: a deletion event does not contain the thread. */
  saidIn: KeyedStore<string>;
  now: () => number;
}): HandOverRecords {
  const { store, saidIn, now } = options;

  async function update(
    id: string,
    change: (record: HandOverRecord) => HandOverRecord | undefined,
  ): Promise<void> {
    await store.update(id, (record) => record && change(record), keptMs);
  }

  return {
    get: (id) => store.get(id),
    async begin(record) {
      const withSaid = (before?: HandOverRecord) => ({ ...record, said: before?.said ?? [] });
      const { before } = await store.update(handOverId(record.address), withSaid, keptMs);
      return withSaid(before);
    },
    change: (id, fields) => update(id, (record) => ({ ...record, ...fields })),
    async note(id, { thread, id: sent, author, text }, fields) {
      const line = { id: turnId(thread.address, sent), sent, name: author.name, text };
      await saidIn.set(line.id, id, keptMs);
      await update(id, (record) => ({
        ...record,
        ...fields,
        saidAt: now(),
        said: remember(record.said, line),
      }));
    },
    async correct(message, text) {
      const id = await saidIn.get(message);
      if (id === undefined) return;
      await update(id, (record) => ({ ...record, said: rephrase(record.said, message, text) }));
    },
    async forget(thread) {
      const id = handOverId(thread);
      // Most threads have none, and a read waits for nobody.
      if (!(await store.get(id))) return;
      await update(id, (record) => (isWithPeople(record, now()) ? record : undefined));
    },
  };
}
