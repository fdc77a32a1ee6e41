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

/** Why a connection is closed: the code and its text. */
const Close = {
  UnknownOpcode: [4001, 'Unknown opcode.'],
  DecodeError: [4002, 'Error while decoding payload.'],
  NotAuthenticated: [4003, 'Not authenticated.'],
  AuthenticationFailed: [4004, 'Authentication failed.'],
  AlreadyAuthenticated: [4005, 'Already authenticated.'],
  RateLimited: [4008, 'You are being rate limited.'],
  InvalidShard: [4010, 'Invalid shard.'],
  ShardingRequired: [4011, 'Sharding required.'],
  InvalidIntents: [4013, 'Invalid intent(s).'],
  DisallowedIntents: [4014, 'Disallowed intent(s).'],
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
  const fail = ([code, reason]: readonly [number, string]) => socket.close(code, reason);

  function attach(opened: Session): void {
    session = opened;
    opened.attach(deliver);
  }

  /** What a client sends to get a session; undefined if it gets none, and the connection is closed. */
  function authenticate<T extends { token: string }>(schema: z.ZodType<T>, data: unknown) {
    const { data: request } = schema.safeParse(data);
    if (session) fail(Close.AlreadyAuthenticated);
    else if (!request) fail(Close.DecodeError);
    else if (!options.isToken(request.token)) fail(Close.AuthenticationFailed);
    else return request;
    return undefined;
  }

  function identify(data: unknown): void {
    const request = authenticate(identifySchema, data);
    if (!request) return;
    const { intents, shard } = request;
    if (shard[0] < 0 || shard[0] >= shard[1]) return fail(Close.InvalidShard);
    if (!options.mayBegin(shard)) return send({ op: Op.InvalidSession, d: false });
    if (options.isTooLarge(shard)) return fail(Close.ShardingRequired);
    if (intents & ~knownIntents) return fail(Close.InvalidIntents);
    const wantsContent = intents & Intent.MessageContent;
    if (wantsContent && !options.mayRead()) return fail(Close.DisallowedIntents);
    options.identify({ intents, shard }, attach);
  }

  function resume(data: unknown): void {
    const request = authenticate(resumeSchema, data);
    if (!request) return;
    const found = options.findSession(request.session_id);
    const missed = found?.since(request.seq);
    if (!found || !missed) return send({ op: Op.InvalidSession, d: false });
    for (const dispatch of missed) send(dispatch);
    attach(found);
    options.resumed(found);
  }

  function requestMembers(data: unknown): void {
    const { data: request } = membersSchema.safeParse(data);
    if (!request) return fail(Close.DecodeError);
    if (session) options.requestMembers(session, request);
  }

  function receive(raw: string): void {
    if (sends.take() > 0) return fail(Close.RateLimited);
    const payload = parsePayload(raw);
    if (!payload) return fail(Close.DecodeError);
    if (payload.op === Op.Heartbeat) return send({ op: Op.HeartbeatAck });
    if (payload.op === Op.Identify) return identify(payload.d);
    if (payload.op === Op.Resume) return resume(payload.d);
    if (!session) return fail(Close.NotAuthenticated);
    if (payload.op === Op.RequestGuildMembers) return requestMembers(payload.d);
    // Presence and voice have nowhere to be seen here.
    if (payload.op === Op.PresenceUpdate || payload.op === Op.VoiceStateUpdate) return undefined;
    return fail(Close.UnknownOpcode);
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
