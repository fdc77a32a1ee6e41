import type { Duplex } from 'node:stream';
import { type App, type Logger, SocketModeReceiver } from '@slack/bolt';
import { Agent } from 'undici';
import { createConnector } from '../../shared/primitives/dispatcher.ts';
import { hasProxies } from '../../shared/primitives/proxies.ts';
import { createQueue } from '../../shared/primitives/queue.ts';
import { sleep } from '../../shared/primitives/time.ts';
import { PlatformError } from '../conversation/errors.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { clientOptions } from './clients.ts';
import type { EventConnection } from './event-connection.ts';
import { refusesToken, slackErrorCode, toPlatformError, unreachable } from './errors.ts';
import { guardMessages } from './library-patches.ts';

const firstWaitMs = 100;
const maxWaitMs = 30_000;
/** Slack may refuse a valid token once or twice during an outage. */
const maxRefusals = 3;
/**
 * A warning comes about ten seconds before the end, and until then Slack may still send something;
 * then it waits three seconds for the acknowledgement (docs.slack.dev/apis/events-api/using-socket-mode).
 */
const lingerMs = 15_000;
/** A process keeps two, and the next one of each while Slack ends it. */
const maxPerProcess = 4;
/** Slack may not have noticed yet that a connection was lost. */
const noticeMs = 60_000;

/**
 * Connects with Socket Mode, by two sockets. Slack sends each event, command and
 * press on one of them, so what it sends while one is away arrives by the other. Slack ends each of
 * them every few hours: the next one is opened before the old one is closed, and what arrived on the
 * old one can still be acknowledged there. A socket that is lost is reopened with growing delays,
 * without a time limit. Gives up only when Slack refuses the token several times in a row, and no
 * socket is left; then it can be opened again.
 */
