import type { ThreadAddress } from './ports.ts';

/** One string for a thread, the same for the same thread, safe as a key of any store. */
export function addressKey(address: ThreadAddress): string {
  return [address.platform, address.workspace, address.channel, address.thread]
    .map(encodeURIComponent)
    .join(':');
}

/** The thread that a string of `addressKey` stands for, or undefined where it is none. */
export function parseAddressKey(key: string): ThreadAddress | undefined {
  const [platform, workspace, channel, thread, ...rest] = key.split(':').map(decodeURIComponent);
  if (!platform || workspace === undefined || channel === undefined) return undefined;
  return thread === undefined || rest.length > 0
    ? undefined
    : { platform, workspace, channel, thread };
}

/**
 * One string for a message, by what it is rather than by how it was delivered: platforms deliver
 * the same message several times and under several event names.
 */
export function messageKey(message: {
  id: string;
  thread: { address: Omit<ThreadAddress, 'thread'> };
}): string {
  const { platform, workspace, channel } = message.thread.address;
  return [platform, workspace, channel, message.id].map(encodeURIComponent).join(':');
}
