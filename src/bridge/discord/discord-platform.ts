import {
  type APIChannel,
  type Channel,
  type Client,
  DefaultRestOptions,
  Events,
  GatewayDispatchEvents,
  type GatewayReadyDispatchData,
  type REST,
  Routes,
} from 'discord.js';
import { renderProblem } from '../../shared/problems/problem.ts';
import type { Notice, Platform } from '../conversation/platform.ts';
import { handleButtons, handleCommandButtons } from './button-handlers.ts';
import { type CatchUpSettings, createCatchUp } from './catch-up.ts';
import { type ContextOptions, type DiscordContext, createContext } from './context.ts';
import { readStoredMessage, toIncomingMessage } from './incoming-message.ts';
import { createMentionCommands } from './mention-commands.ts';
import { handleMessages } from './message-handlers.ts';
import { createModals } from './modal-handlers.ts';
import { keepRegistered } from './registration.ts';
import { createRooms } from './rooms.ts';
import type { ShardListener } from './shards.ts';
import { handleCommands } from './slash-commands.ts';
import { createThread } from './thread.ts';
import { inSteps } from '../../shared/primitives/time.ts';
import { noWorkspace } from '../conversation/address.ts';
import { PlatformError } from '../conversation/errors.ts';
import { takeSegment } from '../conversation/markdown/split-markdown.ts';
import { orPlatformError, toPlatformError } from './errors.ts';
import { textLimits } from './message.ts';
import { renderMarkdown, showMoments } from './render.ts';

export interface DiscordOptions extends ContextOptions {
  /** Whether the bot leaves servers that the core does not serve. */
  leaveUnknownServers?: boolean;
  /** With it, messages that were sent while the bot was away are read. */
  catchUp?: CatchUpSettings;
}

/**
 * Connects to Discord with discord.js. `start` rejects with a PlatformError if Discord refuses the
 * token, naming its variable.
 */
export function createDiscordPlatform(options: DiscordOptions): Platform {
  const { token, apiUrl, leaveUnknownServers = false, catchUp: settings } = options;
  const closing = new AbortController();
  const discord = createContext(options, closing.signal);
  const { rest, shards } = discord;
  const servers = createServers(discord, leaveUnknownServers);
  const modals = createModals(discord);
  const readSaid = createMentionCommands(discord);
  const catchUp = settings && createCatchUp(settings, discord);
  let registering: Promise<void> | undefined;

  const listener: ShardListener = {
    /** The process with the first shard also registers the commands, once for all shards. */
    async opening(shards, layout) {
      if (shards.includes(0)) registering ??= keepRegistered(layout.application, discord);
      await catchUp?.open(shards, layout);
    },
    listen(client) {
      discord.locales?.listen(client);
      servers.listen(client);
      handleMessages(client, catchUp, discord);
      handleButtons(client, discord);
      handleCommandButtons(client, discord);
      modals.listen(client);
      handleCommands(client, modals, discord);
    },
    opened: servers.reportAll,
    lost(shard) {
      if (shard === 0) registering = undefined;
      catchUp?.leave(shard);
    },
    closed: (client) => catchUp?.stop(client),
  };

  return {
    name: 'discord',
    host: new URL(apiUrl ?? DefaultRestOptions.api).host,
    get isConnected() {
      return shards.isConnected;
    },
    get isPartlyConnected() {
      return shards.isPartlyConnected;
    },
    get fatalError() {
      return shards.fatalError;
    },
    get warning() {
      return shards.isDeaf ? renderProblem({ code: 'discord_intent_missing' }) : undefined;
    },
    async start(receiver) {
      discord.receiver = receiver;
      // After a refusal, the library has dropped it.
      rest.setToken(token);
      await shards.start(listener);
      await registering;
    },
    rooms: createRooms(discord),
    thread: (address) => createThread({ address, mayBeMissing: true }, discord),
    async read(event, { workspace }) {
      const message = await readStoredMessage(event, workspace, discord);
      if (!message) return undefined;
      const incoming = await toIncomingMessage(message, readSaid, discord);
      // An edit that came meanwhile is still to be read.
      if (discord.recent.peek(message.id) === message) discord.recent.delete(message.id);
      return incoming;
    },
    notify: (notice, signal) => sendNotice(notice, discord, signal),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await shards.close();
      await catchUp?.close();
      await discord.running.idle();
      rest[Symbol.dispose]();
    },
  };
}

