import type { App } from '@slack/bolt';
import type { PlatformError } from '../conversation/platform-error.ts';
import { createQueue } from '../../shared/primitives/queue.ts';
import { sleep } from '../../shared/primitives/sleep.ts';
import type { Connection } from './connection.ts';
import { toPlatformError } from './errors.ts';
import { openSocket, type Socket, type SocketOptions } from './socket.ts';

const firstWaitMs = 100;
const maxWaitMs = 30_000;
/** During an outage Slack may refuse a valid token, but not this many times in a row. */
const maxRefusals = 3;
/**
 * A warning comes about ten seconds before the end, and until then Slack may still send something;
 * then it waits three seconds for the acknowledgement (docs.slack.dev/apis/events-api/using-socket-mode).
 */
const lingerMs = 15_000;

/**
 * Connects with Socket Mode, by two sockets behind one receiver. Slack sends each event, command and
 * press on one of them, so what it sends while one is away arrives by the other. Slack ends each of
 * them every few hours: the next one is opened before the old one is closed, and what arrived on the
 * old one can still be acknowledged there. A socket that is lost is reopened with growing delays,
 * without a time limit. Gives up only when Slack refuses the token several times in a row.
 */
export function createSocketConnection(options: SocketOptions): Connection {
  const { log } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const gaveUp = Promise.withResolvers<PlatformError>();
  const sockets = new Set<Socket>();
  /** Those whose end Slack has not announced: soon it sends nothing new on the others. */
  const live = new Set<Socket>();
  /** One socket is opened at a time. */
  const opening = createQueue();
  let app: App | undefined;

  async function connect(): Promise<Socket> {
    if (!app) throw new Error('Socket Mode was started before Bolt.');
    const socket = await openSocket(app, options);
    sockets.add(socket);
    live.add(socket);
    void Promise.race([socket.announced, socket.lost]).then(() => live.delete(socket));
    void socket.lost.then(() => sockets.delete(socket));
    if (signal.aborted) await socket.close();
    return socket;
  }

  async function reconnect(): Promise<Socket> {
    let refusals = 0;
    for (let wait = firstWaitMs; ;) {
      await sleep(wait * (1 + Math.random() / 4), signal);
      try {
        const wasAway = live.size === 0;
        const socket = await connect();
        if (wasAway) log.info({}, 'connected to Slack again');
        return socket;
      } catch (error) {
        const { kind, retryAfterMs = 0 } = toPlatformError(error);
        refusals = kind === 'forbidden' ? refusals + 1 : 0;
        if (refusals === maxRefusals) throw error;
        log.warn({ err: error }, 'no connection to Slack yet');
        wait = Math.max(Math.min(2 * wait, maxWaitMs), retryAfterMs);
      }
    }
  }

  /** Opens the next socket whenever Slack announces the end of this one, or it is lost. */
  async function keepOpen(first: Socket): Promise<void> {
    for (let socket = first; ;) {
      await Promise.race([socket.announced, socket.lost]);
      if (signal.aborted) return;
      if (live.size === 0) log.info({}, 'the connection to Slack ended: opening another');
      const next = await opening.run('socket', reconnect);
      if (sockets.has(socket)) void retire(socket);
      socket = next;
    }
  }

  async function retire(socket: Socket): Promise<void> {
    await sleep(lingerMs, signal).catch(() => undefined);
    await socket.close();
  }

  function giveUp(error: unknown): void {
    if (!signal.aborted) gaveUp.resolve(toPlatformError(error));
  }

  return {
    receiver: {
      init: (bolt) => void (app = bolt),
      async start() {},
      async stop() {},
    },
    get isConnected() {
      return live.size > 0;
    },
    fatalError: gaveUp.promise,
    async open() {
      keepOpen(await connect()).catch(giveUp);
      opening.run('socket', reconnect).then(keepOpen).catch(giveUp);
    },
    async close() {
      closing.abort();
      await Promise.all([...sockets].map((socket) => socket.close()));
    },
  };
}
