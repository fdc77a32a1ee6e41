import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '@slack/bolt';
import type { PlatformError } from '../conversation/errors.ts';
import type { Platform } from '../conversation/platform.ts';

/** How events reach the bot: over a socket that it keeps open, or as requests to its server. */
export interface EventConnection extends Pick<Platform, 'isConnected' | 'fatalError' | 'warning'> {
  /**
   * Resolves once events can arrive, each for the app's `processEvent`.
   * @throws {PlatformError} naming the variable to fix
   */
  open(app: App): Promise<void>;
  /** Ends the connection with its `fatalError`, until it is opened again. */
  fail(error: PlatformError): void;
  close(): Promise<void>;
  /** Handles Slack's requests; only if events come by HTTP. */
  requestListener?: (request: IncomingMessage, response: ServerResponse) => void;
}
