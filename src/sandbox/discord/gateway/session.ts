import { publishSent } from '../changes.ts';

/** A shard's number, from 0, and how many shards the bot has: each gets the events of its servers. */
export type Shard = readonly [shard: number, count: number];

/**
 * Whether a server belongs to a shard. Direct messages, which have none, belong to shard 0.
 * https://docs.discord.com/developers/events/gateway#sharding
 */
export function isOfShard([shard, count]: Shard, guild: string | undefined): boolean {
  return Number((BigInt(guild ?? 0) >> 22n) % BigInt(count)) === shard;
}

/** https://docs.discord.com/developers/events/gateway#gateway-intents */
export const Intent = {
  /** Sent to every session. */
  Always: 0,
  Guilds: 1 << 0,
  GuildMembers: 1 << 1,
  GuildMessages: 1 << 9,
  GuildMessageTyping: 1 << 11,
  DirectMessages: 1 << 12,
  DirectMessageTyping: 1 << 14,
  MessageContent: 1 << 15,
} as const;

/** Every intent Discord knows; any other bit closes the connection with 4013. */
export const knownIntents = 0xffff | (1 << 16) | (0b11 << 20) | (0b11 << 24);

/** An event for the bot's sessions. */
export interface GatewayEvent {
  name: string;
  data: object;
  /** The intent that a session needs to get it. */
  intent: number;
  /** What sessions without the message content intent get instead. */
  concealed?: () => object;
}

/** The server of an event; undefined for one of a direct channel. */
export function guildOfEvent({ name, data }: GatewayEvent): string | undefined {
  const { guild_id, id } = data as { guild_id?: string; id?: string };
  return guild_id ?? (name.startsWith('GUILD_') ? id : undefined);
}

/** The data of an event for a session with these intents; undefined without the event's intent. */
export function selectData(event: GatewayEvent, intents: number): object | undefined {
  if (event.intent !== Intent.Always && !(intents & event.intent)) return undefined;
  return intents & Intent.MessageContent ? event.data : (event.concealed?.() ?? event.data);
}

/**
 * A dispatch event with its sequence number:
 * https://docs.discord.com/developers/events/gateway-events
 */
export interface Dispatch {
  op: 0;
  t: string;
  s: number;
  d: object;
}

/** A gateway session, which outlives its connection. */
export interface Session {
  readonly id: string;
  readonly intents: number;
  readonly shard: Shard;
  /** Sends the bot an event, now if it is connected, otherwise when it resumes. */
  emit(name: string, data: object): void;
  attach(send: (dispatch: Dispatch) => void): void;
  /** Stops sending, unless another connection has the session by now. */
  detach(send: (dispatch: Dispatch) => void): void;
  /** The events after a sequence number; undefined if they are no longer kept. */
  since(sequence: number): Dispatch[] | undefined;
}

const maxKeptEvents = 1_000;

/** A session that keeps its last thousand events for a resume; `sent` is told of each. */
export function createSession(
  id: string,
  { intents, shard }: Pick<Session, 'intents' | 'shard'>,
  sent: (name: string, data: object) => void,
): Session {
  const kept: Dispatch[] = [];
  let sequence = 0;
  let receiver: ((dispatch: Dispatch) => void) | undefined;
  return {
    id,
    intents,
    shard,
    emit(name, data) {
      publishSent({ kind: 'event', name, data });
      sent(name, data);
      sequence += 1;
      const dispatch: Dispatch = { op: 0, t: name, s: sequence, d: data };
      kept.push(dispatch);
      if (kept.length > maxKeptEvents) kept.shift();
      receiver?.(dispatch);
    },
    attach(send) {
      receiver = send;
    },
    detach(send) {
      if (receiver === send) receiver = undefined;
    },
    since(seen) {
      const oldest = kept[0]?.s ?? 1;
      if (seen > sequence || seen < oldest - 1) return undefined;
      return kept.filter(({ s }) => s > seen);
    },
  };
}
