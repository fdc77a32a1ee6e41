import type { Author } from '../platform.ts';
import type { KeyedStore } from '../keyed-store.ts';
import { addressKey, shortId, type ThreadAddress } from '../address.ts';
import { textsFor } from '../../texts/texts.ts';
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
  /** When the bot last said that it keeps quiet. */
  hintedAt?: number;
  /** The message of ours with the button that ends the hand-over. */
  announcement?: Announcement;
  /** The bot answers again. */
  ended?: true;
}

/** A message of ours that announces a hand-over. */
export interface Announcement {
  id: string;
  markdown: string;
}

export type Person = Pick<Author, 'id' | 'name' | 'locale'>;

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

/** The id of a thread's hand-over. */
export function handOverId(thread: ThreadAddress): string {
  return shortId(addressKey(thread));
}

/** A hand-over is deleted after this time; its button then no longer works. */
export const keptMs = 30 * 24 * 60 * 60 * 1000;

/** Changes some fields of a hand-over, if there is one. */
export async function changeRecord(
  store: KeyedStore<HandOverRecord>,
  id: string,
  fields: Partial<Omit<HandOverRecord, 'address'>>,
): Promise<void> {
  await store.update(id, (record) => record && { ...record, ...fields }, keptMs);
}
