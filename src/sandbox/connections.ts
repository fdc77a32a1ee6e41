import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context } from 'hono';

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The host of a request, which is also in its URL. */
export function hostOf({ req }: Context): string {
  return req.header('host') ?? new URL(req.url).host;
}

/**
 * Whether a Host header names this machine. A page whose domain resolves to loopback (DNS
 * rebinding) still sends its own domain here.
 */
export function isLoopback(host: string): boolean {
  return loopbackNames.has(host.replace(/:\d+$/, '').toLowerCase());
}

/**
 * Whether a browser sends a request to `host` for a page of another origin. It says so in Origin, or
 * where it leaves that out, as for images, in Sec-Fetch-Site (https://www.w3.org/TR/fetch-metadata/).
 * A program sends neither.
 */
export function isFromElsewhere(
  headers: { origin?: string; 'sec-fetch-site'?: string },
  host: string,
): boolean {
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  if (origin !== undefined && !isOwn(origin, host)) return true;
  return site !== 'same-origin' && site !== 'none';
}

function isOwn(origin: string, host: string): boolean {
  const url = URL.parse(origin);
  return url !== null && url.host === host.toLowerCase() && isLoopback(url.host);
}

/** Refuses an upgrade: by default as a platform does that is down. */
export function refuseConnection(socket: Duplex, status = '503 Service Unavailable'): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Closes a request's connection. Returns false if the server did not pass the connection on. */
export function cutConnection({ env }: Context): boolean {
  const { incoming } = (env ?? {}) as { incoming?: IncomingMessage };
  incoming?.socket.destroy();
  return incoming !== undefined;
}

/**
 * Closes the connection of a request without a response, as a fault demands. If the server did not
 * pass the connection on, the response breaks off at its first byte instead.
 */
export function dropConnection(context: Context): Response {
  if (cutConnection(context)) return new Response(null);
  const broken = new ReadableStream({
    start: (controller) => controller.error(new Error('An injected fault closed the connection.')),
  });
  return new Response(broken);
}
