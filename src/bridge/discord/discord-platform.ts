import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  DefaultRestOptions,
  Events,
  GatewayDispatchEvents,
  type GatewayReadyDispatchData,
  type Guild,
  type Message,
} from 'discord.js';
import { createLru } from '../../shared/primitives/cache.ts';
import { growingWaitMs, retry } from '../../shared/primitives/retry.ts';
import { sleep as sleepFor, type Sleep } from '../../shared/primitives/time.ts';
import { createRunningCommands } from '../commands/adapters/show-results.ts';
import type { CommandRunner } from '../commands/invocation.ts';
import { isRefusal, type PlatformError } from '../conversation/errors.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { Platform, Receiver } from '../conversation/platform.ts';
import { handleButtons, handleCommandButtons } from './button-handlers.ts';
import { type CatchUp, type CatchUpSettings, openCatchUp } from './catch-up.ts';
import { handleCommands } from './slash-commands.ts';
import { connect, createRest, isUp } from './connection.ts';
import { toPlatformError } from './errors.ts';
import { createFileReader } from './files.ts';
import { createModals } from './modal-handlers.ts';
import {
  fetchStoredMessage,
  type OpenThread,
  type StoredMessage,
  toIncomingMessage,
} from './incoming-message.ts';
import { createLocales } from './locales.ts';
import type { KeyedStore } from '../conversation/keyed-store.ts';
import { createMentionCommands } from './mention-commands.ts';
import { handleMessages } from './message-handlers.ts';
import { createPermissions } from './permissions.ts';
import { registerCommands } from './registration.ts';
import { createRooms } from './rooms.ts';
import type { RunTools } from './run-command.ts';
import { createThread } from './thread.ts';
import { learnWriteLimits } from './write-limits.ts';
import { createWriter, sendNotice } from './writer.ts';

export interface DiscordOptions {
  token: string;
  /** The base URL of the REST API; by default Discord's own. */
  apiUrl?: string;
  /** Origins, in addition to Discord's, that files are read from; by default that of `apiUrl`. */
  trustedFileOrigins?: readonly string[];
  /** Max bytes read of a file; 25 MB by default. */
  maxFileBytes?: number;
  commands: CommandRunner;
  /** Whether the bot leaves servers that the core does not serve. */
  leaveUnknownServers?: boolean;
  /** With it, messages that were sent while the bot was away are read. */
  catchUp?: CatchUpSettings;
  /** With it, people's messages are answered in the language of their last interaction. */
  locales?: KeyedStore<string>;
  log: Log;
  sleep?: Sleep;
}

/** Messages kept in memory until they are read. */
const maxRecent = 1_000;

/** How long running commands have at shutdown to show how they ended. */
const graceMs = 5_000;

/**
 * Connects to Discord with discord.js. `start` rejects with a PlatformError if Discord refuses the
 * token, naming its variable.
 */
