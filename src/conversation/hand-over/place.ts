import type { Messages } from '../../messages/messages.ts';
import type { HandOverContacts, HandOverSettings, ThreadAddress } from '../ports.ts';

/**
 * Why a thread can't be handed over to people, for those who ask there; undefined where it can be.
 * Rejects where the store is down.
 */
export async function whyNotHere(
  address: ThreadAddress,
  settings: HandOverSettings,
  contacts: HandOverContacts,
  { handOver }: Messages,
): Promise<string | undefined> {
  const { workspace, channel, thread } = address;
  if (workspace !== 'dm') return thread === channel ? handOver.noThread : undefined;
  // Nobody comes by there: whoever is not told never learns of it.
  const isTold = settings.notifies && (await hasContacts(address, contacts));
  return isTold ? undefined : handOver.noneFromHere;
}

async function hasContacts(address: ThreadAddress, contacts: HandOverContacts): Promise<boolean> {
  const { channel, people } = await contacts.contactsFor(address);
  return channel !== undefined || people.length > 0;
}
