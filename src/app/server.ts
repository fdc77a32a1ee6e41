import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import type { Log } from '../shared/primitives/log.ts';
import { createTally } from '../shared/primitives/tally.ts';
import { readParts } from '../service/http/request-body.ts';

/** What the server mounts. Parts are added as they start. */
export interface Routes {
  service?: Answering;
  sandbox?: Answering & Upgrading;
  /** Answers at /metrics. */
  metrics?: (request: Request) => Promise<Response>;
  /**
   * What the process is waiting for, in words. While there is anything, /readyz reports it with
   * 503.
   */
  awaited?: () => readonly string[];
  /** What to look at although the process is ready, in sentences that /readyz adds. */
  warnings?: () => readonly string[];
  /** Node request listeners by path, for libraries that read the request themselves. */
  listeners: Map<string, RequestListener>;
}

interface Answering {
  fetch(request: Request, connection: object): Response | Promise<Response>;
}

interface Upgrading {
  /** Handles an upgrade request and returns true, or returns false and leaves the socket alone. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
}

export interface Server extends AsyncDisposable {
  /** Its base URL, such as `http://127.0.0.1:3000`, without a trailing slash. */
  readonly origin: string;
}

/** The server's timeouts, in ms. */
interface Patience {
  /** For a request's headers. */
  headersMs: number;
  /** For a whole request, so that slowly sent bodies are cut off. */
  requestMs: number;
  /** For a client to read any of the data that waits for it. */
  stalledMs: number;
  /** For the rest of a body that is no longer needed. */
  restMs: number;
  /** For the next request on a connection; longer than the timeout of common proxies. */
  keepAliveMs: number;
  /** For connections to end on their own after the server closes. */
  closeMs: number;
}

const patienceByDefault: Patience = {
  headersMs: 20_000,
  requestMs: 300_000,
  stalledMs: 60_000,
  restMs: 5000,
  keepAliveMs: 65_000,
  closeMs: 2000,
};

/** Above this number, new connections are closed at once. Long streams keep theirs. */
const maxConnectionsByDefault = 2000;

/**
 * Listens on `host` and `port` (0: any free port).
 * @throws {Error} Node's error when the address is taken or not allowed
 */
export async function startServer(
  options: {
    host: string;
    port: number;
    patience?: Partial<Patience>;
    maxConnections?: number;
    log?: Pick<Log, 'warn'>;
  },
  routes: Routes,
): Promise<Server> {
  const { headersMs, requestMs, stalledMs, restMs, keepAliveMs, closeMs } = {
    ...patienceByDefault,
    ...options.patience,
  };
  const timeouts = {
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(requestMs, 10_000),
    keepAliveTimeout: keepAliveMs,
    // Two Host headers are then joined to a malformed one, which is refused (RFC 9112 §3.2).
    joinDuplicateHeaders: true,
    // Every other upgrade that a client offers, such as to HTTP/2, may be ignored (RFC 9110 §7.8).
    shouldUpgradeCallback: (request: IncomingMessage) =>
      routes.sandbox !== undefined && isWebSocket(request),
  };
  const answer = getRequestListener(
    async (request, connection) => {
      const response = await route(request, connection, routes);
      const { incoming, outgoing } = connection as HttpBindings;
      // After a timeout, the connection is not reused (RFC 9110 §15.5.9).
      const isRead = response.status !== 408 && (await dropRest(incoming, restMs));
      if (!isRead) outgoing.setHeader('connection', 'close');
      return response;
    },
    { errorHandler: refuse },
  );
  const server = createServer(timeouts, (request, response) => {
    cutOffStalled(response, stalledMs);
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const listener = routes.listeners.get(path) ?? answer;
    listener(request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    if (!routes.sandbox?.upgrade(request, socket, head)) socket.end(noSocketHere);
  });
  limitConnections(server, options);
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
      const timer = setTimeout(() => server.closeAllConnections(), closeMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Closes idle connections to make room for new ones. */
function limitConnections(
  server: HttpServer,
  options: { maxConnections?: number; log?: Pick<Log, 'warn'> },
): void {
  const { maxConnections = maxConnectionsByDefault, log } = options;
  const dropped = createTally((message: string, count) =>
    log?.warn({ count, maxConnections }, message),
  );
  server.maxConnections = maxConnections;
  server.on('drop', () => {
    server.closeIdleConnections();
    dropped.add(tooManyConnections);
  });
}

const tooManyConnections =
  'connections were closed because too many are open; a reverse proxy can limit them per sender';

/** The size of the largest upload. */
const maxRestBytes = 64 * 1024 * 1024;

/**
 * Reads and drops the rest of a request before it is answered. Most clients send everything before
 * they read anything, and would never see the answer if the connection were closed meanwhile.
 * Afterwards the connection is ready for the next request.
 *
 * @returns false if there is too much or it stalls; the connection must then be closed
 */
async function dropRest(request: IncomingMessage, silentMs: number): Promise<boolean> {
  if (request.complete && request.readableLength === 0) return true;
  if (Number(request.headers['content-length']) > maxRestBytes) return false;
  let bytes = 0;
  try {
    for await (const part of readParts(request.iterator({ destroyOnReturn: false }), silentMs)) {
      bytes += part.byteLength;
      if (bytes > maxRestBytes) return false;
    }
    return true;
  } catch {
    return false;
  }
}

function isWebSocket({ headers, url = '' }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && url.startsWith('/sandbox/');
}

const noSocketHere = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/**
 * Closes the connection of a client that reads nothing for this long while data waits for it. A
 * reply that is merely silent keeps its connection.
 */
function cutOffStalled(response: ServerResponse, ms: number): void {
  response.setTimeout(ms, () => {
    if ((response.socket?.writableLength ?? 0) > 0) response.socket?.destroy();
  });
}

/** An unparsable request, such as one with an invalid Host header, is the client's fault. */
function refuse(error: unknown): Response {
  if (!(error instanceof RequestError)) throw error;
  return Response.json({ error: `The request is malformed: ${error.message}` }, { status: 400 });
}

function route(
  request: Request,
  connection: object,
  { service, sandbox, metrics, awaited = () => [], warnings = () => [] }: Routes,
): Response | Promise<Response> {
  const { pathname } = new URL(request.url);
  if (sandbox && pathname === '/') return Response.redirect(new URL('/sandbox/', request.url));
  if (sandbox && /^\/sandbox(?:\/|$)/.test(pathname)) return sandbox.fetch(request, connection);
  if (metrics && pathname === '/metrics') return metrics(request);
  const waiting = awaited().length > 0;
  if (waiting && pathname === '/readyz') return explainWait(awaited());
  if (pathname === '/readyz' && warnings().length > 0) {
    return new Response(`ready\n${warnings().join('\n')}\n`);
  }
  if (service) return service.fetch(request, connection);
  if (pathname === '/healthz') return new Response('ok\n');
  if (pathname === '/readyz') return new Response('ready\n');
  // A part that has yet to start may answer this path, so the client should retry.
  if (waiting) return explainWait(awaited());
  return new Response('Not found.\n', { status: 404 });
}

function explainWait(awaited: readonly string[]): Response {
  const headers = { 'retry-after': '5' };
  return new Response(`waiting for ${awaited.join(' and ')}\n`, { status: 503, headers });
}

/** A server that listens on all interfaces is reachable on loopback. */
export function originOf({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[address];
  const host = reachable ?? (address.includes(':') ? `[${address}]` : address);
  return `http://${host}:${port}`;
}
