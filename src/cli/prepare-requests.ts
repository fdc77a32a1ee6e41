import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { ClientOptions } from 'ws';
import { createEnvironment } from '../config/environment.ts';
import { readProxies } from '../config/proxies.ts';
import { growingWaitMs } from '../shared/primitives/retry.ts';
import type { Input } from './command.ts';

/**
 * Has this process send all its requests with one undici, through the proxies of the environment. Call
 * it before a platform's library is imported. A malformed address is left to `readConfig`, which says
 * what is wrong.
 */
export async function prepareRequests(env: Input['env']): Promise<void> {
  const proxies = readProxies(createEnvironment(env));
  const { setGlobalDispatcher } = await import('undici');
  const { hasProxies, setProxies } = await import('../shared/primitives/proxies.ts');
  const { createDispatcher } = await import('../shared/primitives/dispatcher.ts');
  setProxies(proxies);
  // Otherwise it is that of the undici within Node.js, as soon as anything mentions `fetch`: two of
  // them take an eighth more for each reply. `fetch` and discord.js use this one too.
  setGlobalDispatcher(createDispatcher());
  if (hasProxies()) await replaceWebSocket();
}

/** Has the WebSockets of ws go through the proxy. Discord.js keeps the class that it finds at its import. */
async function replaceWebSocket(): Promise<void> {
  const { createConnector } = await import('../shared/primitives/connector.ts');
  const ws = createRequire(import.meta.url)('ws') as { WebSocket: WebSocketClass };
  ws.WebSocket = withConnector(ws.WebSocket, createConnector());
}

/** The part of a WebSocket of ws that discord.js calls. */
type WebSocketClass = new (
  address: string,
  protocols: string[],
  options: ClientOptions,
) => EventEmitter;

/** Less than discord.js waits for a connection, which is a minute. */
const maxWaitMs = 30_000;

/**
 * A WebSocket that connects with a connector: discord.js gives its gateway's no agent, and ws asks no
 * global one. Discord.js tries again half a second after a failure, however many there were, so each
 * failure in a row is reported later than the one before it.
 */
export function withConnector(
  base: WebSocketClass,
  connect: buildConnector.connector,
): WebSocketClass {
  let failures = 0;
  return class extends base {
    constructor(address: string, protocols: string[], options: ClientOptions) {
      const { protocol, host, hostname, port } = new URL(address);
      const destination = { protocol: protocol.replace('ws', 'http'), host, hostname, port };
      const createConnection = (_: object, done: (error: Error | null, socket?: Socket) => void) =>
        connect(destination, (error, socket) => {
          failures = error ? failures + 1 : 0;
          if (socket) return done(null, socket);
          setTimeout(done, growingWaitMs(failures, { maxMs: maxWaitMs }), error);
        });
      super(address, protocols, { ...options, createConnection } as unknown as ClientOptions);
    }
  };
}
