import {
  Client,
  DefaultRestOptions,
  Events,
  GatewayCloseCodes,
  GatewayIntentBits,
  Options,
  Partials,
  REST,
  type RESTOptions,
  SimpleShardingStrategy,
  Status,
} from 'discord.js';
import { PlatformError, type PlatformErrorKind } from '../conversation/errors.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { type PlainCode, type Problem, renderProblem } from '../../shared/problems/problem.ts';
import { toPlatformError } from './errors.ts';
import { catchUnreadable, connectPatiently, hearDirectMessages } from './library-patches.ts';

export interface ConnectionOptions {
  token: string;
  apiUrl?: string;
  log: Log;
  /**
   * Called when Discord has ended the connection permanently, with what a person can do about it.
   */
  onFatalError(reason: PlatformError): void;
  /** Adds listeners to the client before it connects, so that nothing is missed. */
  listen(client: Client): void;
  /** Aborts connecting. */
  signal: AbortSignal;
}

const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
const intents = [Guilds, GuildMessages, DirectMessages];

/**
 * Connects to Discord's gateway and stays connected: discord.js resumes lost connections. If the
 * message content intent is switched off, connects without it: then the bot can only read direct
 * messages and messages that mention it.
 * @throws {PlatformError} naming the variable or switch to fix
 */
export async function connect(options: ConnectionOptions): Promise<Client<true>> {
  try {
    return await logIn(options, [...intents, MessageContent]);
  } catch (error) {
    if (!(error instanceof ClosedError) || error.code !== GatewayCloseCodes.DisallowedIntents) {
      throw toConnectError(error);
    }
  }
  const unread = renderProblem({ code: 'discord_intent_missing' });
  options.log.warn({}, `only messages that mention the bot are heard: ${unread}`);
  return logIn(options, intents).catch((error: unknown) => {
    throw toConnectError(error);
  });
}

/** The gateway closed the connection and does not accept a new one. */
class ClosedError extends Error {
  override readonly name = 'ClosedError';
  readonly code: GatewayCloseCodes;

  constructor(code: GatewayCloseCodes) {
    super(`The gateway closed the connection (${code}).`);
    this.code = code;
  }
}

async function logIn(options: ConnectionOptions, bits: number[]): Promise<Client<true>> {
  const { signal } = options;
  signal.throwIfAborted();
  const client = createClient(options.apiUrl, bits);
  hearDirectMessages(client);
  catchUnreadable(client, options.log);
  const { promise, resolve, reject } = Promise.withResolvers<Client<true>>();
  client.once(Events.ClientReady, resolve);
  client.once(Events.ShardDisconnect, ({ code }) => reject(new ClosedError(code)));
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  logEvents(client, options.log);
  reportFatalError(client, options);
  options.listen(client);
  client.login(options.token).catch(reject);
  try {
    return await promise;
  } catch (error) {
    await client.destroy();
    throw error;
  }
}

function createClient(apiUrl: string | undefined, bits: number[]): Client {
  return new Client({
    intents: bits,
    // Without them, discord.js drops direct messages, and edits and deletions of messages that it
    // has not cached.
    partials: [Partials.Channel, Partials.Message],
    allowedMentions: { parse: [], repliedUser: false },
    enforceNonce: true,
    failIfNotExists: false,
    rest: restOptions(apiUrl),
    ws: { buildStrategy: (manager) => connectPatiently(new SimpleShardingStrategy(manager)) },
    // Nothing reads old messages.
    makeCache: Options.cacheWithLimits({ ...Options.DefaultMakeCacheSettings, MessageManager: 0 }),
  });
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

/** Before the client is ready, `connect` rejects instead. */
function reportFatalError(client: Client, { onFatalError }: ConnectionOptions): void {
  client.on(Events.ShardDisconnect, ({ code }) => {
    if (client.isReady()) onFatalError(toConnectError(new ClosedError(code)));
  });
}

/** Whether every shard is connected, as far as the library knows. */
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
const makeRequest: RESTOptions['makeRequest'] = (url, init) => {
  const limited = { ...init, bodyTimeout: DefaultRestOptions.timeout };
  return DefaultRestOptions.makeRequest(url, limited);
};
