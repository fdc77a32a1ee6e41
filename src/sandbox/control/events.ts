import type { Context } from 'hono';
import type { Sleep } from '../../shared/primitives/sleep.ts';
import { cutConnection } from '../connections.ts';
import type { PlatformName } from '../inspector/api-calls.ts';
import { ControlError } from './request-body.ts';
import type { ShownChange } from './shown.ts';

/** Calls the listener with every later change, until the returned function is called. */
export type Subscribe = (listener: (change: ShownChange) => void) => () => void;

export interface EventStreams {
  /**
   * Responds with a stream of server-sent events.
   * @throws {ControlError} 503 when too many are open
   */
  open(context: Context): Response;
  close(): void;
}

const heartbeatMs = 15_000;
const maxStreams = 64;
/** A client this many bytes behind is disconnected; it reconnects and reloads everything. */
const maxBytesBehind = 1024 * 1024;

/**
 * Streams of all changes on both platforms. Each event is one JSON document: a ShownChange with its
 * `platform`. A comment every 15 seconds keeps the connection alive.
 */
export function createEventStreams(
  sources: Record<PlatformName, Subscribe>,
  sleep: Sleep,
): EventStreams {
  const open = new Set<() => void>();

  return {
    open(context) {
      if (open.size >= maxStreams) {
        throw new ControlError(503, `${maxStreams} event streams are already open.`);
      }
      const stream = createStream(sources, sleep, () => cutConnection(context));
      open.add(stream.end);
      stream.ended.addEventListener('abort', () => open.delete(stream.end));
      return new Response(stream.body, {
        headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
      });
    },
    close() {
      for (const end of open) end();
    },
  };
}

interface Stream {
  body: ReadableStream<Uint8Array>;
  end: () => void;
  /** Aborts when the stream is over, whichever side ended it. */
  ended: AbortSignal;
}

function createStream(
  sources: Record<PlatformName, Subscribe>,
  sleep: Sleep,
  cut: () => unknown,
): Stream {
  const over = new AbortController();
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const subscriptions = Object.entries(sources).map(([platform, subscribe]) =>
    subscribe((change) => send(`data: ${JSON.stringify({ platform, ...change })}\n\n`)),
  );
  over.signal.addEventListener('abort', () => {
    for (const unsubscribe of subscriptions) unsubscribe();
  });

  function end(): void {
    if (over.signal.aborted) return;
    over.abort();
    controller?.close();
  }

  function send(text: string): void {
    if (over.signal.aborted || !controller) return;
    controller.enqueue(encoder.encode(text));
    if ((controller.desiredSize ?? 0) > -maxBytesBehind) return;
    end();
    cut();
  }

  async function beat(): Promise<void> {
    while (!over.signal.aborted) {
      await sleep(heartbeatMs, over.signal).catch(() => undefined);
      send(': still here\n\n');
    }
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started;
        send('retry: 1000\n\n');
        void beat();
      },
      cancel: () => over.abort(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return { body, end, ended: over.signal };
}
