import {
  type APIApplication,
  type APIGatewayBotInfo,
  ApplicationFlags,
  type Channel,
  type Client,
  type Guild,
  type IIdentifyThrottler,
  type REST,
  Routes,
  SimpleIdentifyThrottler,
} from 'discord.js';
import { PlatformError } from '../conversation/errors.ts';
import type { KeyedStore } from '../conversation/keyed-store.ts';
import { type Leases, LostLeaseError } from '../conversation/leases.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { createQueue } from '../../shared/primitives/queue.ts';
import { type Problem, renderProblem } from '../../shared/problems/problem.ts';
import { connectShard, isIntentRefused, isUp, needsMoreShards, readsAll } from './connection.ts';
import { orPlatformError, toPlatformError } from './errors.ts';
import {
  idsOf,
  isShardScope,
  type Layout,
  scopeOf,
  shardOf,
  type ShardRange,
  toRange,
} from './layout.ts';
import { spaceSessions } from './session-times.ts';

/**
 * The connections of this process: a discord.js client for each of its shards. Those are the ones whose
 * leases it holds, which may be none.
 */
export interface Shards {
  /** Whether all are connected. */
  readonly isConnected: boolean;
  /** Whether one at least is connected, or none is to be. */
  readonly isPartlyConnected: boolean;
  /** Which part of all the bot's shards this process runs, from 0 to 1. */
  readonly share: number;
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
  /** Resolves once the shard of a server, or of direct messages, is not being connected. Never rejects. */
  tried(server: string): Promise<void>;
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

/** What is told of shards while they start. */
export interface ShardListener {
  /** Called before some of the shards connect, which waits for it. Never rejects. */
  opening(shards: readonly number[], layout: Layout): Promise<void>;
  /** Adds listeners to a client before it connects. */
  listen(client: Client): void;
  /** Called once each of some shards has connected or failed to. Never rejects. */
  opened(): Promise<void>;
  /** A shard is another process’s now. */
  lost(shard: number): void;
  /** A client is being closed, whatever the reason. */
  closed(client: Client): void;
}

interface ShardsOptions {
  token: string;
  apiUrl?: string;
  /** By default all, as many as Discord recommends. */
  range?: ShardRange;
  leases: Leases;
  /** When the next sessions may begin, where several processes share the shards. */
  sessionTimes?: Pick<KeyedStore<number>, 'update'>;
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

/** No shard connects before `start`. */
export function createShards(options: ShardsOptions): Shards {
  const { token, apiUrl, range, leases, sessionTimes, rest, log, signal } = options;
  const clients = new Map<number, Client>();
  /** Those that are being connected. */
  const opening = new Map<number, Opening>();
  const laying = createQueue();
  let layout: Layout | undefined;
  /** Whether Discord wants more shards than there are. */
  let isOutgrown = false;
  let listener: ShardListener | undefined;
  let throttler: IIdentifyThrottler | undefined;
  let fatal = Promise.withResolvers<PlatformError>();
  let isIntentGranted = true;

  leases.divide('discord', (server) => layout && scopeOf(shardOf(server, layout), layout));
  leases.onChange((scopes) => void follow(scopes.filter(isShardScope)));

  /**
   * Discord recommends another number of shards as the bot grows, which applies to all at once. While
   * other processes run shards, there are as many as those have.
   */
  async function lay({ id }: APIApplication, gateway: APIGatewayBotInfo): Promise<Layout> {
    const own = layout && clients.size > 0 ? layout.count : gateway.shards;
    const count = range?.count ?? own;
    const isAlone = leases.process === undefined;
    const wanted = range && isAlone ? range : { first: 0, last: count - 1, count };
    const scopes = idsOf(wanted).map((shard) => scopeOf(shard, wanted));
    const isRequired = isOutgrown || (range !== undefined && !layout);
    const settled = toRange(await leases.settle('discord', scopes, isRequired));
    isOutgrown = false;
    layout = { application: id, ...settled };
    return layout;
  }

  /** The shards that are this process's. */
  function held(): number[] {
    const known = layout;
    if (!known) return [];
    return idsOf(known).filter((shard) => leases.leaseIn(scopeOf(shard, known)));
  }

  function denyIntent(): void {
    if (isIntentGranted) log.warn({}, renderProblem({ code: 'discord_intent_missing' }));
    isIntentGranted = false;
  }

  async function close(ids: readonly number[]): Promise<void> {
    const closed = [...ids].flatMap((id) => clients.get(id) ?? []);
    for (const id of ids) clients.delete(id);
    for (const client of closed) listener?.closed(client);
    await Promise.allSettled(closed.map((client) => client.destroy()));
  }

  /** With more shards, each gets other servers than before: all have to begin anew. */
  async function end(shard: number, client: Client | undefined, error: unknown): Promise<void> {
    if (needsMoreShards(error) && !range) {
      isOutgrown = true;
      await close([...clients.keys()]);
    } else if (clients.get(shard) === client) await close([shard]);
  }

  async function connect(
    shard: number,
    { gateway, listener: { listen }, count, lost }: Connecting,
  ): Promise<void> {
    throttler ??= createThrottler(gateway);
    const both = AbortSignal.any([signal, lost]);
    const shared = { token, apiUrl, shard, count, gateway, throttler, log, signal: both };
    let client: Client | undefined;
    async function tryWith(isGranted: boolean): Promise<void> {
      lost.throwIfAborted();
      await connectShard({
        ...shared,
        readsAll: isGranted,
        listen(created) {
          client = created;
          clients.set(shard, created);
          listen(created);
        },
        onEnd(error) {
          log.warn({ err: error, shard }, 'a shard’s connection to Discord has ended for good');
          void end(shard, client, error);
          fatal.resolve(error);
        },
      });
    }
    try {
      await tryWith(isIntentGranted).catch((error: unknown) => {
        if (!isIntentRefused(error)) throw error;
        denyIntent();
        return tryWith(false);
      });
    } catch (error) {
      await end(shard, client, error);
      // Another process connects it.
      if (!lost.aborted) throw toStartError(error, gateway);
    }
  }

  function createThrottler({ session_start_limit: limit }: APIGatewayBotInfo): IIdentifyThrottler {
    const maxConcurrency = limit.max_concurrency;
    if (!sessionTimes) return new SimpleIdentifyThrottler(maxConcurrency);
    const leaseOf = (shard: number) => layout && leases.leaseIn(scopeOf(shard, layout));
    return spaceSessions({ times: sessionTimes, maxConcurrency, leases, leaseOf });
  }

  /** Only a person can raise a fixed number of shards. */
  function toStartError(error: unknown, { shards }: APIGatewayBotInfo): unknown {
    if (!range || !needsMoreShards(error)) return error;
    const problem: Problem = { code: 'discord_more_shards', params: { shards } };
    return new PlatformError('forbidden', problem, { cause: error });
  }

  /** Connects the shards of this process that are not connected. */
  async function connectHeld(told: ShardListener): Promise<void> {
    const [application, gateway] = (await orPlatformError(
      Promise.all([rest.get(Routes.currentApplication()), rest.get(Routes.gatewayBot())]),
    )) as [APIApplication, APIGatewayBotInfo];
    const laid = await laying.run('', () => lay(application, gateway));
    if (mayReadAll(application)) isIntentGranted = true;
    else denyIntent();
    const missing = held().filter((id) => !clients.has(id) && !opening.has(id));
    checkSessions(gateway, missing.length);
    const prepared = told.opening(missing, laid);
    const tries = missing.map((id) =>
      open(id, async (lost) => {
        await prepared;
        await connect(id, { gateway, listener: told, count: laid.count, lost });
      }),
    );
    await prepared;
    await Promise.allSettled(tries);
    await told.opened();
    await Promise.all(tries);
    const fields = { shards: held().length, servers: servers().length };
    log.info(fields, fields.shards > 0 ? 'connected to Discord' : 'other processes run all shards');
  }

  async function open(shard: number, task: (lost: AbortSignal) => Promise<void>): Promise<void> {
    const losing = new AbortController();
    const own = { losing, done: task(losing.signal) };
    opening.set(shard, own);
    try {
      await own.done;
    } finally {
      if (opening.get(shard) === own) opening.delete(shard);
    }
  }

  /** Closes what is another process's now, and connects what is this one's. */
  async function follow(scopes: readonly string[]): Promise<void> {
    const known = layout;
    if (!known || !listener) return;
    if (scopes.length > 0) {
      const { count } = toRange(scopes);
      layout = { ...known, first: 0, last: count - 1, count };
    }
    const open = new Set([...clients.keys(), ...opening.keys()]);
    const lost = [...open].filter((shard) => !scopes.includes(scopeOf(shard, known)));
    if (lost.length > 0) log.info({ shards: lost }, 'other processes run these shards of Discord');
    for (const shard of lost) {
      opening.get(shard)?.losing.abort(new LostLeaseError(scopeOf(shard, known)));
      opening.delete(shard);
      listener.lost(shard);
    }
    void close(lost);
    const running = new Set([...open].map((shard) => scopeOf(shard, known)));
    if (signal.aborted || scopes.every((scope) => running.has(scope))) return;
    try {
      await connectHeld(listener);
    } catch (error) {
      fatal.resolve(toPlatformError(error));
    }
  }

  const shardAt = (server: string) => shardOf(server, layout ?? { count: 1 });
  const clientOf = (server: string) => {
    const client = clients.get(shardAt(server));
    return client?.isReady() ? client : undefined;
  };
  const ready = () => [...clients.values()].filter((client) => client.isReady());
  const servers = () => ready().flatMap(({ guilds }) => [...guilds.cache.keys()]);
  const firstFound = <Found>(find: (client: Client) => Found | undefined): Found | undefined => {
    for (const client of clients.values()) {
      const found = find(client);
      if (found) return found;
    }
    return undefined;
  };
  const isShardUp = (shard: number) => {
    const client = clients.get(shard);
    return client !== undefined && isUp(client);
  };

  return {
    get isConnected() {
      return layout !== undefined && held().every(isShardUp);
    },
    get isPartlyConnected() {
      const own = held();
      return layout !== undefined && (own.length === 0 || own.some(isShardUp));
    },
    get share() {
      return layout ? held().length / layout.count : 0;
    },
    get isDeaf() {
      return ready().some((client) => !readsAll(client));
    },
    get fatalError() {
      return fatal.promise;
    },
    async start(told) {
      fatal = Promise.withResolvers();
      listener = told;
      await connectHeld(told);
    },
    async tried(server) {
      await opening.get(shardAt(server))?.done.catch(() => {});
    },
    clientOf,
    channel: (id) => firstFound(({ channels }) => channels.cache.get(id)),
    guild: (id) => firstFound(({ guilds }) => guilds.cache.get(id)),
    servers,
    close: () => close([...clients.keys()]),
  };
}

/** What connecting a shard takes. */
interface Connecting {
  gateway: APIGatewayBotInfo;
  listener: ShardListener;
  /** How many shards the bot has in all. */
  count: number;
  /** Aborts once it is another process's. */
  lost: AbortSignal;
}

/** A shard that is being connected. */
interface Opening {
  losing: AbortController;
  done: Promise<void>;
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
