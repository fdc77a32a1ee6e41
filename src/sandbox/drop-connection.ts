import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';

/**
 * Cuts the connection of a request without an answer, as a fault asks for. Where the server did
 * not hand the connection over, the answer breaks off in its first byte instead.
 */
export function dropConnection(context: Context): Response {
  const { incoming } = (context.env ?? {}) as { incoming?: IncomingMessage };
  incoming?.socket.destroy();
  const broken = new ReadableStream({
    start: (controller) => controller.error(new Error('An injected fault closed the connection.')),
  });
  return new Response(incoming ? null : broken);
}
