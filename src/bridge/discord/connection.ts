import { addAbortListener } from 'node:events';
import {
  type APIGatewayBotInfo,
  type CacheWithLimitsOptions,
  Client,
  DefaultRestOptions,
  Events,
  GatewayCloseCodes,
  GatewayIntentBits,
  type GuildMember,
  type IIdentifyThrottler,
  Options,
  Partials,
  REST,
  type RESTOptions,
  SimpleShardingStrategy,
  Status,
  type User,
} from 'discord.js';
import { PlatformError, type PlatformErrorKind } from '../conversation/errors.ts';
import { underLease } from '../conversation/leases.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { PlainCode, Problem } from '../../shared/problems/problem.ts';
import { toPlatformError } from './errors.ts';
import {
  catchUnreadable,
  connectPatiently,
  hearDirectMessages,
  knowGateway,
} from './library-patches.ts';

export interface ShardOptions {
  token: string;
  apiUrl?: string;
  shard: number;
  /** How many shards the bot has in all. */
  count: number;
  /** Whether to ask for the texts of messages that don't mention the bot, which Discord may refuse. */
  readsAll: boolean;
  gateway: APIGatewayBotInfo;
  /** Shared by all shards: Discord limits how many begin a session within five seconds. */
  throttler: IIdentifyThrottler;
  log: Log;
  /** Adds listeners to the client before it connects, so that nothing is missed. */
  listen(client: Client): void;
  /** Called when Discord has ended the connection of a shard that was connected for good. */
  onEnd(error: PlatformError): void;
  /** Aborts connecting. */
  signal: AbortSignal;
}

const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
const intents = [Guilds, GuildMessages, DirectMessages];

/** The gateway closed the connection and does not accept a new one. */
class ClosedError extends Error {
  override readonly name = 'ClosedError';
  readonly code: GatewayCloseCodes;

  constructor(code: GatewayCloseCodes) {
    super(`The gateway closed the connection (${code}).`);
    this.code = code;
  }
}

/**
 * Connects a shard to Discord's gateway. It stays connected: discord.js resumes lost connections.
 * @throws {PlatformError} naming the variable or switch to fix
 */
export async function connectShard(options: ShardOptions): Promise<void> {
  const { signal, onEnd } = options;
  const client = createClient(options);
  hearDirectMessages(client);
  catchUnreadable(client, options.log);
  const { promise: ready, resolve, reject } = Promise.withResolvers<unknown>();
  client.once(Events.ClientReady, resolve);
  client.on(Events.ShardDisconnect, ({ code }) => {
    const error = new ClosedError(code);
    if (client.isReady()) onEnd(toConnectError(error));
    else reject(error);
  });
  using _ = addAbortListener(signal, () => reject(signal.reason));
  logEvents(client, options.log);
  options.listen(client);
  try {
    if (!signal.aborted) client.login(options.token).catch(reject);
    await ready;
  } catch (error) {
    await client.destroy();
    throw toConnectError(error);
  }
}

/** For the bot's own entry, which discord.js reads the bot's permissions from. */
const keepOwn = ({ id, client }: GuildMember | User) => id === client.user.id;

/** What discord.js caches at most; members are counted per server. */
const cacheLimits: CacheWithLimitsOptions = {
  ...Options.DefaultMakeCacheSettings,
  // Nothing reads old messages.
  MessageManager: 0,
  // Whoever writes again comes with the message, or is looked up.
  GuildMemberManager: { maxSize: 1_000, keepOverLimit: keepOwn },
  UserManager: { maxSize: 10_000, keepOverLimit: keepOwn },
};

function createClient(options: ShardOptions): Client {
  const { apiUrl, shard, count, readsAll, gateway, throttler } = options;
  return new Client({
    shards: [shard],
    shardCount: count,
    intents: readsAll ? [...intents, MessageContent] : intents,
    // Without them, discord.js drops direct messages, and edits and deletions of messages that it
    // has not cached.
    partials: [Partials.Channel, Partials.Message],
    allowedMentions: { parse: [], repliedUser: false },
    enforceNonce: true,
    failIfNotExists: false,
    rest: restOptions(apiUrl),
    ws: {
      buildIdentifyThrottler: async () => throttler,
      buildStrategy: (manager) =>
        connectPatiently(new SimpleShardingStrategy(knowGateway(manager, gateway))),
    },
    makeCache: Options.cacheWithLimits(cacheLimits),
  });
}

