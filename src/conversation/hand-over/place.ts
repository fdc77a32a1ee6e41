import { announcements } from './announcements.ts';
import type { HandOverContacts, HandOverSettings, ThreadAddress } from '../ports.ts';

/**
 * Why a thread can't be handed over to people, for those who ask there; undefined where it can be.
 * Rejects where the store is down.
 */
export async function whyNotHere(
  address: ThreadAddress,
  settings: HandOverSettings,
  contacts: HandOverContacts,
): Promise<string | undefined> {
  const { workspace, channel, thread } = address;
  if (workspace !== 'dm') return thread === channel ? announcements.noThread : undefined;
  // Nobody comes by there: whoever is not told never learns of it.
  const isTold = settings.notifies && (await hasContacts(address, contacts));
  return isTold ? undefined : announcements.noneFromHere;
}

async function hasContacts(address: ThreadAddress, contacts: HandOverContacts): Promise<boolean> {
  const { channel, people } = await contacts.contactsFor(address);
  return channel !== undefined || people.length > 0;
}
