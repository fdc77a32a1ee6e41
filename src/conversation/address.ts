import type { ThreadAddress } from './ports.ts';

export type Workspace = Pick<ThreadAddress, 'platform' | 'workspace'>;
export type Channel = Pick<ThreadAddress, 'platform' | 'workspace' | 'channel'>;

/** One string for a workspace, the same for the same one, safe as a key of any store. */
export function workspaceKey({ platform, workspace }: Workspace): string {
  return toKey(platform, workspace);
}

/** As `workspaceKey`, for a channel. */
export function channelKey({ platform, workspace, channel }: Channel): string {
  return toKey(platform, workspace, channel);
}

/** As `workspaceKey`, for a thread. */
export function addressKey({ platform, workspace, channel, thread }: ThreadAddress): string {
  return toKey(platform, workspace, channel, thread);
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
export function messageKey(message: { id: string; thread: { address: Channel } }): string {
  const { platform, workspace, channel } = message.thread.address;
  return toKey(platform, workspace, channel, message.id);
}

function toKey(...parts: string[]): string {
  return parts.map(encodeURIComponent).join(':');
}
