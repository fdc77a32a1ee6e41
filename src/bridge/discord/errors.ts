import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { PlatformError, type PlatformErrorKind } from '../conversation/errors.ts';
import type { PlainCode, Problem } from '../../shared/problems/problem.ts';
import { isWithoutToken } from './library-patches.ts';

/** Discord's JSON error codes: docs.discord.com/developers/topics/opcodes-and-status-codes#json. */
export const ErrorCode = {
  UnknownChannel: 10003,
  UnknownGuild: 10004,
  UnknownMember: 10007,
  UnknownMessage: 10008,
  UnknownUser: 10013,
  MissingAccess: 50001,
  MissingPermissions: 50013,
  AlreadyAcknowledged: 40060,
  ThreadExists: 160004,
} as const;

const platform = 'Discord';

/** The wait after a rate limit without Retry-After. */
const defaultRetryMs = 1_000;

const refusals: Record<string, [PlatformErrorKind, Problem | PlainCode]> = {
  [ErrorCode.UnknownChannel]: ['gone', 'channel_gone'],
  [ErrorCode.UnknownMessage]: ['gone', 'message_gone'],
  [ErrorCode.UnknownUser]: ['gone', { code: 'person_unknown', params: { platform } }],
  10015: ['uneditable', 'answer_expired'],
  10062: ['uneditable', 'answer_expired'],
  50027: ['uneditable', 'answer_expired'],
  30046: ['uneditable', 'discord_edit_too_often'],
  50005: ['uneditable', 'discord_not_author'],
  50083: ['uneditable', 'thread_archived'],
  40005: ['refused', { code: 'file_too_large', params: { platform } }],
  40333: ['failed', 'discord_abuse'],
  50007: ['forbidden', 'discord_direct_refused'],
  // Without a server in common.
  50278: ['forbidden', 'discord_direct_refused'],
  160002: [
    'forbidden',
    { code: 'discord_permission_missing', params: { permission: 'Read Message History' } },
  ],
  160005: ['forbidden', 'thread_locked'],
  10087: ['refused', 'discord_tag_gone'],
  200000: ['forbidden', 'discord_auto_mod'],
  240000: ['forbidden', 'discord_harmful_link'],
  200001: ['forbidden', 'discord_auto_mod'],
};

/**
 * Converts any failure of a Discord call to a PlatformError; returns a PlatformError unchanged.
 * `lacking` names the missing permission, because Discord only says that one is missing.
 */
export function toPlatformError(error: unknown, lacking?: () => Problem): PlatformError {
  if (error instanceof PlatformError) return error;
  const failed = (problem: Problem) => new PlatformError('failed', problem, { cause: error });
  if (error instanceof RateLimitError) {
    const problem = { code: 'platform_busy', params: { platform } } as const;
    // NaN where Retry-After is missing or not a number.
    const retryAfterMs = error.retryAfter > 0 ? error.retryAfter : defaultRetryMs;
    const isGlobal = error.global;
    return new PlatformError('rate_limited', problem, { cause: error, retryAfterMs, isGlobal });
  }
  if (isDiscordRefusal(error)) return fromRefusal(error, lacking);
  if (error instanceof DiscordAPIError || error instanceof HTTPError) {
    const { status } = error;
    const problem = { code: 'platform_unavailable', params: { platform, status } } as const;
    return new PlatformError('failed', problem, { cause: error, status });
  }
  // After Discord has refused the token, the library sends no more requests.
  if (isWithoutToken(error)) {
    return new PlatformError('forbidden', 'discord_token_refused', { cause: error });
  }
  return failed({ code: 'platform_unreachable', params: { platform } });
}

/**
 * Whether Discord itself has refused a call. An answer without a code comes from something between
 * Discord and the bot, such as a proxy, and passes.
 */
export function isDiscordRefusal(error: unknown): error is DiscordAPIError {
  return error instanceof DiscordAPIError && error.code !== undefined;
}

/** The result of a call; its failure as a PlatformError. */
export async function orPlatformError<Result>(
  call: Promise<Result>,
  lacking?: () => Problem,
): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw toPlatformError(error, lacking);
  }
}

/** Discord's error code, if the response had one. */
export function discordErrorCode(error: unknown): number | string | undefined {
  return isDiscordRefusal(error) ? error.code : undefined;
}

function fromRefusal(error: DiscordAPIError, lacking?: () => Problem): PlatformError {
  const { code, status } = error;
  const refused = (kind: PlatformErrorKind, problem: Problem | PlainCode) =>
    new PlatformError(kind, problem, { cause: error });
  if (code === ErrorCode.MissingAccess || code === ErrorCode.MissingPermissions) {
    return refused('forbidden', lacking?.() ?? 'discord_forbidden');
  }
  const known = refusals[code];
  if (known) return refused(...known);
  if (status === 401) return refused('forbidden', 'discord_token_refused');
  const reason = `${code}: ${error.message.slice(0, 300)}`;
  const kind = status < 500 ? 'refused' : 'failed';
  return refused(kind, { code: 'platform_refused', params: { platform, reason } });
}