export function createSocketConnection(options: SocketOptions): EventConnection {
  const { processes = () => 1, log } = options;
  const closing = new AbortController();
  const sockets = new Set<Socket>();
  /** Sockets whose end Slack has not announced; on the others it soon sends nothing new. */
  const live = new Set<Socket>();
  /** The sockets that Slack may count: also those that ended less than a minute ago. */
  const counted = new Set<Socket>();
  /** One socket is opened at a time. */
  const opening = createQueue();
  let gaveUp = Promise.withResolvers<PlatformError>();
  let giveUp: (error: unknown) => void = () => {};
  let warning: string | undefined;

  async function connect(app: App, signal: AbortSignal): Promise<Socket> {
    const socket = await openSocket(app, options);
    sockets.add(socket);
    counted.add(socket);
    if (!signal.aborted) live.add(socket);
    lookForOthers(socket.connections);
    void Promise.race([socket.announced, socket.lost]).then(() => live.delete(socket));
    void socket.lost.then(() => sockets.delete(socket));
    void forgetLater(socket);
    if (signal.aborted) await socket.close();
    return socket;
  }

  async function forgetLater(socket: Socket): Promise<void> {
    await socket.lost;
    await sleep(noticeMs, closing.signal).catch(() => undefined);
    counted.delete(socket);
  }

  /** @param connections of the app, as Slack counts them */
  function lookForOthers(connections: number): void {
    const before = warning;
    const expected = counted.size + (processes() - 1) * maxPerProcess;
    warning = connections > expected ? othersWarning : undefined;
    if (warning === before) return;
    if (warning) log.warn({ connections, own: counted.size }, warning);
    else log.info({ connections }, 'no other installation is connected to Slack now');
  }

  async function reconnect(app: App, signal: AbortSignal): Promise<Socket> {
    let refusals = 0;
    for (let wait = firstWaitMs; ;) {
      await sleep(wait * (1 + Math.random() / 4), signal);
      try {
        const wasAway = live.size === 0;
        const socket = await connect(app, signal);
        if (wasAway) log.info({}, 'connected to Slack again');
        return socket;
      } catch (error) {
        const { kind, retryAfterMs = 0 } = toPlatformError(error);
        refusals = kind === 'forbidden' ? refusals + 1 : 0;
        if (refusals >= maxRefusals && live.size === 0) throw error;
        log.warn({ err: error }, 'connecting to Slack failed; trying again');
        wait = Math.max(Math.min(2 * wait, maxWaitMs), retryAfterMs);
      }
    }
  }

  /** Opens the next socket whenever Slack announces the end of this one, or it is lost. */
  async function keepOpen(app: App, first: Socket, signal: AbortSignal): Promise<void> {
    for (let socket = first; ;) {
      await Promise.race([socket.announced, socket.lost]);
      if (signal.aborted) return;
      if (live.size === 0) log.info({}, 'the connection to Slack ended; opening another');
      const next = await opening.run('socket', () => reconnect(app, signal));
      if (sockets.has(socket)) void retire(socket, signal);
      socket = next;
    }
  }

  async function retire(socket: Socket, signal: AbortSignal): Promise<void> {
    await sleep(lingerMs, signal).catch(() => undefined);
    await socket.close();
  }

  const closeAll = () => Promise.all([...sockets].map((socket) => socket.close()));

  return {
    get isConnected() {
      return live.size > 0;
    },
    get fatalError() {
      return gaveUp.promise;
    },
    get warning() {
      return warning;
    },
    async open(app) {
      const ending = new AbortController();
      const signal = AbortSignal.any([closing.signal, ending.signal]);
      const ended = Promise.withResolvers<PlatformError>();
      gaveUp = ended;
      giveUp = (error) => {
        if (signal.aborted) return;
        ending.abort();
        live.clear();
        void closeAll();
        ended.resolve(toPlatformError(error));
      };
      const first = await connect(app, signal);
      keepOpen(app, first, signal).catch(giveUp);
      const second = opening.run('socket', () => reconnect(app, signal));
      second.then((socket) => keepOpen(app, socket, signal)).catch(giveUp);
    },
    fail: (error) => giveUp(error),
    async close() {
      closing.abort();
      await closeAll();
    },
  };
}

const othersWarning =
  'Another process is connected to Slack with the same SLACK_APP_TOKEN. Slack sends each message and command to only one of them: stop one, or give it an app of its own.';

/** An open Socket Mode connection. */
interface Socket {
  /** How many the app had when this one was opened, as Slack counts them. */
  connections: number;
  /** Resolves when Slack announces that it ends the connection: soon nothing new arrives on it. */
  announced: Promise<unknown>;
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
  /** How many processes share the store, and so the app; by default this one alone. */
  processes?: () => number;
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
async function openSocket(app: App, options: SocketOptions): Promise<Socket> {
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
  const announced = Promise.withResolvers<unknown>();
  client.once('disconnected', lost.resolve);
  client.once('close', () => tunnel?.end());
  let connections = 0;
  guardMessages(client, {
    onHello: (count) => (connections = count),
    onDisconnect: announced.resolve,
    log,
  });
  const turnedAway = announced.promise.then((reason) => {
    if (reason === 'too_many_websockets') throw new PlatformError('failed', 'slack_sockets_full');
    throw unreachable(new Error('Slack refused the connection before its hello'));
  });
  try {
    await Promise.race([client.start(), turnedAway]);
  } catch (error) {
    void disconnect(client);
    throw toConnectError(tunnel?.failure ?? error);
  }
  turnedAway.catch(() => undefined);
  return {
    connections,
    announced: announced.promise,
    lost: lost.promise,
    close: () => disconnect(client),
  };
}

/**
 * A connection through a proxy. As the library's own dispatcher does, it ends the connection when the
 * library is done with it, whether or not the other end has closed it. It keeps the reason for a
 * failure, which a WebSocket doesn't tell.
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

/** The second call ends a connection that the other end has not closed. */
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
