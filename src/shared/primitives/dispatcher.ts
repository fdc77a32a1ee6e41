import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { Agent, buildConnector, Dispatcher, ProxyAgent } from 'undici';
import { hasProxies, proxyFor, withoutBrackets } from './proxies.ts';

/**
 * An undici dispatcher that sends requests through the proxy of each address, if there is one.
 * HTTP/1.1 has one connection per exchange, so ending one early affects no other.
 *
 * @param connectMs to make a connection. Default: 10 s
 */
export function createDispatcher(connectMs?: number): Dispatcher {
  const agent = new Agent({ allowH2: false, connect: createConnector(connectMs) });
  return hasProxies() ? new ProxyingDispatcher(agent, connectMs) : agent;
}

/**
 * Sends requests with http: to the proxy whole (RFC 9112, 3.2.2), because many proxies open tunnels only
 * to port 443.
 */
class ProxyingDispatcher extends Dispatcher {
  readonly #agent: Agent;
  readonly #connectMs: number | undefined;
  #forwarder: ProxyAgent | undefined;

  constructor(agent: Agent, connectMs: number | undefined) {
    super();
    this.#agent = agent;
    this.#connectMs = connectMs;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const url = new URL(String(options.origin));
    const proxy = url.protocol === 'http:' ? proxyFor(url) : undefined;
    if (!proxy) return this.#agent.dispatch(options, handler);
    this.#forwarder ??= new ProxyAgent({
      uri: proxy.href,
      allowH2: false,
      proxyTls: { timeout: this.#connectMs },
    });
    return this.#forwarder.dispatch(options, handler);
  }

  override async close(): Promise<void> {
    await Promise.all([this.#agent.close(), this.#forwarder?.close()]);
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#forwarder?.destroy()]);
  }
}

/** A proxy can't be reached, does not answer or refuses. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** Not a code that undici knows: it would retry without end after that of a socket. */
  readonly code = 'ERR_PROXY';

  /** @param problem follows the proxy's address, such as `does not answer` */
  constructor(proxy: URL, problem: string, options?: ErrorOptions) {
    super(`The proxy at ${proxy.origin} ${problem}`, options);
  }
}

const defaultMs = 10_000;

/**
 * A connector for undici's Agent that uses the proxy of the destination, if there is one, through a
 * tunnel, also for http (RFC 9110, 9.3.6). The proxy is chosen by `host`, so that `hostname` can be a
 * resolved address.
 *
 * @param timeoutMs for a connection, and again for the tunnel before it. Default: 10 s
 */
export function createConnector(timeoutMs = defaultMs): buildConnector.connector {
  const dial = buildConnector({ allowH2: false, timeout: timeoutMs });

  async function dialThrough(
    proxy: URL,
    options: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Promise<void> {
    const { protocol, hostname, port } = options;
    const target = toHost(hostname, port || (protocol === 'https:' ? 443 : 80));
    try {
      const socket = await openTunnel(proxy, target, timeoutMs);
      if (protocol === 'https:') dial({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
    }
  }

  return (options, callback) => {
    const { protocol, host, hostname, port } = options;
    const proxy = proxyFor(new URL(`${protocol}//${host ?? toHost(hostname, port)}`));
    if (proxy) void dialThrough(proxy, options, callback);
    else dial(options, callback);
  };
}

function toHost(hostname: string, port: string | number): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return port ? `${host}:${port}` : host;
}

/** @throws {ProxyError} */
async function openTunnel(proxy: URL, target: string, timeoutMs: number): Promise<Socket> {
  const opened = Promise.withResolvers<Socket>();
  const fail = (problem: string, cause?: unknown) =>
    opened.reject(new ProxyError(proxy, problem, { cause }));
  const send = proxy.protocol === 'https:' ? requestHttps : requestHttp;
  const { protocol, hostname, port } = proxy;
  const request = send({
    protocol,
    hostname: withoutBrackets(hostname),
    port,
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...toAuthorization(proxy) },
    agent: false,
  });
  const timer = setTimeout(() => {
    fail(`has not connected to ${target} for ${timeoutMs / 1000} seconds`);
    request.destroy();
  }, timeoutMs);
  request.on('error', (error) => fail(`can’t be used: ${error.message}`, error));
  request.on('connect', ({ statusCode = 0 }, socket: Socket, head) => {
    if (statusCode < 200 || statusCode > 299) {
      socket.destroy();
      return fail(explain(statusCode, target));
    }
    if (head.length > 0) socket.unshift(head);
    opened.resolve(socket);
  });
  request.end();
  return opened.promise.finally(() => clearTimeout(timer));
}

/** A proxy's user and password (RFC 9110, 11.7.1); nothing if it has none. */
function toAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function explain(status: number, target: string): string {
  return status === 407
    ? 'refuses the user and password (407)'
    : `does not connect to ${target} (${status})`;
}
