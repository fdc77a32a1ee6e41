import type { Delivered, Envelope, Retry, Transport } from './delivery.ts';
import { createHttpDelivery, verifyRequestUrl } from './http-delivery.ts';
import { publishSent } from './sent.ts';
import type { DisconnectReason, SocketMode } from './socket-mode.ts';
import type { Sleep } from '../../shared/primitives/sleep.ts';

/** How Slack reaches the app: Socket Mode, or a request URL. */
export interface AppLink {
  /**
   * Delivers events and interactions to a URL from now on, or over Socket Mode with undefined.
   * @throws {Error} when the URL does not answer Slack's challenge
   */
  setRequestUrl(url: string | undefined): Promise<void>;
  /** Whether the app is reached over HTTP. */
  isHttp(): boolean;
  /** Number of the app's Socket Mode connections. */
  connections(): number;
  /**
   * Sends a disconnect message, by default a warning, on the oldest connections, by default on all.
   * Closing is left to the app.
   */
  disconnect(reason?: DisconnectReason, count?: number): void;
  /** Drops connections without a disconnect message, the oldest first; by default all of them. */
  sever(count?: number): void;
}

interface AppLinkOptions {
  socketMode: SocketMode;
  signingSecret: string;
  now: () => number;
  sleep: Sleep;
}

/** The link, and the transport that uses it. */
export function createAppLink(options: AppLinkOptions): { link: AppLink; transport: Transport } {
  const { socketMode, signingSecret, now, sleep } = options;
  let current: Transport = socketMode;
  const transport: Transport = {
    send(envelope: Envelope, retry?: Retry): Promise<Delivered> {
      publishSent({ kind: envelope.type, payload: envelope.payload });
      return current.send(envelope, retry);
    },
    reachable: (signal) => current.reachable(signal),
  };
  const link: AppLink = {
    async setRequestUrl(requestUrl) {
      if (requestUrl === undefined) {
        current = socketMode;
        return;
      }
      const http = { requestUrl, signingSecret, now, sleep };
      await verifyRequestUrl(http);
      current = createHttpDelivery(http);
    },
    isHttp: () => current !== socketMode,
    connections: () => socketMode.connections(),
    disconnect: (reason = 'warning', count) => socketMode.disconnect(reason, count),
    sever: (count) => socketMode.sever(count),
  };
  return { link, transport };
}
