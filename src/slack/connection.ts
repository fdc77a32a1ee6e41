import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Receiver } from '@slack/bolt';
import type { Platform } from '../conversation/ports.ts';

/** How events reach us: over a socket that we keep open, or by requests to our server. */
export interface Connection extends Pick<Platform, 'isConnected' | 'fatalError'> {
  /** What Bolt takes the events from. */
  receiver: Receiver;
  /**
   * Resolves once events can arrive.
   * @throws {PlatformError} naming the variable to fix
   */
  open(): Promise<void>;
  close(): Promise<void>;
  /** Takes Slack's requests, where events come by HTTP. */
  requestListener?: (request: IncomingMessage, response: ServerResponse) => void;
}
