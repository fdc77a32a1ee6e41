import type { webApi } from '@slack/bolt';
import { isRefusal } from '../conversation/errors.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { slackErrorCode, toPlatformError } from './errors.ts';

/** Slack's own status line below a thread, which says that the app is working. */
export interface WorkingStatus {
  /**
   * Shows the status until the app's next message there, or for two minutes. Never rejects.
   *
   * @param doing follows the app's name; an empty one ends the status
   */
  show(channel: string, thread: string, doing: string): Promise<void>;
}

/** What else is forbidden concerns a channel, or a token: it may be another one after a new installation. */
const forbidden = new Set(['access_denied', 'missing_scope', 'not_allowed_token_type']);

/** Whether an error concerns the whole app for good. */
function isForGood(error: unknown): boolean {
  const code = slackErrorCode(error) ?? '';
  const isOfThread = code === 'invalid_thread_ts';
  return forbidden.has(code) || (!isOfThread && isRefusal(toPlatformError(error), 'refused'));
}

/**
 * Sets the status with assistant.threads.setStatus (scope chat:write). Not every workspace and app
 * may use it: after Slack has refused it for the app, it is not tried again.
 */
export function createWorkingStatus(client: webApi.WebClient, log: Log): WorkingStatus {
  let refused = false;
  return {
    async show(channel, thread, doing) {
      if (refused) return;
      try {
        await client.assistant.threads.setStatus({
          channel_id: channel,
          thread_ts: thread,
          status: doing,
        });
      } catch (error) {
        refused = isForGood(error);
        const message = refused
          ? 'Slack refused a working status from this app: none is shown'
          : 'a working status could not be shown in Slack';
        log.debug({ err: error, channel }, message);
      }
    },
  };
}

/**
 * Tells Slack that the app is no longer working in a thread. Otherwise Slack shows the working
 * status for up to an hour, even after it ended the stream itself. Never rejects.
 * docs.slack.dev/reference/methods/agents.sessions.setStatus, scope chat:write.
 */
export async function endSession(
  thread: { channel: string; thread: string },
  { client, log }: { client: webApi.WebClient; log: Log },
): Promise<void> {
  const { channel, thread: thread_ts } = thread;
  try {
    await client.agents.sessions.setStatus({ channel_id: channel, thread_ts, status: 'active' });
  } catch (error) {
    log.debug({ err: error, channel }, 'a session in Slack could not be ended');
  }
}
