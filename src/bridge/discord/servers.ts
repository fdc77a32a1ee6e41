import {
  type Client,
  Events,
  GatewayDispatchEvents,
  type GatewayReadyDispatchData,
} from 'discord.js';
import type { DiscordContext } from './context.ts';
import { toPlatformError } from './errors.ts';

/** Tells the core which servers the bot is in. */
export interface Servers {
  /** Reports what a client tells of from now on: those of a new session, and each that the bot joins or leaves. */
  listen(client: Client): void;
  /** Reports the servers of all shards that are connected. Only then are others reported. */
  reportAll(): Promise<void>;
}

/** @param leavesUnknown whether the bot leaves servers that the core does not serve */
export function createServers(discord: DiscordContext, leavesUnknown: boolean): Servers {
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
