import {
  type APIApplication,
  type APIGatewayBotInfo,
  ApplicationFlags,
  type Channel,
  type Client,
  type Guild,
  type REST,
  Routes,
  ShardClientUtil,
  SimpleIdentifyThrottler,
} from 'discord.js';
import { PlatformError } from '../conversation/errors.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { type Problem, renderProblem } from '../../shared/problems/problem.ts';
import { connectShard, isIntentRefused, isUp, needsMoreShards, readsAll } from './connection.ts';
import { toPlatformError } from './errors.ts';

/** The shards from `first` to `last`, of `count` in all; the first of all is 0. */
export interface ShardRange {
  first: number;
  last: number;
  count: number;
}

/** The connections of this process: a discord.js client for each of its shards. */
export interface Shards {
  /** Whether all are connected. */
  readonly isConnected: boolean;
  /** Whether one at least is connected. */
  readonly isPartlyConnected: boolean;
  /** Whether one at least is shown only the messages that mention the bot. */
  readonly isDeaf: boolean;
  /** Resolves once a shard of the last start has ended for good, with why. Never rejects. */
  readonly fatalError: Promise<PlatformError>;
  /**
   * Connects the shards that are not connected; the others stay as they are. Waits for every one,
   * whatever becomes of the others.
   * @throws {PlatformError} why the first of them failed
   */
  start(listener: ShardListener): Promise<void>;
  /** The client of a server, or of direct messages; undefined unless it is connected. */
  clientOf(server: string): Client<true> | undefined;
  /** A channel or thread that the gateway has told of. */
  channel(id: string): Channel | undefined;
  /** A server that the gateway has told of. */
  guild(id: string): Guild | undefined;
  /** The ids of the servers of all shards that are connected. */
  servers(): string[];
  close(): Promise<void>;
}

/** The shards that a start connects. */
export interface Layout extends ShardRange {
  /** The application's id. */
  application: string;
}

/** What is told of shards while they start. */
export interface ShardListener {
  /** Called before the first shard connects. */
  laidOut(layout: Layout): void;
  /** Adds listeners to a client before it connects. */
  listen(client: Client): void;
}

interface ShardsOptions {
  token: string;
  apiUrl?: string;
  /** By default all, as many as Discord recommends. */
  range?: ShardRange;
  rest: REST;
  log: Log;
  /** Aborts connecting. */
  signal: AbortSignal;
}

const { GatewayMessageContent, GatewayMessageContentLimited } = ApplicationFlags;

/** Whether an application may have the texts of messages that don't mention its bot. */
export function mayReadAll({ flags }: Pick<APIApplication, 'flags'>): boolean {
  return (flags & (GatewayMessageContent | GatewayMessageContentLimited)) !== 0;
}

/** The shard of a server, or of direct messages. */
function shardOf(server: string, count: number): number {
  return /^\d{1,20}$/.test(server) ? ShardClientUtil.shardIdForGuildId(server, count) : 0;
}

