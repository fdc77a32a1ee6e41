import { webApi } from '@slack/bolt';
import { PlatformError, type PlatformErrorKind } from '../conversation/platform-error.ts';

/** Waited where Slack says "too fast" and not for how long. */
const defaultRetryMs = 1_000;

const rateLimited = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);

const gone: Record<string, string> = {
  message_not_found: 'The message no longer exists.',
  thread_not_found: 'The thread no longer exists.',
  channel_not_found: 'Slack does not show me this channel. Invite me with “/invite” and my name.',
  user_not_found: 'Slack knows no such person.',
  file_not_found:
    'Slack does not show me the file: it was deleted, or shared where I am not a member.',
  file_deleted: 'The file was deleted.',
};

const uneditable: Record<string, string> = {
  cant_update_message: 'Slack does not let me edit this message.',
  cant_delete_message: 'Slack does not let me delete this message.',
  edit_window_closed: 'This message is too old to be edited in this workspace.',
  is_archived: 'The channel is archived.',
  is_inactive: 'The channel is archived.',
  streaming_state_conflict: 'Slack does not let me edit this message while it streams.',
  message_not_in_streaming_state: 'Slack has ended the stream of this message.',
  stopped_by_user: 'The stream of this message was stopped.',
};

const reinstall =
  'at https://api.slack.com/apps under “OAuth & Permissions”, then reinstall the app.';
const token = `Whoever runs this bot needs to check SLACK_BOT_TOKEN: copy the “Bot User OAuth Token” (xoxb-…) ${reinstall}`;
const invite = 'I am not a member of this channel. Invite me with “/invite” and my name.';
const admin = 'Slack does not allow me to write here; an admin of the workspace can change that.';

const forbidden: Record<string, string> = {
  not_in_channel: invite,
  invalid_auth: token,
  not_authed: token,
  token_revoked: token,
  token_expired: token,
  account_inactive: token,
  not_allowed_token_type: token,
  no_permission: admin,
  restricted_action: admin,
  restricted_action_read_only_channel: admin,
  restricted_action_thread_only_channel: admin,
  restricted_action_non_threadable_channel: admin,
  restricted_action_thread_locked: admin,
  access_denied: admin,
  ekm_access_denied: admin,
  team_access_not_granted: admin,
  org_login_required: admin,
  messages_tab_disabled:
    'Direct messages to me are switched off. Switch the messages tab on at https://api.slack.com/apps under “App Home”.',
  cannot_dm_bot: 'Bots get no direct messages.',
  user_disabled: 'That person’s account is deactivated.',
};

const tooLong = 'Slack refused the message as too long.';

const failed: Record<string, string> = { msg_too_long: tooLong, msg_blocks_too_long: tooLong };

const refusals = new Map<string, { kind: PlatformErrorKind; message: string }>(
  Object.entries({ gone, uneditable, forbidden, failed } as const).flatMap(([kind, messages]) =>
    Object.entries(messages).map(([code, message]) => [
      code,
      { kind: kind as PlatformErrorKind, message },
    ]),
  ),
);

/**
 * Whatever a call of Slack's failed with, by the kinds the core knows; PlatformErrors pass. Error
 * codes: docs.slack.dev/reference/methods/chat.postMessage, chat.update and chat.appendStream,
 * under "Errors". `scope` is what the call needs, for where Slack does not say it.
 */
export function toPlatformError(error: unknown, scope?: string): PlatformError {
  if (error instanceof PlatformError) return error;
  if (error instanceof webApi.WebAPIRateLimitedError)
    return tooFast(error.retryAfter * 1000, error);
  if (error instanceof webApi.WebAPIPlatformError) return fromRefusal(error, scope);
  if (error instanceof webApi.WebAPIHTTPError) {
    const message = `Slack is having trouble (HTTP ${error.statusCode}). Please try again in a moment.`;
    return new PlatformError('failed', message, { cause: error });
  }
  // The client has no class for a 429 without Retry-After.
  if (error instanceof Error && error.message.startsWith('Retry header did not contain')) {
    return tooFast(defaultRetryMs, error);
  }
  const message = 'The connection to Slack failed. Please try again in a moment.';
  return new PlatformError('failed', message, { cause: error });
}

/** Slack's error code, where it answered with one. */
export function slackErrorCode(error: unknown): string | undefined {
  if (error instanceof PlatformError) return slackErrorCode(error.cause);
  return error instanceof webApi.WebAPIPlatformError ? error.data.error : undefined;
}

function fromRefusal(
  error: InstanceType<typeof webApi.WebAPIPlatformError>,
  scope?: string,
): PlatformError {
  const code = error.data.error;
  if (rateLimited.has(code)) {
    return tooFast((error.data.response_metadata?.retryAfter ?? 0) * 1000 || defaultRetryMs, error);
  }
  if (code === 'missing_scope') return missingScope(error, scope);
  const { kind, message } = refusals.get(code) ?? {
    kind: 'failed',
    message: `Slack refused that (${code.slice(0, 100)}).`,
  };
  return new PlatformError(kind, message, { cause: error });
}

function missingScope(
  error: InstanceType<typeof webApi.WebAPIPlatformError>,
  scope = 'that Slack did not name',
): PlatformError {
  const needed = 'needed' in error.data ? String(error.data['needed']) : scope;
  const message = `The Slack app lacks the scope ${needed}. Whoever runs this bot needs to add it ${reinstall}`;
  return new PlatformError('forbidden', message, { cause: error });
}

function tooFast(retryAfterMs: number, cause: unknown): PlatformError {
  const message = 'Slack is getting too many messages from me. Please try again in a moment.';
  return new PlatformError('rate_limited', message, { cause, retryAfterMs });
}
