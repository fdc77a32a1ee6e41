import { GatewayCloseCodes } from 'discord.js';
import { expect, test } from 'vitest';
import { type Command, defineAction } from '../../../src/bridge/commands/command.ts';
import { ask } from '../../../src/bridge/commands/ask.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { createRunner, passIdentifyLimit } from './open-server.ts';
import { openServers } from './open-servers.ts';

const both = { first: 0, last: 1, count: 2 };

const registrations = (calls: readonly string[]) =>
  calls.filter((call) => call.startsWith('PUT ')).length;

test('as many shards as Discord recommends: each tells of its servers, and the commands are registered once', async () => {
  await using server = await openServers();
  const { discord, say, mention, servers, ids, calls } = server;
  const { platform, core, heard } = await server.connect({ commands: createRunner([ask]) });
  expect(platform.isConnected).toBe(true);
  expect(discord.gateway.connections).toBe(2);
  expect(core.joins.all).toEqual([{ workspaces: ids }]);
  expect(registrations(calls)).toBe(1);
  for (const { general, id } of servers) {
    await say(general, `${mention} In ${id}?`);
    const { thread } = await heard(`In ${id}?`);
    await thread.post({ markdown: `Here is ${id}` });
    expect(thread.address.workspace).toBe(id);
    expect(discord.messages(thread.address.thread)[0]?.content).toBe(`Here is ${id}`);
  }
  await say('@', 'Directly');
  const { author } = await heard('Directly');
  expect(core.messages.all).toHaveLength(3);
  const shared = await platform.rooms.sharedWith?.(author.id, ids);
  expect(shared?.map(({ id }) => id)).toEqual(ids);
});

test('servers that the bot joins are reported by their shard, and left again', async () => {
  await using server = await openServers();
  const unserved: string[] = [];
  const left = Promise.withResolvers<object>();
  const info = (fields: object, message: string) => {
    if (message === 'left a server that has no chatbot') left.resolve(fields);
  };
  const log = { ...createMemoryLog(), info };
  const { core } = await server.connect({ unserved, leaveUnknownServers: true, log });
  const third = server.add('Third', 1);
  await core.joins.find(({ workspaces }) => workspaces.includes(third.id));
  unserved.push(third.id);
  passIdentifyLimit();
  server.discord.gateway.invalidate(false, 1);
  expect(await left.promise).toEqual({ server: third.id, name: 'Third' });
});

test('a process runs a range: it has the servers of its shards alone, and neither direct messages nor the commands', async () => {
  await using server = await openServers();
  const { discord, say, mention, servers, ids, calls } = server;
  const commands = createRunner([ask]);
  const shards = { first: 1, last: 1, count: 2 };
  const { core, heard, received } = await server.connect({ commands, shards });
  expect(discord.gateway.connections).toBe(1);
  expect(core.joins.all).toEqual([{ workspaces: ids.slice(1) }]);
  expect(registrations(calls)).toBe(0);
  await say('@', 'Directly');
  await say(servers[0].general, `${mention} Elsewhere?`);
  await say(servers[1].general, `${mention} Here?`);
  await heard('Here?');
  expect(received).toHaveLength(1);
});

test('a shard that waits for its turn to connect does not hold up the others', async () => {
  await using server = await openServers();
  const { discord, say, mention, servers } = server;
  Object.assign(discord.rules, { maxConcurrency: 1, identifyMs: 5_000 });
  const ready = discord.changes.waitFor(
    (change) => change.kind === 'gateway' && change.event === 'ready',
  );
  const { platform, core, heard } = server.prepare();
  const connecting = platform.start(core);
  await ready;
  await say(servers[0].general, `${mention} Already?`);
  await heard('Already?');
  expect(platform).toMatchObject({ isConnected: false, isPartlyConnected: true });
  await Promise.all([
    expect(connecting).rejects.toMatchObject({ kind: 'failed' }),
    platform[Symbol.asyncDispose](),
  ]);
});

test('a shard whose turn another process has taken connects at the next one', async () => {
  await using server = await openServers();
  const { discord, say, mention, servers } = server;
  Object.assign(discord.rules, { maxConcurrency: 1, identifyMs: 5_000 });
  await server.connect({ shards: { first: 0, last: 0, count: 2 } });
  const refused = discord.changes.waitFor(({ kind }) => kind === 'refused');
  const { platform, core, heard } = server.prepare({ shards: { first: 1, last: 1, count: 2 } });
  const connecting = platform.start(core);
  await refused;
  passIdentifyLimit();
  await connecting;
  expect(discord.gateway.connections).toBe(2);
  await say(servers[1].general, `${mention} Here?`);
  await heard('Here?');
});

test('a command is answered in the servers of each shard', async () => {
  await using server = await openServers();
  const { discord, servers } = server;
  const place: Command = {
    name: 'place',
    description: 'ask',
    action: defineAction({
      description: 'ask',
      shownTo: 'private',
      options: {},
      async *run({ workspace, channelAccess }) {
        yield `${workspace}: ${await channelAccess()}`;
      },
    }),
  };
  await server.connect({ commands: createRunner([place]) });
  for (const { general, id } of servers) {
    await discord.command({ user: 'ada', channel: general, name: 'place' });
    const shown = await server.shown(general, /./);
    expect(shown.content).toBe(`${id}: everything`);
  }
});

