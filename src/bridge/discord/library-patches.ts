import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { APIGatewayBotInfo, Client, SimpleShardingStrategy } from 'discord.js';
import type { buildConnector } from 'undici';
import type { ClientOptions } from 'ws';
import type { Log } from '../../shared/primitives/log.ts';
import { createConnector } from '../../shared/primitives/dispatcher.ts';
import { growingWaitMs } from '../../shared/primitives/retry.ts';

/*
 * All that changes discord.js 14.28. Where no version is named, none is known to make the part
 * unnecessary. Each part names the issue, and what such a version will do. Nothing here imports the
 * library, as its WebSocket has to be replaced before its import.
 */

/**
 * Catches what the library throws while it reads an event, such as one without a field that it needs:
 * otherwise this would end the process.
 *
 * The library lets such errors pass on purpose (discordjs/discord.js#5803), though handlers fail now and then
 * (#10401, for one). No issue asks for a way to catch it. Unnecessary once there is one, as
 * `handlePacket` is private, and handles events that waited for the client to be ready as well.
 */
export function catchUnreadable(client: Client, log: Pick<Log, 'error'>): void {
  const manager = client.ws as unknown as PacketHandler;
  const handle = manager.handlePacket.bind(manager);
  manager.handlePacket = (packet, shard) => {
    try {
      return handle(packet, shard);
    } catch (error) {
      log.error({ err: error, event: packet?.t }, 'an event from Discord could not be read');
      return true;
    }
  };
}

/**
 * Has direct messages count as such where their event doesn't say so.
 *
 * Without `channel_type`, which Discord does not promise to send, the library passes over a message of
 * a channel that it doesn't know: discordjs/discord.js#11486. Unnecessary once it tells by `guild_id`.
 */
export function hearDirectMessages(client: Client): void {
  const manager = client.ws as unknown as PacketHandler;
  const handle = manager.handlePacket.bind(manager);
  manager.handlePacket = (packet, shard) => {
    if (packet?.t === 'MESSAGE_CREATE' && packet.d && !packet.d.guild_id) {
      packet.d.channel_type ??= directMessage;
    }
    return handle(packet, shard);
  };
}

/** `ChannelType.DM`: bots are in no groups. */
const directMessage = 1;

/** What of the library's gateway isn't public. */
interface PacketHandler {
  handlePacket(packet: Packet | undefined, shard: unknown): boolean;
}

interface Packet {
  t?: string;
  d?: { guild_id?: string; channel_type?: number };
}

/**
 * Has shards connect until they succeed. The library opens a failed connection again every half
 * second, but where the first one failed by anything but a refused connection, its login rejects
 * and leaves a client that counts as destroyed and yet connects. What ends a shard for good is an
 * event, `ShardDisconnect`.
 *
 * discordjs/discord.js#10397 was closed, but @discordjs/ws 1.2.3 still does this, and #10493, about the
 * client that counts as destroyed, is open. Unnecessary once `login` waits for the next try.
 */
export function connectPatiently(shards: SimpleShardingStrategy): SimpleShardingStrategy {
  const connect = shards.connect.bind(shards);
  shards.connect = () => connect().catch(() => {});
  return shards;
}

interface GatewayReader {
  fetchGatewayInformation(): Promise<APIGatewayBotInfo>;
}

/**
 * Has a shard take what Discord says about the gateway from us. Each client would ask for it, although
 * it is the same for all shards of a bot, and Discord limits such questions.
 *
 * The library's own questions all go through this method, and it has no option for the answer:
 * discordjs/discord.js#11071. Unnecessary with version 15, in which `connect` takes it (#11602).
 */
export function knowGateway<Manager extends GatewayReader>(
  manager: Manager,
  gateway: APIGatewayBotInfo,
): Manager {
  manager.fetchGatewayInformation = async () => gateway;
  return manager;
}

/**
 * Whether the library sends no request because Discord has refused the token before.
 *
 * It has no class for this error (discordjs/discord.js#10958 shows it), and no issue asks for one.
 * Unnecessary once there is one.
 */
export function isWithoutToken(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Expected token to be set');
}

/**
 * Has the gateway's WebSockets go through the proxy. Call it before discord.js is imported, which keeps
 * the class of ws that it finds then.
 *
 * The library gives its WebSockets no agent, and has no option for one: discordjs/discord.js#10716,
 * open. Unnecessary once it has.
 */
export function passGatewayThroughProxy(): void {
  const ws = createRequire(import.meta.url)('ws') as { WebSocket: WebSocketClass };
  ws.WebSocket = withConnector(ws.WebSocket, createConnector());
}

/** The part of a WebSocket of ws that discord.js calls. */
type WebSocketClass = new (
  address: string,
  protocols: string[],
  options: ClientOptions,
) => EventEmitter;

/** Less than discord.js waits for a connection, which is a minute. */
const maxWaitMs = 30_000;

/**
 * A WebSocket that connects with a connector. Discord.js tries again half a second after a failure,
 * however many there were, so each failure in a row is reported later than the one before it.
 */
export function withConnector(
  base: WebSocketClass,
  connect: buildConnector.connector,
): WebSocketClass {
  let failures = 0;
  return class extends base {
    constructor(address: string, protocols: string[], options: ClientOptions) {
      const { protocol, host, hostname, port } = new URL(address);
      const destination = { protocol: protocol.replace('ws', 'http'), host, hostname, port };
      const createConnection = (_: object, done: (error: Error | null, socket?: Socket) => void) =>
        connect(destination, (error, socket) => {
          failures = error ? failures + 1 : 0;
          if (socket) return done(null, socket);
          setTimeout(done, growingWaitMs(failures, { maxMs: maxWaitMs }), error);
        });
      super(address, protocols, { ...options, createConnection } as unknown as ClientOptions);
    }
  };
}
