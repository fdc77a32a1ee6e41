import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';

/**
 * Closes the connection of a request without a response, as a fault demands. If the server did not
 * pass the connection on, the response breaks off at its first byte instead.
 */
export function dropConnection(context: Context): Response {
  const { incoming } = (context.env ?? {}) as { incoming?: IncomingMessage };
  incoming?.socket.destroy();
  const broken = new ReadableStream({
    start: (controller) => controller.error(new Error('An injected fault closed the connection.')),
  });
  return new Response(incoming ? null : broken);
}
