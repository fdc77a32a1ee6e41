import { ApplicationFlags, GatewayIntentBits, Routes, Events, GuildMemberFlags } from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runServer, type RunningServer, channelId } from './server.ts';
import { serveSandbox } from '../serve-sandbox.ts';

let server: RunningServer;

beforeAll(async () => {
  server = await runServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test('the application shows its settings in the developer portal', async () => {
  const read = async () => (await server.rest().get(Routes.currentApplication())) as object;
  const limited = ApplicationFlags.GatewayMessageContentLimited;
  expect(await read()).toMatchObject({ flags: limited, bot_public: true });
  server.discord.changeApplication({ messageContent: false, isPublic: false });
  expect(await read()).toMatchObject({ flags: 0, bot_public: false });
});

test('the gateway refuses an intent that is off in the developer portal', async () => {
  server.discord.changeApplication({ messageContent: false });
  const { MessageContent } = GatewayIntentBits;
  await expect(server.logIn({ intents: [MessageContent] })).rejects.toThrow(/disallowed intents/);
  server.discord.changeApplication({ messageContent: true });
  const client = await server.logIn({ intents: [MessageContent] });
  expect(client.isReady()).toBe(true);
});

test('the bot lists its servers with its permissions there', async () => {
  const list = () => server.rest().get(Routes.userGuilds());
  const { guildId } = server.discord;
  server.discord.setBotPermissions(1n << 10n);
  expect(await list()).toMatchObject([{ id: guildId, owner: false, permissions: '1024' }]);
  server.discord.removeBot();
  expect(await list()).toEqual([]);
});

test('the bot is not told of a private thread that it is not in', async () => {
  await using server = await runServer();
  const { discord } = server;
  const early = await server.logIn();
  const opened = { user: 'ada', channel: '#general', name: 'Secret', withoutBot: true };
  const { id } = discord.openPrivateThread(opened);
  const heard = new Promise((resolve) => {
    early.once(Events.MessageCreate, resolve);
  });
  await discord.say({ user: 'ada', channel: id, content: 'Nobody else hears this' });
  await discord.say({ user: 'ada', channel: '#general', content: 'Hello' });
  expect(await heard).toMatchObject({ content: 'Hello' });
  const late = await server.logIn();
  for (const { channels } of [early, late]) expect(channels.cache.has(id)).toBe(false);
  await expect(late.channels.fetch(id)).rejects.toMatchObject({ code: 50_001 });
});

test('only members and moderators can read and write in a private thread', async () => {
  await using server = await runServer();
  const { discord } = server;
  const client = await server.logIn();
  const idOf = (name: string) => discord.users().find((user) => user.username === name)?.id ?? '';
  const created = new Promise((resolve) => {
    client.once(Events.ThreadCreate, ({ id }) => resolve(id));
  });
  const opened = { user: 'ada', channel: '#general', name: 'Secret', people: ['linus'] };
  const { id } = discord.openPrivateThread(opened);
  expect(await created).toBe(id);
  const member = (user: string) => server.rest().get(Routes.threadMembers(id, user));
  expect(await member(idOf('linus'))).toMatchObject({ id, user_id: idOf('linus') });
  await expect(member(idOf('grace'))).rejects.toMatchObject({ code: 10_007, status: 404 });
  for (const user of ['linus', 'grace']) {
    await discord.say({ user, channel: id, content: `I am ${user}` });
  }
  discord.leaveThread(id, 'linus');
  await expect(member(idOf('linus'))).rejects.toMatchObject({ code: 10_007 });
  const said = discord.say({ user: 'linus', channel: id, content: 'Still here?' });
  await expect(said).rejects.toMatchObject({ code: 50_001 });
});

test('the control API opens a private thread and removes a person from it', async () => {
  await using served = await serveSandbox();
  const { post, sandbox } = served;
  const at = { user: 'ada', channel: '#general' };
  const { body } = await post('/discord/private-thread', {
    ...at,
    name: 'Secret',
    people: ['linus'],
  });
  const thread = String(body['thread']);
  const say = (user: string) => post('/discord/say', { ...at, user, thread, text: `I am ${user}` });
  expect((await say('linus')).status).toBe(200);
  expect((await post('/discord/leave-thread', { user: 'linus', thread })).body).toEqual({});
  expect((await say('linus')).status).toBe(400);
  expect(sandbox.discord.messages(thread).map(({ content }) => content)).toEqual(['I am linus']);
  const unknown = await post('/discord/private-thread', { ...at, name: 'Secret', people: ['bob'] });
  expect(unknown.status).toBe(400);
});

test('the bot leaves a server and gets the event for it', async () => {
  await using server = await runServer();
  const { discord } = server;
  const { id } = discord.addServer('Other', ['linus']);
  const client = await server.logIn();
  const left = new Promise((resolve) => {
    client.once(Events.GuildDelete, (guild) => resolve(guild.name));
  });
  await client.guilds.cache.get(id)?.leave();
  expect(await left).toBe('Other');
  const leave = () => server.rest().delete(Routes.userGuild(id));
  await expect(leave()).rejects.toMatchObject({ code: 10_004 });
});

test('a guest has a flag, and a person who left is not a member', async () => {
  await using server = await runServer();
  const { discord } = server;
  const client = await server.logIn();
  discord.makeGuest('linus');
  const message = new Promise<boolean | undefined>((resolve) => {
    client.once(Events.MessageCreate, ({ member }) =>
      resolve(member?.flags.has(GuildMemberFlags.IsGuest)),
    );
  });
  const channel = channelId(discord, 'general');
  const { author } = await discord.say({ user: 'linus', channel, content: 'Hi' });
  expect(await message).toBe(true);
  discord.leave('linus');
  const member = server.rest().get(Routes.guildMember(discord.guildId, author.id));
  await expect(member).rejects.toMatchObject({ code: 10_007 });
});