export function createDiscordPlatform(options: DiscordOptions): Platform {
  const { token, apiUrl, log, commands: runner, catchUp: settings, sleep = sleepFor } = options;
  const { trustedFileOrigins: trustedOrigins = originOf(apiUrl) } = options;
  const { leaveUnknownServers: leavesUnknown = false } = options;
  const { maxFileBytes: maxBytes = 25 * 1024 * 1024 } = options;
  const rest = createRest({ token, apiUrl });
  const readyClient = () => (client?.isReady() ? client : undefined);
  const permissions = createPermissions(readyClient);
  const writer = createWriter({ rest, permissions });
  const writeLimits = learnWriteLimits(rest);
  const threadTools = { writer, writeLimits, log, sleep };
  const closing = new AbortController();
  let fatalError = Promise.withResolvers<PlatformError>();
  let client: Client | undefined;
  let receiver: Receiver | undefined;
  let catchUp: CatchUp | undefined;
  let serversTold: Promise<void> | undefined;
  const recent = createLru<Message>(maxRecent);

  const openThread: OpenThread = (address, question) =>
    createThread({ address, question, ...threadTools });

  const commandTools: RunTools = {
    runner,
    rest,
    writer,
    permissions,
    openThread,
    receive: async (message) => receiver?.message(message),
    log,
    sleep,
    signal: closing.signal,
  };
  const running = createRunningCommands(log, 'Discord');
  const modalTools = { ...commandTools, running };
  const modals = createModals(modalTools);
  const files = createFileReader({ trustedOrigins, maxBytes });
  const locales = options.locales && createLocales(options.locales, { log });
  const reading = { permissions, ...(locales && { locales }) };
  const readSaid = createMentionCommands({ ...modalTools, ...reading, files });

  function listen(connecting: Client): void {
    client = connecting;
    locales?.listen(connecting);
    const heard = { receiver: () => receiver, log };
    serversTold = reportServers(connecting, { ...heard, leavesUnknown });
    const messageTools = { recent, sleep, signal: closing.signal };
    handleMessages(connecting, { ...heard, ...messageTools, catchUp });
    handleButtons(connecting, { ...heard, rest, writer });
    handleCommandButtons(connecting, modalTools);
    modals.listen(connecting);
    handleCommands(connecting, { ...modalTools, modals, files });
  }

  /**
   * Failures are only logged: without commands, or with the old ones, the bot still answers
   * messages. What may pass is tried again. Resolves after the first try.
   */
  function register(applicationId: string): Promise<void> {
    const tried = Promise.withResolvers<void>();
    const attempt = async () => {
      const changed = await registerCommands({
        rest,
        applicationId,
        commands: runner,
        maxFileBytes: maxBytes,
      });
      log.info({ changed }, 'the commands were registered with Discord');
    };
    const waitMs = (error: unknown, failures: number) => {
      log.error({ err: error }, 'the commands could not be registered with Discord');
      tried.resolve();
      if (!isRefusal(error, 'rate_limited', 'failed')) return undefined;
      return Math.max(growingWaitMs(failures), error.retryAfterMs ?? 0);
    };
    retry(attempt, { waitMs, sleep, signal: closing.signal }).then(tried.resolve, tried.resolve);
    return tried.promise;
  }

  return {
    name: 'discord',
    host: new URL(options.apiUrl ?? DefaultRestOptions.api).host,
    get isConnected() {
      return client !== undefined && isUp(client);
    },
    get fatalError() {
      return fatalError.promise;
    },
    async start(told) {
      receiver = told;
      const { signal } = closing;
      const ended = Promise.withResolvers<PlatformError>();
      fatalError = ended;
      await client?.destroy();
      // After a refusal, the library has dropped it.
      rest.setToken(token);
      catchUp ??= settings && (await openCatchUp({ ...settings, log, sleep, signal }));
      const ready = await connect({
        token,
        apiUrl,
        log,
        listen,
        onFatalError: ended.resolve,
        signal,
      });
      await serversTold;
      log.info({ user: ready.user.tag, servers: ready.guilds.cache.size }, 'connected to Discord');
      await register(ready.application.id);
    },
    rooms: createRooms({ client: readyClient, rest, log, sleep }),
    thread: (address) => createThread({ address, mayBeMissing: true, ...threadTools }),
    async read(event) {
      if (!client) throw new Error('Discord was used before it was started.');
      const { message: id = '' } = (event ?? {}) as Partial<StoredMessage>;
      const message = recent.get(id) ?? (await fetchStoredMessage(client, event));
      recent.delete(id);
      return message && toIncomingMessage(message, { ...reading, openThread, readSaid });
    },
    notify: (notice, signal) => sendNotice({ writer, client: readyClient() }, notice, signal),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await client?.destroy();
      await catchUp?.close();
      await Promise.race([running.idle(), delay(graceMs, undefined, { ref: false })]);
      rest[Symbol.dispose]();
    },
  };
}

function originOf(apiUrl: string | undefined): string[] {
  return apiUrl ? [new URL(apiUrl).origin] : [];
}

/** What reporting servers needs from the rest of the adapter. */
interface ServerTools {
  receiver: () => Receiver | undefined;
  /** Whether the bot leaves servers that the core does not serve. */
  leavesUnknown: boolean;
  log: Log;
}

/**
 * Tells the core which servers the bot is in: all when it connects, before the library tells
 * anything else, those of each new session, and each that it joins. Resolves once the core knows
 * the first ones.
 */
function reportServers(client: Client, tools: ServerTools): Promise<void> {
  const { receiver, leavesUnknown, log } = tools;

  async function report(ids: readonly string[]): Promise<void> {
    const unknown = await receiver()?.joined('discord', ids, true);
    if (leavesUnknown) void leaveAll(unknown ?? []);
  }

  async function leaveAll(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const guild = client.guilds.cache.get(id);
      if (guild) await leave(guild);
    }
  }

  async function leave(guild: Guild): Promise<void> {
    const { id: server, name } = guild;
    try {
      await guild.leave();
      log.info({ server, name }, 'left a server that has no chatbot');
    } catch (error) {
      const err = toPlatformError(error);
      log.warn({ err, server, name }, 'a server that has no chatbot could not be left');
    }
  }

  client.ws.on(GatewayDispatchEvents.Ready, ({ guilds }: GatewayReadyDispatchData) => {
    // Of the first session, the servers are not known by name yet.
    if (client.isReady()) void report(guilds.map(({ id }) => id));
  });
  client.on(Events.GuildCreate, ({ id }) => void report([id]));
  return new Promise((resolve) => {
    client.once(Events.ClientReady, () => resolve(report([...client.guilds.cache.keys()])));
  });
}
