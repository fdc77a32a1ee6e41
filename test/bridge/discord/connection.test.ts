import { GatewayCloseCodes } from 'discord.js';
import { expect, test } from 'vitest';
import { ask } from '../../../src/bridge/commands/ask.ts';
import { createDiscordPlatform } from '../../../src/bridge/discord/discord-platform.ts';
import { createFakeCore } from '../../fixtures/fake-core.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { takeFaults } from '../../fixtures/judges/witness.ts';
import { createRunner, openServer, passIdentifyLimit } from './open-server.ts';

const forbidden = (message: RegExp) => ({
  kind: 'forbidden',
  message: expect.stringMatching(message),
});

test('a wrong token is an error that names its variable', async () => {
  await using server = await openServer();
  const connected = server.connect({ token: 'wrong' });
  await expect(connected).rejects.toMatchObject(forbidden(/DISCORD_TOKEN.*discord\.com/));
});

test('a token that the gateway refuses is the same error', async () => {
  await using server = await openServer();
  server.refuseNext(GatewayCloseCodes.AuthenticationFailed);
  await expect(server.connect()).rejects.toMatchObject(forbidden(/DISCORD_TOKEN/));
});

test('a gateway that refuses for another reason is an error with its code', async () => {
  await using server = await openServer();
  server.refuseNext(GatewayCloseCodes.ShardingRequired);
  await expect(server.connect()).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('4011'),
  });
});

test('a gateway that is away at the start is tried again until it is back', async () => {
  await using server = await openServer();
  server.refuseNext(502);
  server.refuseNext(503);
  const { platform } = await server.connect();
  expect(platform.isConnected).toBe(true);
  expect(server.discord.gateway.connections).toBe(1);
});

test('no server there is an error', async () => {
  await using server = await openServer();
  const connected = server.connect({ apiUrl: 'http://127.0.0.1:1/api' });
  await expect(connected).rejects.toMatchObject({ kind: 'failed' });
});

test('without the message content intent, mentions and direct messages are still answered', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const log = createMemoryLog();
  discord.changeApplication({ messageContent: false });
  const { platform, core, heard, received } = await server.connect({ log });
  const warned = /“Message Content Intent”.*discord\.com/;
  expect(platform.warning).toMatch(warned);
  await platform.start(core);
  expect(log.lines.filter(({ message }) => warned.test(message))).toHaveLength(1);
  // Asked for, it would have been refused first.
  expect(log.lines).not.toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'the connection to Discord failed' }),
  );

  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Read me?` });
  const { thread } = await heard('Read me?');
  const { id } = await thread.post({ markdown: 'Yes' });
  const channel = thread.address.thread;
  await discord.say({ user: 'ada', channel, content: 'And me?' });
  await discord.say({ user: 'ada', channel, content: 'Really?', replyTo: id });
  expect(await heard('Really?')).toMatchObject({ addressed: 'mention' });
  await discord.say({ user: 'ada', channel: '@', content: 'Directly' });
  await heard('Directly');
  const overheard = received.find(({ addressed }) => addressed === 'overheard');
  expect(overheard?.text).toBe('');
});

test('a message content intent that the gateway alone refuses is done without', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  server.refuseNext(GatewayCloseCodes.DisallowedIntents);
  const warned: string[] = [];
  const warn = (_: object, message: string) => {
    if (!message.includes('“Message Content Intent”')) return;
    warned.push(message);
    passIdentifyLimit();
  };
  const { platform, heard } = await server.connect({ log: { ...createMemoryLog(), warn } });
  expect(warned).toEqual([platform.warning]);
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Read me?` });
  await heard('Read me?');
});

test('with the message content intent there is no warning', async () => {
  await using server = await openServer();
  const { platform } = await server.connect();
  expect(platform.warning).toBeUndefined();
});

test('a lost connection resumes, and no message in between is lost', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const log = createMemoryLog();
  const { heard } = await server.connect({ log });
  const resumed = discord.changes.waitFor(
    (change) => change.kind === 'gateway' && change.event === 'resumed',
  );
  discord.gateway.disconnect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Meanwhile?` });
  await resumed;
  const { thread } = await heard('Meanwhile?');
  await thread.post({ markdown: 'Heard' });
  expect(discord.messages(thread.address.thread)[0]?.content).toBe('Heard');
  expect(log.lines).toContainEqual(
    expect.objectContaining({ level: 'info', message: 'reconnecting to Discord' }),
  );
});

test('a permanent end of the connection is reported, with what to do', async () => {
  await using server = await openServer();
  const { platform } = await server.connect();
  expect(platform.isConnected).toBe(true);
  server.discord.gateway.disconnect(GatewayCloseCodes.AuthenticationFailed);
  expect(await platform.fatalError).toMatchObject(forbidden(/DISCORD_TOKEN/));
  expect(platform.isConnected).toBe(false);
});

test('after a permanent end, another start connects, and everything is heard once', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { platform, core, heard, received } = await server.connect();
  discord.gateway.disconnect(GatewayCloseCodes.AuthenticationFailed);
  await platform.fatalError;
  passIdentifyLimit();
  await platform.start(core);
  expect(platform.isConnected).toBe(true);
  expect(discord.gateway.connections).toBe(1);
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Back?` });
  const { thread } = await heard('Back?');
  await thread.post({ markdown: 'Yes' });
  expect(received).toHaveLength(1);
  discord.gateway.disconnect(GatewayCloseCodes.AuthenticationFailed);
  expect(await platform.fatalError).toMatchObject(forbidden(/DISCORD_TOKEN/));
});

