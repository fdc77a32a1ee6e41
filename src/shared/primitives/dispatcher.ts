import { Agent, Dispatcher, ProxyAgent } from 'undici';
import { createConnector } from './connector.ts';
import { hasProxies, proxyFor } from './proxies.ts';

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
