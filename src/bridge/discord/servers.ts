import {
  type Client,
  Events,
  GatewayDispatchEvents,
  type GatewayReadyDispatchData,
  type Guild,
} from 'discord.js';
import type { Log, Receiver } from '../conversation/ports.ts';
import { toPlatformError } from './errors.ts';

/** What reporting servers needs from the rest of the adapter. */
export interface ServerTools {
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
export function reportServers(client: Client, tools: ServerTools): Promise<void> {
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
