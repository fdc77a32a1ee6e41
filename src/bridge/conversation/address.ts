import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Where a conversation takes place. One address has one session. */
export const ThreadAddress = z.object({
  platform: z.string(),
  /** A Slack team or Discord guild; `dm` for a direct message outside any. */
  workspace: z.string(),
  channel: z.string(),
  /** The platform's id of the thread; in a direct message without threads, the channel's id. */
  thread: z.string(),
});
export type ThreadAddress = z.infer<typeof ThreadAddress>;

/** What identifies a message, however it is delivered. */
export interface MessageAddress {
  platform: string;
  workspace: string;
  channel: string;
  /** The platform's id of the message, unique in its channel. */
  id: string;
}

export type Workspace = Pick<ThreadAddress, 'platform' | 'workspace'>;
export type Channel = Pick<ThreadAddress, 'platform' | 'workspace' | 'channel'>;

/** The `workspace` of direct messages outside any workspace, as on Discord. Stored keys contain it. */
export const noWorkspace = 'dm';

/** Whether something took place in a direct message outside any workspace, as on Discord. */
export function isOutsideWorkspaces({ workspace }: Pick<Workspace, 'workspace'>): boolean {
  return workspace === noWorkspace;
}

/** A string that identifies a workspace and is safe as a key in any store. */
export function workspaceKey({ platform, workspace }: Workspace): string {
  return toKey(platform, workspace);
}

/** Like `workspaceKey`, for a channel. */
export function channelKey({ platform, workspace, channel }: Channel): string {
  return toKey(platform, workspace, channel);
}

/** Like `workspaceKey`, for a thread. */
export function addressKey({ platform, workspace, channel, thread }: ThreadAddress): string {
  return toKey(platform, workspace, channel, thread);
}

/** Like `workspaceKey`, for the posts of a forum that have a tag. */
export function tagKey({ platform, workspace, channel }: Channel, tag: string): string {
  return toKey(platform, workspace, channel, 'tag', tag);
}

/** Parses a key made by `addressKey`; undefined if it is none. */
export function parseAddressKey(key: string): ThreadAddress | undefined {
  const [platform, workspace, channel, thread, ...rest] = key.split(':').map(decodeURIComponent);
  if (!platform || workspace === undefined || channel === undefined) return undefined;
  return thread === undefined || rest.length > 0
    ? undefined
    : { platform, workspace, channel, thread };
}

/**
 * A string that identifies a message however it is delivered: platforms deliver the same message
 * several times and as different events.
 */
export function messageKey({ platform, workspace, channel }: Channel, id: string): string {
  return toKey(platform, workspace, channel, id);
}

function toKey(...parts: string[]): string {
  return parts.map(encodeURIComponent).join(':');
}

/** An id that follows from a key: the same each time, and short enough for a button. */
export function shortId(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 22);
}