test('a shard that ends is connected again, and the others go on', async () => {
  await using server = await openServers();
  const { discord, say, mention, servers } = server;
  const { platform, core, heard, received } = await server.connect();
  discord.gateway.disconnect(GatewayCloseCodes.AuthenticationFailed, 1);
  expect(await platform.fatalError).toMatchObject({ kind: 'forbidden' });
  expect(platform).toMatchObject({ isConnected: false, isPartlyConnected: true });
  await say(servers[0].general, `${mention} Zero?`);
  const { thread } = await heard('Zero?');
  await thread.post({ markdown: 'Yes' });

  const sessions: string[] = [];
  discord.changes.subscribe((change) => {
    if (change.kind === 'gateway') sessions.push(change.event);
  });
  passIdentifyLimit();
  await platform.start(core);
  expect(platform.isConnected).toBe(true);
  expect(sessions).toEqual(['ready']);
  await say(servers[1].general, `${mention} One?`);
  await heard('One?');
  await say(servers[0].general, `${mention} Zero again?`);
  await heard('Zero again?');
  expect(received).toHaveLength(3);
});

test('too few shards for Discord: a fixed number is to be raised', async () => {
  await using server = await openServers();
  Object.assign(server.discord.rules, { shards: 4, guildsPerShard: 1 });
  const shards = { first: 0, last: 0, count: 1 };
  await expect(server.connect({ shards })).rejects.toMatchObject({
    kind: 'forbidden',
    message: expect.stringMatching(/DISCORD_SHARDS.* 4 /),
  });
});

test('too few shards for Discord: without a fixed number, all begin anew', async () => {
  await using server = await openServers();
  const { discord, ids } = server;
  const { platform, core } = await server.connect();
  discord.rules.shards = 4;
  discord.gateway.disconnect(GatewayCloseCodes.ShardingRequired, 1);
  await platform.fatalError;
  passIdentifyLimit();
  await platform.start(core);
  expect(discord.gateway.connections).toBe(4);
  expect(core.joins.all.at(-1)?.workspaces.toSorted()).toEqual(ids.toSorted());
});

test('no shard connects once too few sessions remain for the day', async () => {
  await using server = await openServers();
  const { discord } = server;
  discord.rules.sessionsPerDay = 1;
  await expect(server.connect()).rejects.toMatchObject({ kind: 'rate_limited' });
  expect(discord.gateway.connections).toBe(0);
});

test('what was said while one shard had no session is heard, and nothing twice', async () => {
  await using server = await openServers();
  const { discord, say, mention, servers } = server;
  const catchUp = await createMemory();
  const { heard, received } = await server.connect({ catchUp });
  for (const { general, id } of servers) {
    await say(general, `${mention} Before ${id}?`);
    await heard(`Before ${id}?`);
  }
  passIdentifyLimit();
  discord.gateway.invalidate(false, 1);
  for (const { general, id } of servers) await say(general, `${mention} Meanwhile ${id}?`);
  for (const { id } of servers) await heard(`Meanwhile ${id}?`);
  expect(received).toHaveLength(4);
});

test('with more shards than before, what was missed is heard once', async () => {
  await using server = await openServers();
  const { say, mention, servers } = server;
  const catchUp = await createMemory();
  const one = await server.connect({ catchUp, shards: { first: 0, last: 0, count: 1 } });
  for (const { general, id } of servers) {
    await say(general, `${mention} Before ${id}?`);
    await one.heard(`Before ${id}?`);
  }
  await one.platform[Symbol.asyncDispose]();
  for (const { general, id } of servers) await say(general, `${mention} Missed ${id}?`);
  const two = await server.connect({ catchUp, shards: both });
  for (const { id } of servers) await two.heard(`Missed ${id}?`);
  expect(two.received).toHaveLength(2);
});

test('a stored message is read by the shard of its server, and waits while that is away', async () => {
  await using server = await openServers();
  const { say, mention, servers } = server;
  const [, { general, id: workspace }] = servers;
  const { channel, id: message } = await say(general, `${mention} Stored?`);
  const event = { channel, message };
  const { platform } = await server.connect();
  expect(await platform.read(event, { workspace })).toMatchObject({ text: 'Stored?' });
  server.discord.gateway.disconnect(GatewayCloseCodes.AuthenticationFailed, 1);
  await platform.fatalError;
  await expect(platform.read(event, { workspace })).rejects.toMatchObject({ kind: 'failed' });
});

async function createMemory() {
  const store = await openStore('memory:');
  return {
    watermarks: store.keyv<string>('watermark'),
    directChannels: store.keyv<string>('direct-channel'),
    maxAgeMs: 24 * 60 * 60 * 1000,
  };
}
