import type { Duplex } from 'node:stream';
import { type App, type Logger, SocketModeReceiver } from '@slack/bolt';
import type { Log } from '../conversation/ports.ts';
import { Agent } from 'undici';
import { PlatformError } from '../conversation/platform-error.ts';
import { createConnector } from '../../shared/primitives/connector.ts';
import { hasProxies } from '../../shared/primitives/proxies.ts';
import { clientOptions } from './clients.ts';
import { refusesToken, slackErrorCode, toPlatformError, unreachable } from './errors.ts';
import { guardMessages } from './library-patches.ts';

/** An open Socket Mode connection. */
export interface Socket {
  /** Resolves when Slack announces that it ends the connection: soon nothing new arrives on it. */
  announced: Promise<void>;
  /** Resolves when the connection has ended. */
  lost: Promise<void>;
  /** Ends the connection. Never rejects. */
  close(): Promise<void>;
}

export interface SocketOptions {
  appToken: string;
  apiUrl: string;
  logger: Logger;
  log: Log;
}

type Client = SocketModeReceiver['client'];

/** Slack often answers no close frame, and leaves closing the TCP connection to us. */
const goodbyeMs = 500;

/**
 * Opens a Socket Mode connection for the app's events, and resolves once Slack has said hello. The
 * library's own reconnect is off: it waits five seconds each time, and ends in an unhandled
 * rejection when opening a socket fails.
 * @throws {PlatformError} naming the variable to fix if Slack refuses the token
 */
export async function openSocket(app: App, options: SocketOptions): Promise<Socket> {
  const { appToken, apiUrl, logger, log } = options;
  const tunnel = hasProxies() ? new Tunnel() : undefined;
  const receiver = new SocketModeReceiver({
    dispatcher: tunnel?.dispatcher,
    appToken,
    logger,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(apiUrl, 0) },
    async processEventErrorHandler({ error }) {
      log.error({ err: error }, 'an event from Slack failed');
      return false;
    },
  });
  receiver.init(app);
  const { client } = receiver;
  const lost = Promise.withResolvers<void>();
  const announced = Promise.withResolvers<void>();
  client.once('disconnected', lost.resolve);
  client.once('close', () => tunnel?.end());
  guardMessages(client, { onDisconnect: announced.resolve, log });
  const turnedAway = announced.promise.then(() => {
    throw unreachable(new Error('Slack turned the connection away before its hello'));
  });
  try {
    await Promise.race([client.start(), turnedAway]);
  } catch (error) {
    void disconnect(client);
    throw toConnectError(tunnel?.failure ?? error);
  }
  turnedAway.catch(() => undefined);
  return { announced: announced.promise, lost: lost.promise, close: () => disconnect(client) };
}

/**
 * A connection through a proxy. As the library's own dispatcher does, it ends the connection when the
 * library is done with it, whether or not the other end has closed it. It keeps why there is none,
 * which a WebSocket doesn't tell.
 */
class Tunnel {
  failure: Error | undefined;
  #socket: Duplex | undefined;
  readonly dispatcher: Agent;

  constructor() {
    const connect = createConnector();
    this.dispatcher = new Agent({
      connect: (options, done) =>
        connect(options, (...result) => {
          [this.failure, this.#socket] = [result[0] ?? undefined, result[1] ?? undefined];
          done(...result);
        }),
    });
  }

  end(): void {
    this.#socket?.destroy();
  }
}

/** A second call ends a connection whose other end has not closed it. */
async function disconnect(client: Client): Promise<void> {
  const timer = setTimeout(() => void client.disconnect(), goodbyeMs);
  await client.disconnect();
  clearTimeout(timer);
}

function toConnectError(error: unknown): PlatformError {
  const reason = slackErrorCode(error) ?? '';
  if (!refusesToken(error) && reason !== 'missing_scope') return toPlatformError(error);
  const problem = { code: 'slack_app_token_refused', params: { reason } } as const;
  return new PlatformError('forbidden', problem, { cause: error });
}
