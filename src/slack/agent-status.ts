import type { webApi } from '@slack/bolt';
import type { Log } from '../conversation/ports.ts';
import { slackErrorCode } from './errors.ts';

/** Slack's own line below a thread that says the app is at work. */
export interface WorkingStatus {
  /** Shows it until the app's next message there, or for two minutes. Never rejects. */
  show(channel: string, thread: string): Promise<void>;
}

/** What concerns one thread or moment; any other refusal is meant for the app as a whole. */
const passing = new Set([
  'channel_not_found',
  'thread_not_found',
  'invalid_thread_ts',
  'message_not_found',
  'not_in_channel',
  'is_archived',
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
]);

/**
 * Sets the status by assistant.threads.setStatus (scope chat:write). Not every workspace and app
 * may: once Slack refuses it for the app, it is left alone for good.
 */
export function createWorkingStatus(client: webApi.WebClient, log: Log): WorkingStatus {
  let refused = false;
  return {
    async show(channel, thread) {
      if (refused) return;
      try {
        await client.assistant.threads.setStatus({
          channel_id: channel,
          thread_ts: thread,
          status: 'is thinking…',
        });
      } catch (error) {
        const code = slackErrorCode(error);
        refused = code !== undefined && !passing.has(code);
        const message = refused
          ? 'Slack refused a working status from this app: none is shown'
          : 'a working status could not be shown in Slack';
        log.debug({ err: error, channel }, message);
      }
    },
  };
}

/**
 * Tells Slack that nothing is being done in a thread any more. Otherwise it shows for up to an hour
 * that the app is at work: it concludes nothing from a stream that it ended itself. Never rejects.
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
