import { channel } from 'node:diagnostics_channel';

/** What a bot and the server send each other. */
export type Sent =
  | { kind: 'call'; call: SentCall; answer: { status: number; body?: object } }
  /** A dispatch of the gateway, such as `MESSAGE_CREATE`. */
  | { kind: 'event'; name: string; data: object };

/** A request as it was read. */
export interface SentCall {
  method: string;
  /** Below the API's base, such as `/channels/1/messages`. */
  path: string;
  query: URLSearchParams;
  /** The JSON body, or the `payload_json` part. */
  body: unknown;
}

const sent = channel('causeway.sandbox.discord.sent');

/** Publishes what is sent; costs nothing where nobody listens. */
export function publishSent(message: Sent): void {
  if (sent.hasSubscribers) sent.publish(message);
}
