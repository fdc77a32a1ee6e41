import { once } from 'node:events';
import { type Client, Events, GatewayIntentBits, ShardClientUtil } from 'discord.js';
import { expect, test } from 'vitest';
import { runServer } from './server.ts';

/** A bot in as many servers as it has shards, listed by their shards. */
async function runShards(count: number) {
  let time = Date.now();
  const server = await runServer({ now: () => time });
  const { discord } = server;
  discord.rules.shards = count;
  const general = discord.channels().find(({ name }) => name === 'general')?.id ?? '';
  const servers = [{ id: discord.guildId, general }];
  // The shard follows from the millisecond in which a server was made.
  for (; servers.length < count; servers.push(discord.addServer('Another', ['ada']))) time += 1;
  const shardOf = ({ id }: { id: string }) => ShardClientUtil.shardIdForGuildId(id, count);
  servers.sort((one, other) => shardOf(one) - shardOf(other));
  return Object.assign(server, { servers });
}

const idsOf = (servers: Iterable<{ id: string }>) => [...servers].map(({ id }) => id);
const guildsOf = (client: Client) => [...client.guilds.cache.keys()].toSorted();

/** The messages that a client gets, up to one that says `last`. */
function hear(client: Client, last: string): Promise<string[]> {
  const heard: string[] = [];
  return new Promise((resolve) => {
    client.on(Events.MessageCreate, ({ content }) => {
      heard.push(content);
      if (content === last) resolve(heard);
    });
  });
}

test('a client on each of two shards gets the events of its servers, and the first one direct messages', async () => {
  await using server = await runShards(2);
  const { discord, servers } = server;
  const logIn = (shard: number) => server.logIn({ shards: [shard], shardCount: 2 });
  const [one, two] = await Promise.all([logIn(0), logIn(1)]);
  expect([guildsOf(one), guildsOf(two)]).toEqual(servers.map(({ id }) => [id]));

  const heard = Promise.all([hear(one, 'Third'), hear(two, 'Fourth')]);
  const [first = '', second = ''] = servers.map(({ general }) => general);
  const said = [
    ['@', 'First'],
    [second, 'Second'],
    [first, 'Third'],
    [second, 'Fourth'],
  ] as const;
  for (const [channel, content] of said) await discord.say({ user: 'ada', channel, content });
  expect(await heard).toEqual([
    ['First', 'Third'],
    ['Second', 'Fourth'],
  ]);
});

test('one client has all shards that Discord recommends', async () => {
  await using server = await runShards(2);
  const { discord, servers } = server;
  discord.rules.maxConcurrency = 2;
  const client = await server.logIn({ shards: 'auto' });
  const shards = servers.map(({ id }) => client.guilds.cache.get(id)?.shardId);
  expect(shards).toEqual([0, 1]);
});

test('one client has a range of shards', async () => {
  await using server = await runShards(4);
  const { discord, servers } = server;
  discord.rules.maxConcurrency = 4;
  const client = await server.logIn({ shards: [2, 3], shardCount: 4 });
  expect(guildsOf(client)).toEqual(idsOf(servers.slice(2)).toSorted());
});

test('a client learns of the servers of its shard that the bot joins and leaves', async () => {
  await using server = await runShards(2);
  const { discord, servers } = server;
  const second = servers[1]?.id;
  const client = await server.logIn({ shards: [1], shardCount: 2 });
  const told: (string | undefined)[] = [];
  client.on(Events.GuildDelete, ({ id }) => told.push(id));
  client.on(Events.GuildCreate, ({ id }) => told.push(id));

  const left = once(client, Events.GuildDelete);
  for (const { id } of servers) discord.removeBot(id);
  await left;
  expect(() => discord.removeBot(second)).toThrow('Unknown Guild');
  const joined = once(client, Events.GuildCreate);
  for (const { id } of servers) discord.inviteBot(id);
  await joined;
  expect(told).toEqual([second, second]);
});

test('a shard gets the members of its own servers only', async () => {
  await using server = await runShards(2);
  const { servers } = server;
  const intents = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers];
  const client = await server.logIn({ shards: [1], shardCount: 2, intents });
  const first = new Promise<string>((resolve) => {
    client.on(Events.Raw, ({ t, d }) => t === 'GUILD_MEMBERS_CHUNK' && resolve(d.guild_id));
  });
  for (const { id } of servers) {
    client.ws.shards.first()?.send({ op: 8, d: { guild_id: id, query: '', limit: 0 } });
  }
  expect(await first).toBe(servers[1]?.id);
});
