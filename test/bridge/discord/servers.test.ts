import { expect, test } from 'vitest';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { openServer, passIdentifyLimit } from './open-server.ts';

test('all servers are reported on connecting, and each that the bot joins later', async () => {
  await using server = await openServer();
  const { discord } = server;
  const other = discord.addServer('Other', ['linus']);
  const { core } = await server.connect();
  expect(core.joins.all).toEqual([{ workspaces: [discord.guildId, other.id] }]);
  const third = discord.addServer('Third', ['ada']);
  await core.joins.find(({ workspaces }) => workspaces.includes(third.id));
  expect(core.joins.all.slice(1)).toEqual([{ workspaces: [third.id] }]);
});

test('a server that removes the bot is reported, and one in an outage is not', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const other = discord.addServer('Other', ['linus']);
  const { core, heard } = await server.connect();
  discord.gateway.setAvailable(false);
  discord.gateway.setAvailable(true);
  discord.removeBot(other.id);
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Still here?` });
  await heard('Still here?');
  expect(core.lefts).toEqual([other.id]);
});

test('a new session reports all servers again, with those that the bot joined in between', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { core } = await server.connect();
  passIdentifyLimit();
  discord.gateway.drop();
  const { id } = discord.addServer('Other', ['linus']);
  const { workspaces } = await core.joins.find((told) => told.workspaces.includes(id));
  expect(workspaces).toEqual([discord.guildId, id]);
});

test('the servers that it does not serve are left only if it is told to', async () => {
  await using server = await openServer();
  const { discord, calls } = server;
  const other = discord.addServer('Other', ['linus']);
  const left = () => calls.filter((call) => call.startsWith('DELETE /users/@me/guilds'));
  const unserved = [other.id];
  const staying = await server.connect({ unserved });
  await discord.say({ user: 'linus', channel: other.general, content: 'Stay' });
  await staying.heard('Stay');
  expect(left()).toEqual([]);
  await staying.platform[Symbol.asyncDispose]();

  const log = createMemoryLog();
  const gone = Promise.withResolvers<object>();
  const info = (fields: object, message: string) => {
    if (message === 'left a server that has no chatbot') gone.resolve(fields);
  };
  await server.connect({ unserved, leaveUnknownServers: true, log: { ...log, info } });
  expect(await gone.promise).toEqual({ server: other.id, name: 'Other' });
  expect(left()).toEqual([`DELETE /users/@me/guilds/${other.id}`]);
  const back = await server.connect();
  expect(back.core.joins.all).toEqual([{ workspaces: [discord.guildId] }]);
});

test('a server that can’t be left is a warning, and the next one is left', async () => {
  await using server = await openServer();
  const { discord } = server;
  const others = ['One', 'Two'].map((name) => discord.addServer(name, ['linus']).id);
  const method = 'DELETE /users/@me/guilds/:guild';
  discord.faults.inject({ method, times: 1, status: 400, error: 'Invalid Guild' });
  const log = createMemoryLog();
  const left = Promise.withResolvers<object>();
  const info = (fields: object) => 'name' in fields && left.resolve(fields);
  const unserved = others;
  await server.connect({ unserved, leaveUnknownServers: true, log: { ...log, info } });
  expect(await left.promise).toEqual({ server: others[1], name: 'Two' });
  const warned = log.lines.filter(({ level }) => level === 'warn');
  expect(warned).toMatchObject([{ fields: { server: others[0], name: 'One' } }]);
});

test('a notice does not reach the channel of another server', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { platform } = await server.connect();
  const { general } = discord.addServer('Other', ['linus']);
  const notice = { workspace: discord.guildId, to: { channel: general }, markdown: 'Hello' };
  await expect(platform.notify?.(notice)).rejects.toMatchObject({ kind: 'gone' });
  expect(discord.messages(general)).toEqual([]);
});
