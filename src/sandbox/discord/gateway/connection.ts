import type { WebSocket } from 'ws';
import { z } from 'zod';
import { createTokenBucket } from '../../token-bucket.ts';
import { snowflake } from '../validation.ts';
import { type Dispatch, Intent, type Session, type Shard, knownIntents } from './session.ts';

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway */
const Op = {
  Heartbeat: 1,
  Identify: 2,
  PresenceUpdate: 3,
  VoiceStateUpdate: 4,
  Resume: 6,
  Reconnect: 7,
  RequestGuildMembers: 8,
  InvalidSession: 9,
  Hello: 10,
  HeartbeatAck: 11,
} as const;

const CloseCode = {
  UnknownOpcode: 4001,
  DecodeError: 4002,
  NotAuthenticated: 4003,
  AuthenticationFailed: 4004,
  AlreadyAuthenticated: 4005,
  InvalidSequence: 4007,
  RateLimited: 4008,
  InvalidShard: 4010,
  ShardingRequired: 4011,
  InvalidIntents: 4013,
  DisallowedIntents: 4014,
} as const;

const heartbeatIntervalMs = 41_250;
/** https://docs.discord.com/developers/events/gateway#sending-events */
const maxBytes = 4_096;
/** A client that leaves this many bytes unread is cut off, and may resume. */
const maxUnreadBytes = 16 * 1024 * 1024;
const sendLimit = { capacity: 120, perSecond: 2 };

const payloadSchema = z.object({ op: z.int(), d: z.unknown() });
const identifySchema = z.object({
  token: z.string(),
  intents: z.int().min(0),
  properties: z.record(z.string(), z.unknown()),
  shard: z.tuple([z.int(), z.int()]).default([0, 1]),
});
const resumeSchema = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });
const membersSchema = z.object({
  guild_id: snowflake,
  query: z.string().optional(),
  user_ids: z.union([z.string(), z.array(z.string())]).optional(),
  limit: z.int().min(0).optional(),
  nonce: z.string().max(32).optional(),
});

export type MembersRequest = z.infer<typeof membersSchema>;

/** What a connection needs of the gateway. */
export interface ConnectionOptions {
  socket: WebSocket;
  now: () => number;
  isToken: (token: string) => boolean;
  /** Whether the application has the message content intent. */
  mayRead: () => boolean;
  /** Whether a shard may begin a session now; counts the session if it may. */
  mayBegin(shard: Shard): boolean;
  /** Whether a shard has more servers than it can have. */
  isTooLarge(shard: Shard): boolean;
  /** Opens a session, which gets READY. */
  identify(asked: Pick<Session, 'intents' | 'shard'>, attach: (session: Session) => void): void;
  findSession(id: string): Session | undefined;
  resumed(session: Session): void;
  requestMembers(session: Session, request: MembersRequest): void;
  /** Called when the connection has closed; `final` if its session ends too. */
  closed(session: Session | undefined, final: boolean): void;
}

/** One socket of the gateway. */
export interface Connection {
  /** The number of its shard, once it has a session. */
  readonly shard: number | undefined;
  /** Asks the client to reconnect and resume (op 7). */
  reconnect(): void;
  /** Tells the client that its session is invalid (op 9): it can resume, or must identify. */
  invalidate(resumable: boolean): Session | undefined;
  /** Closes with a code; without one, cuts the connection. */
  disconnect(code?: number): void;
}

