import type { App, webApi } from '@slack/bolt';
import { z } from 'zod';
import type { Log, Receiver, ThreadAddress } from '../conversation/ports.ts';
import { endSession } from './agent-session.ts';
import { type People, toAuthor } from './people.ts';

const stopped = z.object({
  channel: z.string().min(1),
  user: z.string().min(1),
  thread_ts: z.string().min(1),
});

/**
 * Tells the core that someone used Slack's own stop button, and ends the thread's session, which
 * Slack leaves to the app: docs.slack.dev/reference/events/agent_session_stopped.
 */
export function hearStops(
  app: App,
  options: {
    client: webApi.WebClient;
    people: People;
    addressOf: (channel: string, thread: string) => ThreadAddress;
    receiver: () => Receiver | undefined;
    log: Log;
  },
): void {
  const { people, addressOf, receiver } = options;

  app.event('agent_session_stopped', async ({ event }) => {
    const { data } = stopped.safeParse(event);
    if (!data) return;
    const { channel, user, thread_ts: thread } = data;
    const by = toAuthor(await people.find(user));
    const told = receiver()?.stopped(addressOf(channel, thread), by);
    await Promise.all([told, endSession({ channel, thread }, options)]);
  });
}