/** Whether the bot is shown the texts of messages that don't mention it. */
export function readsAll({ options }: Client): boolean {
  return options.intents.has(MessageContent);
}

/** Whether Discord refused to show the bot the texts of messages that don't mention it. */
export function isIntentRefused(error: unknown): boolean {
  return closeCodeOf(error) === GatewayCloseCodes.DisallowedIntents;
}

/** Whether Discord wants more shards. */
export function needsMoreShards(error: unknown): boolean {
  return closeCodeOf(error) === GatewayCloseCodes.ShardingRequired;
}

function closeCodeOf(error: unknown): GatewayCloseCodes | undefined {
  const cause = error instanceof PlatformError ? error.cause : undefined;
  return cause instanceof ClosedError ? cause.code : undefined;
}

/** Without a listener, an `error` event would end the process. */
function logEvents(client: Client, log: Log): void {
  // The library's errors may quote a URL that contains an interaction token.
  client.on(Events.Error, (error) =>
    log.error({ err: toPlatformError(error) }, 'the Discord client failed'),
  );
  client.on(Events.Warn, (warning) => log.warn({ warning }, 'a warning of the Discord client'));
  client.on(Events.ShardError, (error, shard) =>
    log.warn({ err: error, shard }, 'the connection to Discord failed'),
  );
  client.on(Events.ShardReconnecting, (shard) => log.info({ shard }, 'reconnecting to Discord'));
  client.on(Events.ShardResume, (shard, replayed) =>
    log.info({ shard, replayed }, 'connected to Discord again'),
  );
}

/** Whether a client is connected, as far as the library knows. */
export function isUp(client: Client): boolean {
  return client.isReady() && client.ws.shards.every(({ status }) => status === Status.Ready);
}

function toConnectError(error: unknown): PlatformError {
  if (!(error instanceof ClosedError)) {
    const refused = error instanceof Error && 'code' in error && error.code === 'TokenInvalid';
    if (refused) return new PlatformError('forbidden', 'discord_token_refused', { cause: error });
    return toPlatformError(error);
  }
  return new PlatformError(...explainClose(error.code), { cause: error });
}

function explainClose(code: GatewayCloseCodes): [PlatformErrorKind, Problem | PlainCode] {
  if (code === GatewayCloseCodes.AuthenticationFailed) {
    return ['forbidden', 'discord_token_refused'];
  }
  if (code === GatewayCloseCodes.DisallowedIntents) {
    return ['forbidden', 'discord_intent_missing'];
  }
  return ['failed', { code: 'discord_gateway_closed', params: { code } }];
}

/**
 * A client for Discord's REST API that rejects at once on a rate limit, even when the library
 * expects one and would wait without sending the request.
 */
export function createRest(options: { token: string; apiUrl?: string }): REST & Disposable {
  return new DisposableRest(restOptions(options.apiUrl)).setToken(options.token);
}

/** The library's timers would keep the process alive. */
class DisposableRest extends REST implements Disposable {
  [Symbol.dispose](): void {
    this.clearHashSweeper();
    this.clearHandlerSweeper();
  }
}

/** Options shared by all REST clients. */
function restOptions(apiUrl: string | undefined) {
  return {
    version: '10',
    ...(apiUrl && { api: apiUrl }),
    rejectOnRateLimit: () => true,
    makeRequest,
  };
}

/** The library limits only the wait for the first byte of a response. */
const makeRequest: RESTOptions['makeRequest'] = async (url, init) => {
  const signal = underLease(init.signal);
  const limited = { ...init, signal, bodyTimeout: DefaultRestOptions.timeout };
  return DefaultRestOptions.makeRequest(url, limited);
};
