import { type Logger, SocketModeReceiver } from '@slack/bolt';
import { PlatformError } from '../conversation/platform-error.ts';
import type { Log } from '../conversation/ports.ts';
import { clientOptions } from './clients.ts';
import type { Connection } from './connection.ts';
import { slackErrorCode, toPlatformError } from './errors.ts';
import { sleep } from '../primitives/sleep.ts';

type SocketModeClient = SocketModeReceiver['client'];

const firstWaitMs = 100;
const maxWaitMs = 30_000;
/** During an outage Slack may refuse a valid token, but not this many times in a row. */
const maxRefusals = 3;
/** Slack often does not answer a close frame. */
const goodbyeMs = 500;

/**
 * Connects with Socket Mode. The library's own reconnect waits five seconds each time, and ends in
 * an unhandled rejection when opening a socket fails. So it is switched off, and the socket is
 * reopened here: at once, then with growing delays, without a time limit. It gives up only when
 * Slack refuses the token several times in a row.
 */
export function createSocketConnection(options: {
  appToken: string;
  apiUrl: string;
  logger: Logger;
  log: Log;
}): Connection {
  const { appToken, apiUrl, logger, log } = options;
  const closing = new AbortController();
  const gaveUp = Promise.withResolvers<PlatformError>();
  let isConnected = false;
  const receiver = new SocketModeReceiver({
    appToken,
    logger,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(apiUrl, 0) },
    async processEventErrorHandler({ error }) {
      log.error({ err: error }, 'an event from Slack failed');
      return false;
    },
  });
  const { client } = receiver;
  catchRejections(client, log);

  /** Resolves once Slack has said hello. */
  async function connect(): Promise<{ lost: Promise<void> }> {
    const lost = Promise.withResolvers<void>();
    client.once('disconnected', lost.resolve);
    try {
      await client.start();
    } catch (error) {
      client.off('disconnected', lost.resolve);
      throw toConnectError(error);
    }
    if (closing.signal.aborted) await disconnect(client);
    else isConnected = true;
    return { lost: lost.promise };
  }

  async function reconnect(): Promise<{ lost: Promise<void> }> {
    let refusals = 0;
    for (let wait = firstWaitMs; ;) {
      await sleep(wait * (1 + Math.random() / 4), closing.signal);
      try {
        return await connect();
      } catch (error) {
        const { kind, retryAfterMs = 0 } = toPlatformError(error);
        refusals = kind === 'forbidden' ? refusals + 1 : 0;
        if (refusals === maxRefusals) throw error;
        log.warn({ err: error }, 'no connection to Slack yet');
        wait = Math.max(Math.min(2 * wait, maxWaitMs), retryAfterMs);
      }
    }
  }

  async function stayConnected(connection: { lost: Promise<void> }): Promise<void> {
    for (let { lost } = connection; ;) {
      await lost;
      isConnected = false;
      if (closing.signal.aborted) return;
      log.info({}, 'the connection to Slack ended: opening another');
      ({ lost } = await reconnect());
      log.info({}, 'connected to Slack again');
    }
  }

  return {
    receiver,
    get isConnected() {
      return isConnected;
    },
    fatalError: gaveUp.promise,
    async open() {
      const connection = await connect();
      stayConnected(connection).catch((error: unknown) => {
        if (!closing.signal.aborted) gaveUp.resolve(toPlatformError(error));
      });
    },
    async close() {
      closing.abort();
      await disconnect(client);
    },
  };
}

/** A second call ends a connection whose other end does not answer the close frame. */
async function disconnect(client: SocketModeClient): Promise<void> {
  const timer = setTimeout(() => void client.disconnect(), goodbyeMs);
  await client.disconnect();
  clearTimeout(timer);
}

/**
 * The library's message handler is async, and nothing catches what it throws: an `app_rate_limited`
 * notice, which contains no event, would end the process.
 */
function catchRejections(client: SocketModeClient, log: Log): void {
  const handlers = client.listeners('ws_message');
  client.removeAllListeners('ws_message');
  client.on('ws_message', (...message: unknown[]) => {
    for (const handle of handlers) {
      Promise.try(() => handle(...message)).catch((error: unknown) =>
        log.warn({ err: error }, 'Slack sent a message that Socket Mode could not read'),
      );
    }
  });
}

const wrongToken = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'not_allowed_token_type',
  'missing_scope',
]);

function toConnectError(error: unknown): PlatformError {
  const code = slackErrorCode(error);
  if (!code || !wrongToken.has(code)) return toPlatformError(error);
  const problem = { code: 'slack_app_token_refused', params: { reason: code } } as const;
  return new PlatformError('forbidden', problem, { cause: error });
}
