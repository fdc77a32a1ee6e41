import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { PlatformError, type PlatformErrorKind } from '../conversation/platform-error.ts';

/** Discord's JSON error codes: docs.discord.com/developers/topics/opcodes-and-status-codes#json. */
export const ErrorCode = {
  MissingAccess: 50001,
  MissingPermissions: 50013,
  NoThreadsHere: 50024,
  AlreadyAcknowledged: 40060,
  ThreadExists: 160004,
  MostThreads: 160006,
} as const;

const answered = 'The time to answer this command is over.';

/** Why an edit of a message older than an hour was refused. */
export const tooOld = 'Discord does not let me edit a message this old so often.';

const refusals: Record<string, [PlatformErrorKind, string]> = {
  10003: ['gone', 'The channel or thread no longer exists.'],
  10008: ['gone', 'The message no longer exists.'],
  10013: ['gone', 'Discord knows no such person.'],
  10015: ['uneditable', answered],
  10062: ['uneditable', answered],
  50027: ['uneditable', answered],
  30046: ['uneditable', tooOld],
  50005: ['uneditable', 'Only whoever wrote a message can edit it.'],
  50083: ['uneditable', 'The thread is archived.'],
  40005: ['failed', 'The file is larger than Discord takes.'],
  40333: ['failed', 'Discord’s protection against abuse refused the message.'],
  50007: [
    'forbidden',
    'I can’t send you direct messages. Allow them in your privacy settings for this server, or unblock me.',
  ],
  160002: [
    'forbidden',
    'I lack the permission “Read Message History” here. Whoever manages the server can grant it to me in the channel’s settings under “Permissions”.',
  ],
  160005: ['forbidden', 'The thread is locked. A moderator can unlock it.'],
  200000: [
    'forbidden',
    'The server’s AutoMod refused my message. A moderator can change its rules.',
  ],
};

/** What the bot's owner does about a token that Discord does not take. */
export const wrongToken =
  'Discord refused DISCORD_TOKEN. Whoever runs this bot needs to copy the token from https://discord.com/developers/applications under “Bot”, or reset it there.';

/**
 * Whatever a call of Discord's failed with, by the kinds the core knows; PlatformErrors pass.
 * `lacking` tells which permission is missing where Discord only says that one is.
 */
export function toPlatformError(error: unknown, lacking?: () => string): PlatformError {
  if (error instanceof PlatformError) return error;
  const { kind, message, retryAfterMs } = explain(error, lacking);
  return new PlatformError(kind, message, {
    cause: error,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** Discord's error code, where it answered with one. */
export function discordErrorCode(error: unknown): number | string | undefined {
  return error instanceof DiscordAPIError ? error.code : undefined;
}

interface Explanation {
  kind: PlatformErrorKind;
  message: string;
  retryAfterMs?: number;
}

function explain(error: unknown, lacking: (() => string) | undefined): Explanation {
  if (error instanceof RateLimitError) {
    const message = 'Discord is getting too many messages from me. Please try again in a moment.';
    return { kind: 'rate_limited', message, retryAfterMs: Math.max(0, error.retryAfter) };
  }
  if (error instanceof DiscordAPIError) return explainRefusal(error, lacking);
  if (error instanceof HTTPError) {
    const message = `Discord is having trouble (HTTP ${error.status}). Please try again in a moment.`;
    return { kind: 'failed', message };
  }
  // After Discord has refused the token once, the library no longer sends it.
  if (error instanceof Error && error.message.startsWith('Expected token to be set')) {
    return { kind: 'forbidden', message: wrongToken };
  }
  const message = 'The connection to Discord failed. Please try again in a moment.';
  return { kind: 'failed', message };
}

function explainRefusal(error: DiscordAPIError, lacking: (() => string) | undefined): Explanation {
  const { code, status } = error;
  if (code === ErrorCode.MissingAccess || code === ErrorCode.MissingPermissions) {
    return { kind: 'forbidden', message: lacking?.() ?? 'Discord does not let me do that here.' };
  }
  const [kind, message] = refusals[code] ?? [];
  if (kind && message) return { kind, message };
  if (status === 401) return { kind: 'forbidden', message: wrongToken };
  return {
    kind: 'failed',
    message: `Discord refused that (${code}: ${error.message.slice(0, 300)}).`,
  };
}
