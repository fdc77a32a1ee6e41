import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { createLru } from '../../../shared/primitives/cache.ts';
import {
  type Connection,
  type ConnectionOptions,
  type MembersRequest,
  serveConnection,
} from './connection.ts';
import {
  type GatewayEvent,
  type Session,
  createSession,
  guildOfEvent,
  isOfShard,
  selectData,
} from './session.ts';

/** An event for one session. */
export interface SessionEvent {
  name: string;
  data: object;
}

export interface GatewayOptions extends Pick<
  ConnectionOptions,
  'now' | 'isToken' | 'mayRead' | 'mayBegin' | 'isTooLarge'
> {
  /** READY, the first event of a session. */
  renderReady(session: Session): SessionEvent;
  /** The events that say whether the servers are available; none without the intent for them. */
  renderAvailability(session: Session, isAvailable: boolean): SessionEvent[];
  /** The answer to a request for the server's members. */
  renderMembers(request: MembersRequest): object;
  announce(event: 'ready' | 'resumed' | 'closed', session: string): void;
  /** Told of every event that a session gets. */
  sent: (name: string, data: object) => void;
}

/** The gateway: bots' connections and their sessions. */
export interface Gateway {
  /** Sends an event to every session of its shard with its intent. */
  dispatch(event: GatewayEvent): void;
  /** Sends every session an event as it is, whatever its intents: also one that is malformed. */
  send(name: string, data: object): void;
  /** Completes the upgrade of a socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** How many connections there are. */
  readonly connections: number;
  /** Asks every client to reconnect and resume (op 7). */
  reconnect(): void;
  /**
   * Tells every client, or those of a shard, that its session is invalid (op 9): it can resume, or must
   * identify.
   */
  invalidate(resumable: boolean, shard?: number): void;
  /** Closes every connection, or those of a shard, with a code; without one, cuts it. */
  disconnect(code?: number, shard?: number): void;
  /**
   * Cuts every connection and forgets the sessions, as in an outage: no client can resume (op 9), and
   * events are lost until it identifies again.
   */
  drop(): void;
  /**
   * Begins or ends an outage of the servers: sessions learn of it, and get no events of the servers
   * meanwhile.
   */
  setAvailable(available: boolean): void;
  close(): Promise<void>;
}

const maxSessions = 50;
const invalidVersionCode = 4012;
/** Larger frames than Discord allows are read, so that the client gets Discord's close code. */
const maxFrameBytes = 64 * 1024;

export function createGateway(options: GatewayOptions): Gateway {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes });
  const sessions = createLru<Session>(maxSessions);
  const connections = new Set<Connection>();

  let isAvailable = true;

  function emit(session: Session, ...events: SessionEvent[]): void {
    for (const { name, data } of events) session.emit(name, data);
  }

  const openSession: ConnectionOptions['identify'] = (asked, attach) => {
    const session = createSession(randomBytes(16).toString('hex'), asked, options.sent);
    sessions.set(session.id, session);
    attach(session);
    emit(session, options.renderReady(session));
    emit(session, ...options.renderAvailability(session, isAvailable));
    options.announce('ready', session.id);
  };

  const connectionsOf = (shard: number | undefined) =>
    [...connections].filter((each) => shard === undefined || each.shard === shard);

  server.on('connection', (socket, request) => {
    const query = new URL(request.url ?? '/', 'ws://gateway').searchParams;
    if ((query.get('v') ?? '10') !== '10')
      return socket.close(invalidVersionCode, 'Invalid version.');
    const connection = serveConnection({
      socket,
      ...options,
      identify: openSession,
      findSession: (id) => sessions.get(id),
      resumed(session) {
        session.emit('RESUMED', { _trace: [] });
        options.announce('resumed', session.id);
      },
      requestMembers(session, request) {
        if (!isOfShard(session.shard, request.guild_id)) return;
        session.emit('GUILD_MEMBERS_CHUNK', options.renderMembers(request));
      },
      closed(session, final) {
        connections.delete(connection);
        if (session && final) sessions.delete(session.id);
        if (session) options.announce('closed', session.id);
      },
    });
    connections.add(connection);
  });

  return {
    dispatch(event) {
      if (!isAvailable && 'guild_id' in event.data) return;
      const guild = guildOfEvent(event);
      for (const session of sessions.values()) {
        const data = selectData(event, session.intents);
        if (data && isOfShard(session.shard, guild)) session.emit(event.name, data);
      }
    },
    send(name, data) {
      for (const session of sessions.values()) session.emit(name, data);
    },
    upgrade(request, socket, head) {
      server.handleUpgrade(request, socket, head, (client) => {
        server.emit('connection', client, request);
      });
    },
    get connections() {
      return connections.size;
    },
    reconnect() {
      for (const connection of connections) connection.reconnect();
    },
    invalidate(resumable, shard) {
      for (const connection of connectionsOf(shard)) {
        const session = connection.invalidate(resumable);
        if (session && !resumable) sessions.delete(session.id);
      }
    },
    disconnect(code, shard) {
      for (const connection of connectionsOf(shard)) connection.disconnect(code);
    },
    setAvailable(available) {
      isAvailable = available;
      for (const session of sessions.values()) {
        emit(session, ...options.renderAvailability(session, available));
      }
    },
    drop() {
      sessions.clear();
      for (const connection of connections) connection.disconnect();
    },
    async close() {
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      sessions.clear();
    },
  };
}
