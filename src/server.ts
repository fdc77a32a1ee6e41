import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';

/** What the process answers over HTTP; parts are put in as they start. */
export interface Routes {
  service?: Answering | undefined;
  sandbox?: (Answering & Upgrading) | undefined;
  metrics?: { render(): Promise<Response> } | undefined;
  /** Node listeners by path, for libraries that read the request themselves. */
  listeners: Map<string, RequestListener>;
}

interface Answering {
  fetch(request: Request, connection: object): Response | Promise<Response>;
}

interface Upgrading {
  /** Takes a socket that asks to be upgraded, and returns true; leaves any other alone. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
}

export interface Server extends AsyncDisposable {
  /** Where it answers, as `http://127.0.0.1:3000`, without a slash at the end. */
  readonly origin: string;
}

/** A request's headers must be here within this time, or the socket closes. */
const headersTimeoutMs = 20_000;

/** After the last request is answered, sockets still open are cut off. */
const closeGraceMs = 2000;

/**
 * Listens on `host` and `port` (0: any free port).
 *
 * @throws {Error} of Node when the address is taken or not allowed
 */
export async function startServer(
  options: { host: string; port: number },
  routes: Routes,
): Promise<Server> {
  const answer = getRequestListener((request, connection) => route(request, connection, routes));
  const server = createServer({ headersTimeout: headersTimeoutMs }, (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const listener = routes.listeners.get(path) ?? answer;
    listener(request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    if (!routes.sandbox?.upgrade(request, socket, head)) socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    origin: originOf(server.address() as AddressInfo),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), closeGraceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

function route(
  request: Request,
  connection: object,
  { service, sandbox, metrics }: Routes,
): Response | Promise<Response> {
  const { pathname } = new URL(request.url);
  if (sandbox && pathname === '/') return Response.redirect(new URL('/sandbox/', request.url));
  if (sandbox && /^\/sandbox(?:\/|$)/.test(pathname)) return sandbox.fetch(request, connection);
  if (metrics && pathname === '/metrics') return metrics.render();
  if (service) return service.fetch(request, connection);
  if (pathname === '/healthz') return new Response('ok\n');
  return new Response('Nothing is here.\n', { status: 404 });
}

/** An address that listens on every interface is reached on loopback. */
function originOf({ address, port }: AddressInfo): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[address];
  const host = reachable ?? (address.includes(':') ? `[${address}]` : address);
  return `http://${host}:${port}`;
}
