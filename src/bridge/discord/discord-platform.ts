import { setTimeout as delay } from 'node:timers/promises';
import { DefaultRestOptions } from 'discord.js';
import { renderProblem } from '../../shared/problems/problem.ts';
import type { Platform } from '../conversation/platform.ts';
import { handleButtons, handleCommandButtons } from './button-handlers.ts';
import { type CatchUpSettings, createCatchUp } from './catch-up.ts';
import { type ContextOptions, createContext } from './context.ts';
import { readStoredMessage, toIncomingMessage } from './incoming-message.ts';
import { createMentionCommands } from './mention-commands.ts';
import { handleMessages } from './message-handlers.ts';
import { createModals } from './modal-handlers.ts';
import { keepRegistered } from './registration.ts';
import { createRooms } from './rooms.ts';
import { createServers } from './servers.ts';
import type { ShardListener } from './shards.ts';
import { handleCommands } from './slash-commands.ts';
import { createThread } from './thread.ts';
import { sendNotice } from './notices.ts';

export interface DiscordOptions extends ContextOptions {
  /** Whether the bot leaves servers that the core does not serve. */
  leaveUnknownServers?: boolean;
  /** With it, messages that were sent while the bot was away are read. */
  catchUp?: CatchUpSettings;
}

/** How long running commands have at shutdown to show how they ended. */
const graceMs = 5_000;

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
      return message && toIncomingMessage(message, readSaid, discord);
    },
    notify: (notice, signal) => sendNotice(notice, discord, signal),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await shards.close();
      await catchUp?.close();
      await Promise.race([discord.running.idle(), delay(graceMs, undefined, { ref: false })]);
      rest[Symbol.dispose]();
    },
  };
}
