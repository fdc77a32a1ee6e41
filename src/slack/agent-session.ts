import type { webApi } from '@slack/bolt';
import type { Log } from '../conversation/ports.ts';

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
