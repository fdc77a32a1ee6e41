import type { Texts } from '../../texts/texts.ts';
import { isOutsideWorkspaces } from '../address.ts';
import type { HandOverContacts, HandOverSettings, ThreadAddress } from '../ports.ts';

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
  contacts: HandOverContacts,
  { handOver }: Texts,
): Promise<string | undefined> {
  const { channel, thread } = address;
  if (!isOutsideWorkspaces(address)) return thread === channel ? handOver.noThread : undefined;
  // Nobody else can see a direct message: people must be notified to learn of it.
  const isTold = settings.notifies && (await hasContacts(address, contacts));
  return isTold ? undefined : handOver.noneFromHere;
}

/** Whether anybody is named to be notified. Rejects when the store is down. */
export async function hasContacts(
  address: ThreadAddress,
  contacts: HandOverContacts,
): Promise<boolean> {
  const { channel, people } = await contacts.contactsFor(address);
  return channel !== undefined || people.length > 0;
}
