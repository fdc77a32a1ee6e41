import { webApi } from '@slack/bolt';
import { PlatformError, type PlatformErrorKind } from '../conversation/errors.ts';
import type { PlainCode, Problem } from '../../shared/problems/problem.ts';
import { isLimitWithoutTime } from './library-patches.ts';

/** The wait after a rate limit without Retry-After. */
const defaultRetryMs = 1_000;

const rateLimited = new Set(['ratelimited', 'rate_limited']);

/** The wait after a workspace has used up its messages: a quota is not back within seconds. */
const quotaRetryMs = 2 * 60_000;

const platform = 'Slack';

const gone: Record<string, Problem | PlainCode> = {
  message_not_found: 'message_gone',
  thread_not_found: 'thread_gone',
  channel_not_found: 'slack_channel_hidden',
  user_not_found: { code: 'person_unknown', params: { platform } },
  file_not_found: 'slack_file_hidden',
  file_deleted: 'file_gone',
};

const uneditable: Record<string, PlainCode> = {
  cant_update_message: 'slack_edit_refused',
  cant_delete_message: 'slack_delete_refused',
  edit_window_closed: 'slack_edit_too_late',
  is_archived: 'channel_archived',
  is_inactive: 'channel_archived',
  streaming_state_conflict: 'slack_edit_streaming',
  message_not_in_streaming_state: 'slack_stream_ended',
  stopped_by_user: 'slack_stream_stopped',
};

const forbidden: Record<string, PlainCode> = {
  not_in_channel: 'slack_not_in_channel',
  invalid_auth: 'slack_token_refused',
  not_authed: 'slack_token_refused',
  token_revoked: 'slack_token_refused',
  token_expired: 'slack_token_refused',
  account_inactive: 'slack_token_refused',
  not_allowed_token_type: 'slack_token_refused',
  no_permission: 'slack_write_forbidden',
  restricted_action: 'slack_write_forbidden',
  restricted_action_read_only_channel: 'slack_write_forbidden',
  restricted_action_thread_only_channel: 'slack_write_forbidden',
  restricted_action_non_threadable_channel: 'slack_write_forbidden',
  restricted_action_thread_locked: 'slack_write_forbidden',
  access_denied: 'slack_write_forbidden',
  ekm_access_denied: 'slack_write_forbidden',
  team_access_not_granted: 'slack_write_forbidden',
  messages_tab_disabled: 'slack_direct_messages_off',
  cannot_dm_bot: 'slack_bot_direct',
  user_disabled: 'slack_person_deactivated',
};

const refused: Record<string, Problem | PlainCode> = {
  file_uploads_disabled: 'slack_uploads_off',
  file_uploads_except_images_disabled: 'slack_uploads_off',
  file_type_not_allowed: 'slack_file_type_refused',
  file_upload_size_restricted: { code: 'file_too_large', params: { platform } },
  msg_too_long: 'slack_message_too_long',
  msg_blocks_too_long: 'slack_message_too_long',
};

const errorCode = /^\w+$/;

/**
 * Slack is in trouble, or moves the workspace to an organization; it may have done what was asked. This
 * passes, unlike an app's missing access to the workspace (`team_access_not_granted`).
 */
const trouble = new Set([
  'fatal_error',
  'internal_error',
  'org_login_required',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);

const refusals = new Map<string, { kind: PlatformErrorKind; problem: Problem | PlainCode }>(
  Object.entries({ gone, uneditable, forbidden, refused }).flatMap(([kind, problems]) =>
    Object.entries(problems).map(([code, problem]) => [
      code,
      { kind: kind as PlatformErrorKind, problem },
    ]),
  ),
);

/**
 * Converts any failure of a Slack call to a PlatformError; returns a PlatformError unchanged. Error
 * codes: docs.slack.dev/reference/methods/chat.postMessage, chat.update and chat.appendStream,
 * under "Errors". `scope` is the scope that the call needs, in case Slack does not name it.
 */
export function toPlatformError(error: unknown, scope?: string): PlatformError {
  if (error instanceof PlatformError) return error;
  if (error instanceof webApi.WebAPIRateLimitedError)
    return tooFast(error.retryAfter * 1000, error);
  if (error instanceof webApi.WebAPIPlatformError) return fromRefusal(error, scope);
  if (error instanceof webApi.WebAPIHTTPError) {
    const { statusCode: status } = error;
    const problem = { code: 'platform_unavailable', params: { platform, status } } as const;
    return new PlatformError('failed', problem, { cause: error, status });
  }
  if (isLimitWithoutTime(error)) return tooFast(defaultRetryMs, error);
  return unreachable(error);
}

/** The result of a call; its failure as a PlatformError. */
export async function orPlatformError<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw toPlatformError(error);
  }
}