/** No shard connects before `start`. */
export function createShards(options: ShardsOptions): Shards {
  const { token, apiUrl, range, rest, log, signal } = options;
  const clients = new Map<number, Client>();
  let layout: Layout | undefined;
  let throttler: SimpleIdentifyThrottler | undefined;
  let fatal = Promise.withResolvers<PlatformError>();
  let isIntentGranted = true;

  /** Discord recommends another number of shards as the bot grows, which applies to all at once. */
  function toLayout({ id }: APIApplication, gateway: APIGatewayBotInfo): Layout {
    const count = layout && clients.size > 0 ? layout.count : gateway.shards;
    return { application: id, ...(range ?? { first: 0, last: count - 1, count }) };
  }

  function denyIntent(): void {
    if (isIntentGranted) log.warn({}, renderProblem({ code: 'discord_intent_missing' }));
    isIntentGranted = false;
  }

  async function close(ids: readonly number[]): Promise<void> {
    const closed = [...ids].flatMap((id) => clients.get(id) ?? []);
    for (const id of ids) clients.delete(id);
    await Promise.allSettled(closed.map((client) => client.destroy()));
  }

  /** With more shards, each gets other servers than before: all have to begin anew. */
  async function end(shard: number, error: unknown): Promise<void> {
    await close(needsMoreShards(error) && !range ? [...clients.keys()] : [shard]);
  }

  async function connect(
    shard: number,
    gateway: APIGatewayBotInfo,
    { listen }: ShardListener,
  ): Promise<void> {
    const { count = 1 } = layout ?? {};
    throttler ??= new SimpleIdentifyThrottler(gateway.session_start_limit.max_concurrency);
    const shared = { token, apiUrl, shard, count, gateway, throttler, log, signal };
    const tryWith = (isGranted: boolean) =>
      connectShard({
        ...shared,
        readsAll: isGranted,
        listen(client) {
          clients.set(shard, client);
          listen(client);
        },
        onEnd(error) {
          log.warn({ err: error, shard }, 'a shard’s connection to Discord has ended for good');
          void end(shard, error);
          fatal.resolve(error);
        },
      });
    try {
      await tryWith(isIntentGranted).catch((error: unknown) => {
        if (!isIntentRefused(error)) throw error;
        denyIntent();
        return tryWith(false);
      });
    } catch (error) {
      await end(shard, error);
      throw toStartError(error, gateway);
    }
  }

  /** Only a person can raise a fixed number of shards. */
  function toStartError(error: unknown, { shards }: APIGatewayBotInfo): unknown {
    if (!range || !needsMoreShards(error)) return error;
    const problem: Problem = { code: 'discord_more_shards', params: { shards } };
    return new PlatformError('forbidden', problem, { cause: error });
  }

  const clientOf = (server: string) => {
    const client = clients.get(shardOf(server, layout?.count ?? 1));
    return client?.isReady() ? client : undefined;
  };
  const ready = () => [...clients.values()].filter((client) => client.isReady());
  const firstFound = <Found>(find: (client: Client) => Found | undefined): Found | undefined => {
    for (const client of clients.values()) {
      const found = find(client);
      if (found) return found;
    }
    return undefined;
  };

  return {
    get isConnected() {
      const size = layout ? layout.last - layout.first + 1 : 0;
      return size > 0 && clients.size === size && [...clients.values()].every(isUp);
    },
    get isPartlyConnected() {
      return [...clients.values()].some(isUp);
    },
    get isDeaf() {
      return ready().some((client) => !readsAll(client));
    },
    get fatalError() {
      return fatal.promise;
    },
    async start(listener) {
      fatal = Promise.withResolvers();
      const [application, gateway] = await Promise.all([
        read<APIApplication>(rest, Routes.currentApplication()),
        read<APIGatewayBotInfo>(rest, Routes.gatewayBot()),
      ]);
      layout = toLayout(application, gateway);
      if (mayReadAll(application)) isIntentGranted = true;
      else denyIntent();
      const missing = idsOf(layout).filter((id) => !clients.has(id));
      checkSessions(gateway, missing.length);
      listener.laidOut(layout);
      const tries = missing.map((id) => connect(id, gateway, listener));
      await Promise.allSettled(tries);
      await Promise.all(tries);
    },
    clientOf,
    channel: (id) => firstFound(({ channels }) => channels.cache.get(id)),
    guild: (id) => firstFound(({ guilds }) => guilds.cache.get(id)),
    servers: () => ready().flatMap(({ guilds }) => [...guilds.cache.keys()]),
    close: () => close([...clients.keys()]),
  };
}

async function read<Answer>(rest: REST, route: `/${string}`): Promise<Answer> {
  try {
    return (await rest.get(route)) as Answer;
  } catch (error) {
    throw toPlatformError(error);
  }
}

function idsOf({ first, last }: ShardRange): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/**
 * Discord resets the token of a bot that begins more sessions in a day than it allows.
 * @throws {PlatformError}
 */
function checkSessions({ session_start_limit: limit }: APIGatewayBotInfo, needed: number): void {
  if (limit.remaining >= needed) return;
  const problem = { code: 'platform_busy', params: { platform: 'Discord' } } as const;
  throw new PlatformError('rate_limited', problem, { retryAfterMs: limit.reset_after });
}
