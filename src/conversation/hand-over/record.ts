import { createHash } from 'node:crypto';
import { messagesFor } from '../../messages/messages.ts';
import { addressKey } from '../address.ts';
import { shorten } from '../../primitives/shorten.ts';
import type { Announcement } from './announcements.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import type { Author, ThreadAddress } from '../ports.ts';

/** A thread that was handed over to people, until its next question after them is answered. */
export interface HandOverRecord {
  address: ThreadAddress;
  askedBy: Person;
  /** Who asked the question below which a person was asked for, where somebody else did that. */
  onBehalfOf?: Person;
  /** Milliseconds since the epoch. */
  askedAt: number;
  /** The first to write there besides those in need. */
  takenBy?: Person;
  /** When something was said there last. */
  saidAt?: number;
  said: Said[];
  /** When the bot last said that it keeps quiet. */
  hintedAt?: number;
  /** The message of ours with the button that ends the hand-over. */
  announcement?: Announcement;
  /** The bot answers again; what was said waits for the next question. */
  ended?: true;
}

export type Person = Pick<Author, 'id' | 'name' | 'locale'>;

/** What somebody said while people had the thread. */
export interface Said {
  /** The message's identity, as `turnId` derives it. */
  id: string;
  name: string;
  text: string;
}

/** Nobody took it up: the one who asked gets answers again. */
const untakenMs = 24 * 60 * 60 * 1000;

/** People who took it up and left it at that. */
const silentMs = 7 * 24 * 60 * 60 * 1000;

/** Whether people have the thread: they have a day to come, and a week after what was said last. */
export function isWithPeople(record: HandOverRecord, now: number): boolean {
  if (record.ended) return false;
  const { askedAt, takenBy, saidAt = askedAt } = record;
  return takenBy ? now <= saidAt + silentMs : now <= askedAt + untakenMs;
}

/** Whether it is for them that a person was asked for. */
export function isInNeed({ askedBy, onBehalfOf }: HandOverRecord, { id }: Person): boolean {
  return id === askedBy.id || id === onBehalfOf?.id;
}

/** Who may not end a hand-over is told who may. */
export function whyNotEnd(record: HandOverRecord, by: Author): string | undefined {
  const { askedBy, onBehalfOf, takenBy } = record;
  if (by.isManager || isInNeed(record, by) || by.id === takenBy?.id) return undefined;
  return messagesFor(by.locale).handOver.notYoursToEnd({
    askedBy: renderPlainText(askedBy.name),
    onBehalfOf: onBehalfOf && renderPlainText(onBehalfOf.name),
    takenBy: takenBy && renderPlainText(takenBy.name),
  });
}

/** The identity of a thread's hand-over, which fits into a button. */
export function handOverId(thread: ThreadAddress): string {
  return createHash('sha256').update(addressKey(thread)).digest('base64url').slice(0, 22);
}

const maxSaid = 50;
const maxSaidLength = 500;
const maxNameLength = 80;

/** What was said with one thing more; of more than fifty the first is forgotten. */
export function remember(said: readonly Said[], { id, name, text }: Said): Said[] {
  const line = { id, name: oneLine(name, maxNameLength), text: oneLine(text, maxSaidLength) };
  return line.text === '' ? [...said] : [...said, line].slice(-maxSaid);
}

/** What was said with one thing in other words, or without it where none are left. */
export function rephrase(said: readonly Said[], id: string, text: string): Said[] {
  const line = oneLine(text, maxSaidLength);
  const others = line === '' ? said.filter((each) => each.id !== id) : said;
  return others.map((each) => (each.id === id ? { ...each, text: line } : each));
}

const maxContextLength = 3_000;

/**
 * What was said while people had the thread, for the next query, a line each; the newest of it
 * where it is long. Undefined where nothing was said.
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

function oneLine(text: string, most: number): string {
  return shorten(text.replaceAll(/\s+/g, ' ').trim(), most);
}
