import { createHash } from 'node:crypto';
import type { IncomingMessage, KeyedStore, ThreadAddress, Author } from '../ports.ts';
import { createQueue } from '../../primitives/queue.ts';
import { turnId } from '../turns.ts';
import { messagesFor } from '../../messages/messages.ts';
import { addressKey } from '../address.ts';
import { shorten } from '../../primitives/shorten.ts';
import type { Announcement } from './announcements.ts';
import { renderPlainText } from '../markdown/plain-text.ts';

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
function remember(said: readonly Said[], { id, name, text }: Said): Said[] {
  const line = { id, name: oneLine(name, maxNameLength), text: oneLine(text, maxSaidLength) };
  return line.text === '' ? [...said] : [...said, line].slice(-maxSaid);
}

/** What was said with one thing in other words, or without it where none are left. */
function rephrase(said: readonly Said[], id: string, text: string): Said[] {
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

/** The hand-overs in the store. What happens to one of them happens one after another. */
export interface HandOverRecords {
  /** Does something with a hand-over, by its id, after what was begun before. */
  inOrder<Result>(id: string, task: () => Promise<Result>): Promise<Result>;
  /** Whether something is being done with a hand-over. */
  isBusy(id: string): boolean;
  get(id: string): Promise<HandOverRecord | undefined>;
  save(record: HandOverRecord): Promise<void>;
  /** Saves a hand-over with something that was said among people. */
  note(record: HandOverRecord, message: IncomingMessage): Promise<void>;
  /** Keeps what a message, by its `turnId`, says now of what was said; nothing of an empty text. */
  correct(message: string, text: string): Promise<void>;
  /** Forgets a thread's hand-over, unless people have it. */
  forget(thread: ThreadAddress): Promise<void>;
  /** Resolves once nothing is being done. */
  idle(): Promise<void>;
}

/** After this time nothing is left of a hand-over, its button included. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

export function createHandOverRecords(options: {
  store: KeyedStore<HandOverRecord>;
  /** The hand-overs that messages were said in: a deletion does not tell its thread. */
  saidIn: KeyedStore<string>;
  now: () => number;
}): HandOverRecords {
  const { store, saidIn, now } = options;
  const order = createQueue();

  async function save(record: HandOverRecord): Promise<void> {
    await store.set(handOverId(record.address), record, keptMs);
  }

  return {
    inOrder: (id, task) => order.run(id, task),
    isBusy: (id) => order.length(id) > 0,
    get: (id) => store.get(id),
    save,
    async note(record, message) {
      const { author, text } = message;
      const id = turnId(message);
      await saidIn.set(id, handOverId(record.address), keptMs);
      const said = remember(record.said, { id, name: author.name, text });
      await save({ ...record, saidAt: now(), said });
    },
    async correct(message, text) {
      const id = await saidIn.get(message);
      if (id === undefined) return;
      await order.run(id, async () => {
        const record = await store.get(id);
        if (record) await save({ ...record, said: rephrase(record.said, message, text) });
      });
    },
    forget: (thread) =>
      order.run(handOverId(thread), async () => {
        const record = await store.get(handOverId(thread));
        if (record && !isWithPeople(record, now())) await store.delete(handOverId(thread));
      }),
    idle: () => order.idle(),
  };
}