/** docs.discord.com/developers/reference#snowflakes. */
const userId = /^\d{1,20}$/;

/**
 * Posts a notice to a channel, or to a person as a direct message: in a channel, Discord shows a
 * message to one person alone only in answer to an interaction. A text that is too long is cut.
 * Pings only the people it names, and nobody else whom the text mentions.
 * @throws {PlatformError}
 */
async function sendNotice(
  { workspace, to, markdown, people = [] }: Notice,
  discord: DiscordContext,
  signal?: AbortSignal,
): Promise<void> {
  if ('channel' in to) await checkWorkspace(to.channel, workspace, discord);
  const { writer } = discord;
  const channel = 'channel' in to ? to.channel : await writer.openDirect(to.person);
  const called = people.filter((id) => userId.test(id));
  const calls = called.map((id) => `<@${id}> `).join('');
  const fits = (text: string) => textLimits.fits(calls + text);
  const { segment } = await inSteps(takeSegment(markdown, { fits }));
  const text = calls + showMoments(renderMarkdown(segment));
  await writer.post(channel, { text, people: called }, { signal });
}

/** Checked because people may type the id of another server's channel. */
async function checkWorkspace(
  id: string,
  workspace: string,
  { shards, rest }: DiscordContext,
): Promise<void> {
  const known = shards.channel(id);
  const server = known ? serverOf(known) : await readServer(id, rest);
  if (server !== workspace) throw new PlatformError('gone', 'channel_gone');
}

function serverOf(channel: Channel): string {
  return 'guildId' in channel && channel.guildId !== null ? channel.guildId : noWorkspace;
}

async function readServer(id: string, rest: REST): Promise<string> {
  const channel = (await orPlatformError(rest.get(Routes.channel(id)))) as APIChannel;
  return 'guild_id' in channel && channel.guild_id ? channel.guild_id : noWorkspace;
}

/** Tells the core which servers the bot is in. */
interface Servers {
  /** Reports what a client tells of from now on: those of a new session, and each that the bot joins or leaves. */
  listen(client: Client): void;
  /** Reports the servers of all shards that are connected. Only then are others reported. */
  reportAll(): Promise<void>;
}

/** @param leavesUnknown whether the bot leaves servers that the core does not serve */
function createServers(discord: DiscordContext, leavesUnknown: boolean): Servers {
  const { shards, log } = discord;
  /** The core takes the servers that it is told of first as those of whoever runs the bot. */
  const first = Promise.withResolvers<void>();

  async function report(ids: readonly string[]): Promise<void> {
    const unknown = await discord.receiver?.joined('discord', ids, true);
    if (leavesUnknown) void leaveAll(unknown ?? []);
  }

  async function leaveAll(ids: readonly string[]): Promise<void> {
    for (const id of ids) await leave(id);
  }

  async function leave(server: string): Promise<void> {
    const guild = shards.guild(server);
    try {
      await guild?.leave();
      log.info({ server, name: guild?.name }, 'left a server that has no chatbot');
    } catch (error) {
      const err = toPlatformError(error);
      log.warn(
        { err, server, name: guild?.name },
        'a server that has no chatbot could not be left',
      );
    }
  }

  return {
    listen(client) {
      const tell = (ids: readonly string[]) => void first.promise.then(() => report(ids));
      client.ws.on(GatewayDispatchEvents.Ready, ({ guilds }: GatewayReadyDispatchData) => {
        // Of a client's first session, the servers are reported once their names are known.
        if (client.isReady()) tell(guilds.map(({ id }) => id));
      });
      client.on(Events.GuildCreate, ({ id }) => tell([id]));
      // Not for an outage, which has an event of its own.
      client.on(Events.GuildDelete, ({ id }) => void discord.receiver?.left('discord', id));
    },
    async reportAll() {
      const ids = shards.servers();
      if (ids.length === 0 && !shards.isPartlyConnected) return;
      await report(ids);
      first.resolve();
    },
  };
}
