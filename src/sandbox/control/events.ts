import type { Context } from 'hono';
import type { Sleep } from '../../shared/primitives/time.ts';
import { cutConnection } from '../connections.ts';
import type { PlatformName } from '../inspector/api-calls.ts';
import { ControlError } from './request-body.ts';
import type { ShownChange } from './shown.ts';

/** Calls the listener with every later change, until the returned function is called. */
export type Subscribe = (listener: (change: ShownChange) => void) => () => void;

const heartbeatMs = 15_000;
const maxStreams = 64;
/** A client this many bytes behind is disconnected; it reconnects and reloads everything. */
const maxBytesBehind = 1024 * 1024;

/**
 * Streams of all changes on both platforms. Each event is one JSON document: a ShownChange with its
 * `platform`. A comment every 15 seconds keeps the connection alive.
 */
export function createEventStreams(sleep: Sleep) {
  const open = new Set<AbortController>();

  return {
    /**
     * Responds with a stream of server-sent events.
     * @throws {ControlError} 503 when too many are open
     */
    open(context: Context, sources: Record<PlatformName, Subscribe>): Response {
      if (open.size >= maxStreams) {
        throw new ControlError(503, `${maxStreams} event streams are already open.`);
      }
      const over = new AbortController();
      open.add(over);
      over.signal.addEventListener('abort', () => open.delete(over));
      const body = streamChanges(sources, sleep, over, () => cutConnection(context));
      return new Response(body, {
        headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
      });
    },
    close() {
      for (const over of open) over.abort();
    },
  };
}

/** A stream until `over` aborts, which it also does when the client leaves or falls behind. */
function streamChanges(
  sources: Record<PlatformName, Subscribe>,
  sleep: Sleep,
  over: AbortController,
  cut: () => void,
): ReadableStream<Uint8Array> {
  const { signal } = over;
  const encoder = new TextEncoder();
  let isCancelled = false;

  function start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    function send(text: string): void {
      if (signal.aborted) return;
      controller.enqueue(encoder.encode(text));
      if ((controller.desiredSize ?? 0) > -maxBytesBehind) return;
      over.abort();
      cut();
    }

    async function beat(): Promise<void> {
      while (!signal.aborted) {
        await sleep(heartbeatMs, signal).catch(() => undefined);
        send(': still here\n\n');
      }
    }

    const subscriptions = Object.entries(sources).map(([platform, subscribe]) =>
      subscribe((change) => send(`data: ${JSON.stringify({ platform, ...change })}\n\n`)),
    );
    signal.addEventListener('abort', () => {
      for (const unsubscribe of subscriptions) unsubscribe();
      if (!isCancelled) controller.close();
    });
    send('retry: 1000\n\n');
    void beat();
  }

  function cancel(): void {
    isCancelled = true;
    over.abort();
  }

  return new ReadableStream({ start, cancel }, new ByteLengthQueuingStrategy({ highWaterMark: 0 }));
}
