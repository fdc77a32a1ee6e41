import { ShardClientUtil } from 'discord.js';
import { openServer } from './open-server.ts';

/** Two servers, each on a shard of its own if there are two, and the bot that may connect both at once. */
export async function openServers() {
  let aheadMs = 0;
  const server = await openServer({ now: () => Date.now() + aheadMs });
  const { discord } = server;
  Object.assign(discord.rules, { shards: 2, maxConcurrency: 16 });
  /** A server on a shard: the time in its id, in milliseconds, says which one. */
  const add = (name: string, shard: number) => {
    for (;;) {
      const found = discord.addServer(name, ['ada']);
      if (ShardClientUtil.shardIdForGuildId(found.id, 2) === shard) return found;
      discord.removeBot(found.id);
      aheadMs += 1;
    }
  };
  const servers = [add('Zero', 0), add('One', 1)] as const;
  discord.removeBot();
  return {
    ...server,
    get mention() {
      return server.mention;
    },
    servers,
    ids: servers.map(({ id }) => id),
    add,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    say: (channel: string, content: string) => discord.say({ user: 'ada', channel, content }),
  };
}