/** Slack refuses the content of a message, so that a retry does not help. */
const contentRefused = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_blocks_too_many',
  'msg_too_long',
  'no_text',
]);

/** Whether Slack refuses a message for its blocks or their texts. */
export function refusesContent(error: unknown): boolean {
  return contentRefused.has(slackErrorCode(error) ?? '');
}

/** Whether Slack says that it is in trouble; it may have done what was asked. */
export function isTrouble(error: unknown): boolean {
  if (error instanceof PlatformError) return isTrouble(error.cause);
  return error instanceof webApi.WebAPIHTTPError || trouble.has(slackErrorCode(error) ?? '');
}

/** Whether Slack refuses the token itself, for any call. */
export function refusesToken(error: unknown): boolean {
  return forbidden[slackErrorCode(error) ?? ''] === 'slack_token_refused';
}

/** Slack's error code, if the response had one. */
export function slackErrorCode(error: unknown): string | undefined {
  if (error instanceof PlatformError) return slackErrorCode(error.cause);
  return error instanceof webApi.WebAPIPlatformError ? error.data.error : undefined;
}

function fromRefusal(
  error: InstanceType<typeof webApi.WebAPIPlatformError>,
  scope?: string,
): PlatformError {
  const code = error.data.error;
  // The client takes a body that is not JSON, such as a proxy's page, for an error code.
  if (!errorCode.test(code)) {
    const params = { platform, status: 200 };
    return new PlatformError('failed', { code: 'platform_unavailable', params }, { cause: error });
  }
  const retryAfterMs = (error.data.response_metadata?.retryAfter ?? 0) * 1000;
  if (rateLimited.has(code)) return tooFast(retryAfterMs || defaultRetryMs, error);
  if (code === 'message_limit_exceeded') return quotaUsedUp(retryAfterMs, error);
  if (code === 'missing_scope') return missingScope(error, scope);
  const refusal = refusals.get(code);
  if (refusal) return new PlatformError(refusal.kind, refusal.problem, { cause: error });
  const params = { platform, reason: code.slice(0, 100) };
  const kind = trouble.has(code) ? 'failed' : 'refused';
  return new PlatformError(kind, { code: 'platform_refused', params }, { cause: error });
}

function missingScope(
  error: InstanceType<typeof webApi.WebAPIPlatformError>,
  scope: string | undefined,
): PlatformError {
  const needed = 'needed' in error.data ? String(error.data['needed']) : scope;
  const problem = { code: 'slack_scope_missing', params: { scope: needed } } as const;
  return new PlatformError('forbidden', problem, { cause: error });
}

/** The error for a call that got no response. */
export function unreachable(cause: unknown): PlatformError {
  const problem = { code: 'platform_unreachable', params: { platform } } as const;
  return new PlatformError('failed', problem, { cause });
}

/** The error for a rate limit that ends after `retryAfterMs`. */
export function tooFast(retryAfterMs: number, cause?: unknown): PlatformError {
  const problem = { code: 'platform_busy', params: { platform } } as const;
  return new PlatformError('rate_limited', problem, { cause, retryAfterMs });
}

/** The error for a quota that all members of a workspace share. */
function quotaUsedUp(retryAfterMs: number, cause: unknown): PlatformError {
  const details = {
    cause,
    retryAfterMs: Math.max(retryAfterMs, quotaRetryMs),
    isGlobal: true,
  };
  return new PlatformError('rate_limited', 'slack_message_limit', details);
}
