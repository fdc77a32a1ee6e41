import {
  ApplicationCommandType,
  ApplicationFlags,
  ContextMenuCommandBuilder,
  Events,
  GatewayIntentBits,
  type Interaction,
  type Message,
  Routes,
} from 'discord.js';
import { expect, test } from 'vitest';
import { channelId, runServer } from './server.ts';

const { Guilds, GuildMessages, DirectMessages } = GatewayIntentBits;
const file = { name: 'a.txt', bytes: Buffer.from('a') };
const full = { content: 'Ours', files: 1 };
const empty = { content: '', files: 0 };

/** A bot whose application may not read messages, in #general. */
async function runWithoutIntent() {
  const server = await runServer();
  const { discord } = server;
  discord.changeApplication({ messageContent: false });
  const client = await server.logIn({ intents: [Guilds, GuildMessages, DirectMessages] });
  const general = channelId(discord, 'general');
  return Object.assign(server, {
    client,
    general,
    mention: `<@${discord.credentials.applicationId}>`,
    say: (content: string, more: { channel?: string; replyTo?: string } = {}) =>
      discord.say({ user: 'ada', channel: '#general', content, files: [file], ...more }),
    /** What the next message says over the gateway and, once it is there, over REST. */
    next: () =>
      new Promise<{ gateway: object; rest: object }>((resolve) => {
        client.once(Events.MessageCreate, (message) => resolve(showBoth(message)));
      }),
    /** The messages of #general over REST, newest first. */
    async readAll() {
      return (await server.rest().get(Routes.channelMessages(general))) as object[];
    },
  });
}

async function showBoth(message: Message) {
  const read = await message.channel.messages.fetch({ message: message.id, force: true });
  return { gateway: show(message), rest: show(read) };
}

function show({ content, attachments }: Message) {
  return { content, files: attachments.size };
}

test('without the intent, messages are empty over the gateway and over REST', async () => {
  await using server = await runWithoutIntent();
  const next = server.next();
  await server.say('Ours');
  expect(await next).toEqual({ gateway: empty, rest: empty });
  server.discord.changeApplication({ messageContent: true });
  const [read] = await server.readAll();
  expect(read).toMatchObject({ content: 'Ours', attachments: [{}] });
});

test('without the intent, messages that mention the bot and direct ones can be read', async () => {
  await using server = await runWithoutIntent();
  const mentioning = server.next();
  const content = `${server.mention} Ours`;
  await server.say(content);
  const read = { ...full, content };
  expect(await mentioning).toEqual({ gateway: read, rest: read });
  const direct = server.next();
  await server.say('Ours', { channel: '@' });
  expect(await direct).toEqual({ gateway: full, rest: full });
});

test('without the intent, the bot reads its own messages, and replies that ping it', async () => {
  await using server = await runWithoutIntent();
  const { client, general } = server;
  const own = server.next();
  const channel = await client.channels.fetch(general);
  if (!channel?.isSendable()) throw new Error('The bot can’t write in #general.');
  const embeds = [{ description: 'Described' }];
  const { id } = await channel.send({
    content: 'Ours',
    files: [{ attachment: file.bytes }],
    embeds,
  });
  expect(await own).toEqual({ gateway: full, rest: full });
  const answer = server.next();
  await server.say('Ours', { replyTo: id });
  expect(await answer).toEqual({ gateway: full, rest: full });
  const [, posted] = await server.readAll();
  expect(posted).toMatchObject({ content: 'Ours', embeds: [{ description: 'Described' }] });
});

test('without the intent, what a message answers is empty unless it is the bot’s', async () => {
  await using server = await runWithoutIntent();
  const { id } = await server.say('Not for the bot');
  const next = new Promise<object>((resolve) => {
    server.client.on(Events.Raw, ({ t, d }) => {
      if (t === 'MESSAGE_CREATE' && d.referenced_message) resolve(d);
    });
  });
  await server.say(`${server.mention} Look at this`, { replyTo: id });
  const answered = { referenced_message: { id, content: '', attachments: [] } };
  expect(await next).toMatchObject(answered);
  const [read] = await server.readAll();
  expect(read).toMatchObject(answered);
});

test('without the intent, a message can be read by its command', async () => {
  await using server = await runWithoutIntent();
  const { discord, client } = server;
  const command = new ContextMenuCommandBuilder()
    .setName('Ask')
    .setType(ApplicationCommandType.Message);
  await client.application.commands.set([command]);
  const target = new Promise<Message>((resolve) => {
    client.once(Events.InteractionCreate, (used: Interaction) => {
      if (used.isMessageContextMenuCommand()) resolve(used.targetMessage);
    });
  });
  const { id } = await server.say('Ours');
  discord.messageCommand({ user: 'ada', message: id, name: 'Ask' });
  expect(show(await target)).toEqual(full);
});

test('the application’s flags say whether the intent is granted, and whether it was reviewed', async () => {
  await using server = await runServer();
  const { discord } = server;
  const flags = async () => {
    const read = await server.rest().get(Routes.currentApplication());
    return (read as { flags: number }).flags;
  };
  expect(await flags()).toBe(ApplicationFlags.GatewayMessageContentLimited);
  discord.changeApplication({ isReviewed: true });
  expect(await flags()).toBe(ApplicationFlags.GatewayMessageContent);
  discord.changeApplication({ messageContent: false });
  expect(await flags()).toBe(0);
});
