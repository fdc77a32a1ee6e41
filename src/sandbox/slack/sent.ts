import { channel } from 'node:diagnostics_channel';

/** What the workspace sends to the app, as it is sent. */
export type Sent =
  | { kind: 'response'; method: string; body: object }
  | { kind: 'events_api' | 'slash_commands' | 'interactive'; payload: object };

const sent = channel('causeway.sandbox.slack.sent');

/** Publishes what is sent; costs nothing where nobody listens. */
export function publishSent(message: Sent): void {
  if (sent.hasSubscribers) sent.publish(message);
}
