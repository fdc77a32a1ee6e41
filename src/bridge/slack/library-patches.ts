import type { App, SocketModeReceiver } from '@slack/bolt';
import type { Log } from '../../shared/primitives/log.ts';

/*
 * All that changes Bolt 5.1, @slack/socket-mode 3.1 and @slack/web-api 8.2. No later version is known to
 * make a part unnecessary. Each part names the issue, and what such a version will do.
 */

/**
 * The app as a connection gets it, with another `processEvent`.
 *
 * Bolt acknowledges events before it runs listeners: slackapi/bolt-js#2788, open. Unnecessary once
 * listeners acknowledge events themselves.
 */
export function withProcessEvent(app: App, processEvent: App['processEvent']): App {
  const changed = Object.create(app) as App;
  changed.processEvent = processEvent;
  return changed;
}

/**
 * Puts three changes before the message handler of Socket Mode.
 *
 * The number of connections in Slack's hello is read: the library doesn't pass it on.
 * slackapi/node-slack-sdk#2253, open. Unnecessary once it does, as #2695 proposes.
 *
 * A disconnect message does not reach it: it would close the connection at once, and what was
 * received could not be acknowledged any more: slackapi/node-slack-sdk#2254, closed, shows it.
 * Unnecessary once it keeps the connection until Slack ends it.
 *
 * And it is async, with nothing to catch what it throws: an `app_rate_limited` notice, which contains
 * no event, would end the process. slackapi/node-slack-sdk#2167, open. Unnecessary once it is caught.
 */
export function guardMessages(
  client: SocketModeReceiver['client'],
  { onHello, onDisconnect, log }: SocketListeners & { log: Log },
): void {
  const handlers = client.listeners('ws_message');
  client.removeAllListeners('ws_message');
  client.on('ws_message', (...message: unknown[]) => {
    const { type, num_connections: connections, reason } = readControl(message[0]);
    if (type === 'disconnect') return onDisconnect(reason);
    if (type === 'hello' && typeof connections === 'number') onHello(connections);
    for (const handle of handlers) {
      Promise.try(() => handle(...message)).catch((error: unknown) =>
        log.warn({ err: error }, 'Slack sent a message that Socket Mode could not read'),
      );
    }
  });
}

interface SocketListeners {
  /** @param connections how many the app has, this one included */
  onHello(connections: number): void;
  /** @param reason Slack's own word */
  onDisconnect(reason: unknown): void;
}

/** What Slack says about the connection itself: docs.slack.dev/apis/events-api/using-socket-mode. */
function readControl(data: unknown): {
  type?: unknown;
  num_connections?: unknown;
  reason?: unknown;
} {
  // Most messages are the bot's own edits, and the library parses them all the same.
  if (typeof data !== 'string' || !/"(?:hello|disconnect)"/.test(data)) return {};
  try {
    return Object(JSON.parse(data)) as object;
  } catch {
    return {};
  }
}

/**
 * Whether an error is a rate limit (429) without a Retry-After.
 *
 * The Web API client has no class for it: slackapi/node-slack-sdk#1421, open. Unnecessary once it
 * throws a WebAPIRateLimitedError.
 */
export function isLimitWithoutTime(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Retry header did not contain');
}
