import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { createLru } from '../../shared/primitives/cache.ts';
import type { Sleep } from '../../shared/primitives/time.ts';
import { refuseConnection } from '../connections.ts';
import { type Delivered, type Transport, withinAcknowledgement } from './delivery.ts';
import { newSecret } from './identifiers.ts';

/** Socket Mode: docs.slack.dev/apis/events-api/using-socket-mode. */
export interface SocketMode extends Transport {
  /** The path and query of a new socket, valid once and for 30 seconds. */
  newLink(): string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  connections(): number;
  /**
   * Sends a disconnect message, by default a warning, as each connection gets one every few hours: on
   * the oldest ones, by default on all. After any reason but a warning, a connection gets nothing new.
   * Slack does not close its TCP connection, even if the app sends a close frame:
   * slackapi/node-slack-sdk#2752.
   */
  disconnect(reason?: DisconnectReason, count?: number): void;
  /**
   * From now on, sends each payload on all connections. Slack sends it on one, and no documentation
   * says that it never repeats it on another.
   */
  repeat(): void;
  /** Drops connections without a disconnect message, the oldest first; by default all of them. */
  sever(count?: number): void;
  close(): void;
}

/** Slack's reason for a disconnect. */
type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled';

const maxConnections = 10;
const linkLifetimeMs = 30_000;
const maxLinks = 100;
const pingIntervalMs = 10_000;
const maxBytes = 1024 * 1024;
const connectionLost: Delivered = { acknowledged: false, reason: 'connection_failed' };
const timedOut: Delivered = { acknowledged: false, reason: 'timeout' };

interface Connection {
  socket: WebSocket;
  tcp: Duplex;
  /** Whether it got a disconnect message. */
  isWarned: boolean;
  /** Whether it gets nothing new. */
  leaving: boolean;
  waiting: Map<string, (delivered: Delivered) => void>;
}

/** Creates a Socket Mode endpoint with no connections. */
export function createSocketMode(
  appId: string,
  onConnections: (count: number) => void,
  now: () => number,
  sleep: Sleep,
): SocketMode {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxBytes });
  const links = createLru<number>(maxLinks);
  const connections = new Set<Connection>();
  const arrivals = new Set<() => void>();
  let turn = 0;
  let repeats = false;

  function open(socket: WebSocket, tcp: Duplex): void {
    if (connections.size >= maxConnections) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }));
      socket.close();
      return;
    }
    const waiting: Connection['waiting'] = new Map();
    const connection: Connection = { socket, tcp, isWarned: false, leaving: false, waiting };
    connections.add(connection);
    const pings = setInterval(() => socket.ping(), pingIntervalMs).unref();
    socket.on('message', (data) => acknowledge(connection, data));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      clearInterval(pings);
      connections.delete(connection);
      for (const settle of waiting.values()) settle(connectionLost);
      onConnections(connections.size);
    });
    const about = { num_connections: connections.size, connection_info: { app_id: appId } };
    socket.send(JSON.stringify({ type: 'hello', ...about, debug_info: { host: 'sandbox' } }));
    socket.ping();
    onConnections(connections.size);
    for (const arrive of arrivals) arrive();
  }

  /** Each payload goes to one connection, in turn; Slack picks one at random. */
  function pick(): Connection[] {
    const ready = [...connections].filter(
      ({ socket, leaving }) => !leaving && socket.readyState === socket.OPEN,
    );
    const start = turn++ % ready.length;
    return repeats ? ready : ready.slice(start, start + 1);
  }

  return {
    newLink() {
      const ticket = newSecret(16);
      links.set(ticket, now() + linkLifetimeMs);
      return `/link?ticket=${ticket}&app_id=${appId}`;
    },
    upgrade(request, socket, head) {
      const url = new URL(request.url ?? '', 'http://sandbox');
      const ticket = url.searchParams.get('ticket') ?? '';
      const expires = links.get(ticket);
      links.delete(ticket);
      if (expires === undefined || expires < now()) {
        refuseConnection(socket, '404 Not Found');
      } else {
        server.handleUpgrade(request, socket, head, (opened) => open(opened, socket));
      }
    },
    connections: () => connections.size,
    async send({ type, payload }, retry) {
      const picked = pick();
      if (picked.length === 0) return connectionLost;
      const id = newSecret(16);
      const acknowledged = Promise.withResolvers<Delivered>();
      const envelope = JSON.stringify({
        envelope_id: id,
        type,
        payload,
        accepts_response_payload: type !== 'events_api',
        ...(type === 'events_api' && {
          retry_attempt: retry?.attempt ?? 0,
          retry_reason: retry?.reason ?? '',
        }),
      });
      for (const { waiting, socket } of picked) {
        waiting.set(id, acknowledged.resolve);
        socket.send(envelope);
      }
      try {
        return await withinAcknowledgement(() => acknowledged.promise, timedOut, sleep);
      } finally {
        for (const { waiting } of picked) waiting.delete(id);
      }
    },
    reachable(signal) {
      if (pick().length > 0) return Promise.resolve();
      return new Promise((resolve) => {
        const arrive = () => {
          arrivals.delete(arrive);
          resolve();
        };
        arrivals.add(arrive);
        signal.addEventListener('abort', arrive, { once: true });
      });
    },
    repeat: () => void (repeats = true),
    disconnect(reason = 'warning', count = connections.size) {
      const staying = [...connections].filter(({ leaving }) => !leaving);
      const unwarned = staying.filter(({ isWarned }) => !isWarned);
      const warned = staying.filter(({ isWarned }) => isWarned);
      for (const connection of [...unwarned, ...warned].slice(0, count)) {
        connection.isWarned = true;
        connection.leaving = reason !== 'warning';
        leaveOpen(connection.tcp);
        const farewell = { type: 'disconnect', reason, debug_info: { host: 'sandbox' } };
        connection.socket.send(JSON.stringify(farewell));
      }
    },
    sever(count = connections.size) {
      for (const { socket } of [...connections].slice(0, count)) socket.terminate();
    },
    close() {
      for (const { socket } of connections) socket.terminate();
      server.close();
    },
  };
}

/** Keeps the library from ending a TCP connection, after both close frames, before the app does. */
function leaveOpen(tcp: Duplex): void {
  const end = tcp.end.bind(tcp);
  tcp.end = () => tcp;
  tcp.once('end', () => end());
}

function acknowledge(connection: Connection, data: RawData): void {
  const { id, payload } = parseAcknowledgement(Buffer.isBuffer(data) ? data.toString() : '');
  connection.waiting.get(id)?.({ acknowledged: true, response: payload });
}

/** Anything but an acknowledgement is ignored, as in Slack. */
function parseAcknowledgement(data: string): { id: string; payload: unknown } {
  try {
    const parsed = JSON.parse(data) as { envelope_id?: unknown; payload?: unknown } | null;
    return { id: String(parsed?.envelope_id), payload: parsed?.payload };
  } catch {
    return { id: '', payload: undefined };
  }
}
