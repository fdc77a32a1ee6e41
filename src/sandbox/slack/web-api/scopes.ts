import type { Directory } from '../directory.ts';
import { isSeen } from './reach.ts';

/** What the scopes of a channel's kind start with, and the `types` of lists. */
const families = { channel: 'channels', group: 'groups', mpim: 'mpim', im: 'im' } as const;
const familiesByType: Record<string, string> = {
  public_channel: 'channels',
  private_channel: 'groups',
  mpim: 'mpim',
  im: 'im',
};

/** The scope of methods that need the same wherever they are called: docs.slack.dev/reference/methods. */
const fixed: Record<string, string> = {
  'agents.sessions.setStatus': 'chat:write',
  'assistant.threads.setStatus': 'chat:write',
  'bots.info': 'users:read',
  'chat.appendStream': 'chat:write',
  'chat.delete': 'chat:write',
  'chat.postEphemeral': 'chat:write',
  'chat.postMessage': 'chat:write',
  'chat.startStream': 'chat:write',
  'chat.stopStream': 'chat:write',
  'chat.update': 'chat:write',
  'conversations.open': 'im:write',
  'files.completeUploadExternal': 'files:write',
  'files.getUploadURLExternal': 'files:write',
  'files.info': 'files:read',
  'usergroups.list': 'usergroups:read',
  'users.info': 'users:read',
};

/** The scopes that depend on the kind of the channel, by their last part. */
const byChannel: Record<string, string> = {
  'conversations.history': 'history',
  'conversations.info': 'read',
  'conversations.members': 'read',
  'conversations.replies': 'history',
};

/** The scopes that depend on the kinds of channels that are listed. */
const byTypes = new Set(['conversations.list', 'users.conversations']);

/**
 * The scopes that a call needs of the bot's token; none for `auth.test`, `chat.getPermalink` and the
 * methods of views, nor for a channel that the app can't know of.
 */
export function neededScopes(
  directory: Directory,
  method: string,
  args: Record<string, unknown>,
): string[] {
  const scope = fixed[method];
  if (scope) return [scope];
  if (byTypes.has(method)) {
    const { types } = args;
    const wanted = typeof types === 'string' ? types : 'public_channel';
    return wanted.split(',').flatMap((type) => {
      const family = familiesByType[type.trim()];
      return family ? [`${family}:read`] : [];
    });
  }
  const access = byChannel[method];
  const { channel: id } = args;
  const channel = typeof id === 'string' ? directory.channel(id) : undefined;
  return access && channel && isSeen(directory, channel)
    ? [`${families[channel.kind]}:${access}`]
    : [];
}