test('a token that is refused for a while is used again', async () => {
  await using server = await openServer();
  const { discord } = server;
  const platform = createDiscordPlatform({
    ...discord.credentials,
    commands: createRunner([ask]),
    log: createMemoryLog(),
  });
  await using _ = platform;
  discord.faults.inject({ method: 'GET /gateway/bot', times: 1, status: 401 });
  await expect(platform.start(createFakeCore())).rejects.toMatchObject(forbidden(/DISCORD_TOKEN/));
  await platform.start(createFakeCore());
  expect(platform.isConnected).toBe(true);
});

test('the platform is not connected while it reconnects', async () => {
  await using server = await openServer();
  const { discord } = server;
  const away = Promise.withResolvers<void>();
  const back = Promise.withResolvers<void>();
  const info = (_: object, message: string) => {
    if (message === 'reconnecting to Discord') away.resolve();
    if (message === 'connected to Discord again') back.resolve();
  };
  const { platform } = await server.connect({ log: { ...createMemoryLog(), info } });
  discord.gateway.disconnect();
  await away.promise;
  expect(platform.isConnected).toBe(false);
  await back.promise;
  expect(platform.isConnected).toBe(true);
});

test('it starts where the commands cannot be registered, and says so', async () => {
  await using server = await openServer();
  const log = createMemoryLog();
  const method = 'GET /applications/:application/commands';
  server.discord.faults.inject({ method, times: 1, retryAfter: 60 });
  await server.connect({ log });
  expect(log.lines).toContainEqual(
    expect.objectContaining({
      level: 'error',
      message: 'the commands could not be registered with Discord',
    }),
  );
});

test('commands that a rate limit kept from being registered are registered once it has passed', async () => {
  await using server = await openServer();
  const { discord } = server;
  const hour = 3_600;
  const method = 'PUT /applications/:application/commands';
  discord.faults.inject({ method, times: 1, retryAfter: hour });
  const waits: number[] = [];
  const passed = Promise.withResolvers<void>();
  const sleep = async (ms: number) => {
    waits.push(ms);
    await passed.promise;
  };
  const { heard } = await server.connect({ sleep, commands: createRunner([ask]) });
  await discord.say({ user: 'ada', channel: '@', content: 'Meanwhile' });
  await heard('Meanwhile');
  const registered = discord.changes.waitFor(({ kind }) => kind === 'commands');
  passed.resolve();
  await registered;
  expect(waits).toEqual([expect.closeTo(hour * 1_000, -3)]);
});

test('an event that the library can’t read is skipped, and the next one is handled', async () => {
  await using server = await openServer();
  const { discord } = server;
  const log = createMemoryLog();
  const { heard } = await server.connect({ log });
  const unreadable = [
    ['INTERACTION_CREATE', { id: '1', type: 2, token: 't' }],
    ['MESSAGE_CREATE', { id: '1', channel_id: server.channel('general') }],
    ['THREAD_CREATE', { id: '1' }],
    ['GUILD_UPDATE', { id: discord.guildId, roles: [null] }],
  ] as const;
  for (const [name, data] of unreadable) discord.gateway.send(name, data);
  // They are meant to be what Discord never sends.
  await takeFaults();
  await discord.say({ user: 'ada', channel: '@', content: 'Still there?' });
  await heard('Still there?');
  const skipped = log.lines.filter(({ message }) => message.includes('could not be read'));
  expect(skipped.length).toBeGreaterThanOrEqual(2);
});

test('disposed while it connects, it gives up', async () => {
  await using server = await openServer();
  const { token, apiUrl } = server.discord.credentials;
  const commands = createRunner([]);
  const platform = createDiscordPlatform({ token, apiUrl, commands, log: createMemoryLog() });
  const started = platform.start(createFakeCore());
  await Promise.all([
    expect(started).rejects.toMatchObject({ kind: 'failed' }),
    platform[Symbol.asyncDispose](),
  ]);
});

test('a disposed platform has left the gateway', async () => {
  await using server = await openServer();
  const { platform } = await server.connect();
  expect(server.discord.gateway.connections).toBe(1);
  const closed = server.discord.changes.waitFor(
    (change) => change.kind === 'gateway' && change.event === 'closed',
  );
  await platform[Symbol.asyncDispose]();
  await closed;
  expect(server.discord.gateway.connections).toBe(0);
});
