import type { IncomingMessage, ServerResponse } from 'node:http';

/** The service works, closes every connection, or stops answering. */
export const serviceStates = ['works', 'dies', 'hangs'] as const;
type ServiceState = (typeof serviceStates)[number];

/** A part of the server: `connection` is what `@hono/node-server` passes of a request's socket. */
interface Answering {
  fetch(request: Request, connection: object): Response | Promise<Response>;
}

/** Stands between the bridge and the chatbot service, so that a failing service can be tried out. */
export interface ServiceGate {
  /** The service with an API that fails as the state says. Its other pages work on. */
  guard(service: Answering): Answering;
  /** Whether a service is behind the gate. A service elsewhere is reached directly. */
  readonly isUsed: boolean;
  readonly state: ServiceState;
  /** Takes effect at once, also for replies that are being sent. */
  change(state: ServiceState): void;
}

export function createServiceGate(): ServiceGate {
  let state: ServiceState = 'works';
  let isUsed = false;
  /** The responses being sent. Those held back have a function that releases them. */
  const running = new Map<ServerResponse, (() => void) | undefined>();
  /** Requests that wait until the service works again. */
  const waiting = new Set<() => void>();

  async function wait(): Promise<void> {
    await new Promise<void>((resolve) => waiting.add(resolve));
  }

  return {
    guard(service) {
      isUsed = true;
      return {
        async fetch(request, connection) {
          const { incoming, outgoing } = connection as Partial<Connection>;
          const isCall = new URL(request.url).pathname.startsWith('/api/');
          if (!isCall || !incoming || !outgoing) return service.fetch(request, connection);
          running.set(outgoing, undefined);
          outgoing.once('close', () => running.delete(outgoing));
          if (state === 'dies') incoming.socket.destroy();
          if (state === 'hangs') await wait();
          return incoming.socket.destroyed
            ? new Response(null)
            : service.fetch(request, connection);
        },
      };
    },
    get isUsed() {
      return isUsed;
    },
    get state() {
      return state;
    },
    change(next) {
      state = next;
      for (const [outgoing, release] of running) {
        if (state === 'hangs') running.set(outgoing, release ?? holdBack(outgoing));
        else if (state === 'dies') outgoing.socket?.destroy();
        else {
          release?.();
          running.set(outgoing, undefined);
        }
      }
      if (state === 'hangs') return;
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
  };
}

interface Connection {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

/**
 * Holds back what is written to a response, until the returned function is called. The response says
 * that its buffer is full, so the writer waits too.
 */
function holdBack(outgoing: ServerResponse): () => void {
  const { write, end } = outgoing;
  const held: (() => void)[] = [];
  outgoing.write = (...given: unknown[]) => {
    held.push(() => void Reflect.apply(write, outgoing, given));
    return false;
  };
  outgoing.end = (...given: unknown[]) => {
    held.push(() => void Reflect.apply(end, outgoing, given));
    return outgoing;
  };
  return () => {
    Object.assign(outgoing, { write, end });
    for (const pass of held) pass();
    outgoing.emit('drain');
  };
}