/** Speaks gateway version 10 in JSON with one client: https://docs.discord.com/developers/events/gateway */
export function serveConnection(options: ConnectionOptions): Connection {
  const { socket, now } = options;
  const sends = createTokenBucket({ ...sendLimit, now });
  let session: Session | undefined;

  function send(payload: object): void {
    if (socket.bufferedAmount > maxUnreadBytes) socket.terminate();
    else socket.send(JSON.stringify(payload));
  }
  const deliver = (dispatch: Dispatch) => send(dispatch);
  const fail = (code: number, reason: string) => socket.close(code, reason);

  function attach(opened: Session): void {
    session = opened;
    opened.attach(deliver);
  }

  function identify(data: unknown): void {
    if (session) return fail(CloseCode.AlreadyAuthenticated, 'Already authenticated.');
    const { data: request } = identifySchema.safeParse(data);
    if (!request) return fail(CloseCode.DecodeError, 'Error while decoding payload.');
    if (!options.isToken(request.token)) {
      return fail(CloseCode.AuthenticationFailed, 'Authentication failed.');
    }
    const { intents, shard } = request;
    if (shard[0] < 0 || shard[0] >= shard[1]) {
      return fail(CloseCode.InvalidShard, 'Invalid shard.');
    }
    if (!options.mayBegin(shard)) return send({ op: Op.InvalidSession, d: false });
    if (options.isTooLarge(shard)) return fail(CloseCode.ShardingRequired, 'Sharding required.');
    if (intents & ~knownIntents) {
      return fail(CloseCode.InvalidIntents, 'Invalid intent(s).');
    }
    if (intents & Intent.MessageContent && !options.mayRead()) {
      return fail(CloseCode.DisallowedIntents, 'Disallowed intent(s).');
    }
    options.identify({ intents, shard }, attach);
  }

  function resume(data: unknown): void {
    if (session) return fail(CloseCode.AlreadyAuthenticated, 'Already authenticated.');
    const { data: request } = resumeSchema.safeParse(data);
    if (!request) return fail(CloseCode.DecodeError, 'Error while decoding payload.');
    if (!options.isToken(request.token)) {
      return fail(CloseCode.AuthenticationFailed, 'Authentication failed.');
    }
    const found = options.findSession(request.session_id);
    const missed = found?.since(request.seq);
    if (!found || !missed) return send({ op: Op.InvalidSession, d: false });
    for (const dispatch of missed) send(dispatch);
    attach(found);
    options.resumed(found);
  }

  function requestMembers(data: unknown): void {
    const { data: request } = membersSchema.safeParse(data);
    if (!request) return fail(CloseCode.DecodeError, 'Error while decoding payload.');
    if (session) options.requestMembers(session, request);
  }

  function receive(raw: string): void {
    if (!sends.take().taken) return fail(CloseCode.RateLimited, 'You are being rate limited.');
    const payload = parsePayload(raw);
    if (!payload) return fail(CloseCode.DecodeError, 'Error while decoding payload.');
    if (payload.op === Op.Heartbeat) return send({ op: Op.HeartbeatAck });
    if (payload.op === Op.Identify) return identify(payload.d);
    if (payload.op === Op.Resume) return resume(payload.d);
    if (!session) return fail(CloseCode.NotAuthenticated, 'Not authenticated.');
    if (payload.op === Op.RequestGuildMembers) return requestMembers(payload.d);
    // Presence and voice have nowhere to be seen here.
    if (payload.op === Op.PresenceUpdate || payload.op === Op.VoiceStateUpdate) return undefined;
    return fail(CloseCode.UnknownOpcode, 'Unknown opcode.');
  }

  function leaveSession(): Session | undefined {
    const left = session;
    left?.detach(deliver);
    session = undefined;
    return left;
  }

  socket.on('message', (data: Buffer) => receive(data.toString('utf8')));
  socket.on('error', () => socket.terminate());
  socket.on('close', (code) => options.closed(leaveSession(), code === 1000 || code === 1001));
  send({ op: Op.Hello, d: { heartbeat_interval: heartbeatIntervalMs, _trace: [] } });

  return {
    get shard() {
      return session?.shard[0];
    },
    reconnect: () => send({ op: Op.Reconnect, d: null }),
    invalidate(resumable) {
      const left = leaveSession();
      send({ op: Op.InvalidSession, d: resumable });
      return left;
    },
    disconnect(code) {
      if (code === undefined) socket.terminate();
      else socket.close(code);
    },
  };
}

function parsePayload(raw: string): z.infer<typeof payloadSchema> | undefined {
  if (Buffer.byteLength(raw) > maxBytes) return undefined;
  try {
    return payloadSchema.safeParse(JSON.parse(raw)).data;
  } catch {
    return undefined;
  }
}
