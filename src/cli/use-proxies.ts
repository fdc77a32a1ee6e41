import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { ClientOptions } from 'ws';
import { createEnvironment } from '../config/environment.ts';
import { readProxies } from '../config/proxies.ts';
import type { Input } from './command.ts';

/**
 * Makes this process use the proxies of the environment. Call it before a platform's library is
 * imported. A malformed address is left to `readConfig`, which says what is wrong.
 */
export async function useProxies(env: Input['env']): Promise<void> {
  const proxies = readProxies(createEnvironment(env));
  if (!proxies.http && !proxies.https) return;
  const { setGlobalDispatcher } = await import('undici');
  const { setProxies } = await import('../primitives/proxies.ts');
  const { createDispatcher } = await import('../primitives/dispatcher.ts');
  setProxies(proxies);
  // For `fetch` and discord.js too, which have undicis of their own.
  setGlobalDispatcher(createDispatcher());
  await replaceWebSocket();
}

/** The part of a WebSocket of ws that its users call. */
type WebSocketClass = new (address: string, protocols: string[], options: ClientOptions) => object;

/**
 * Has the WebSockets of ws go through the proxy. Discord.js gives those of its gateway no agent, and
 * ws asks no global one; discord.js keeps the class that it finds here when it is imported.
 */
async function replaceWebSocket(): Promise<void> {
  const { createConnector } = await import('../primitives/connector.ts');
  const connect = createConnector();
  const ws = createRequire(import.meta.url)('ws') as { WebSocket: WebSocketClass };
  ws.WebSocket = class extends ws.WebSocket {
    constructor(address: string, protocols: string[], options: ClientOptions) {
      const { protocol, host, hostname, port } = new URL(address);
      const destination = { protocol: protocol.replace('ws', 'http'), host, hostname, port };
      const createConnection = (_: object, done: (error: Error | null, socket?: Socket) => void) =>
        connect(destination, (error, socket) => done(error, socket ?? undefined));
      super(address, protocols, { ...options, createConnection } as unknown as ClientOptions);
    }
  };
}
