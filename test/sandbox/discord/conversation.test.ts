import { Events, type Message } from 'discord.js';
import { expect, test } from 'vitest';
import type { DiscordChange } from '../../../src/sandbox/discord/changes.ts';
import { channelId, runServer } from './server.ts';

/** Answers a mention in a thread and a direct message in place, in three steps. */
async function answer(message: Message): Promise<void> {
  if (message.author.bot || message.system) return;
  if (!message.channel.isSendable()) return;
  const isMention = message.mentions.has(message.client.user);
  if (message.inGuild() && !message.channel.isThread() && !isMention) return;
  const channel =
    message.inGuild() && !message.channel.isThread()
      ? await message.startThread({ name: 'Answer' })
      : message.channel;
  await channel.sendTyping();
  const reply = await channel.send('One');
  await reply.edit('One two');
  await reply.edit(`One two ${message.content.split(' ').at(-1)}`);
}

function isLast(text: string) {
  return (change: DiscordChange) => change.kind === 'message' && change.message.content === text;
}

test('discord.js logs in and finds the server with its channels, roles and people', async () => {
  await using server = await runServer();
  const client = await server.logIn();
  expect(client.user.username).toBe('causeway');
  const guild = client.guilds.cache.first();
  expect(guild?.name).toBe('Causeway Sandbox');
  expect(guild?.channels.cache.map(({ name }) => name)).toEqual([
    'general',
    'help',
    'readonly',
    'questions',
  ]);
  expect(guild?.roles.cache.map(({ name }) => name).toSorted()).toEqual([
    '@everyone',
    'Causeway',
    'Moderators',
  ]);
  const ada = await guild?.fetchOwner();
  expect(ada?.displayName).toBe('Ada');
  expect((await client.application.fetch()).name).toBe('Causeway');
});

test('a bot answers a mention in a thread, edits the answer, and continues in the thread', async () => {
  await using server = await runServer();
  const { discord } = server;
  const client = await server.logIn();
  client.on(Events.MessageCreate, (message) => void answer(message));

  const answered = discord.changes.waitFor(isLast('One two three?'));
  const asked = await discord.say({
    user: 'ada',
    channel: '#general',
    content: `<@${client.user.id}> three?`,
  });
  await answered;
  expect(discord.messages(asked.id)).toMatchObject([
    { content: 'One two three?', revisions: ['One', 'One two', 'One two three?'] },
  ]);
  expect(discord.threads(asked.channel)).toMatchObject([{ id: asked.id, name: 'Answer' }]);
  expect(discord.messages(asked.channel).at(-1)?.thread).toBe(asked.id);
  expect(discord.typing(asked.id)).toEqual([]);

  const again = discord.changes.waitFor(isLast('One two four?'));
  await discord.say({ user: 'ada', channel: asked.id, content: 'four?' });
  await again;
  expect(discord.messages(asked.id).map(({ content }) => content)).toEqual([
    'One two three?',
    'four?',
    'One two four?',
  ]);
});

test('a bot answers a direct message in its channel', async () => {
  await using server = await runServer();
  const { discord } = server;
  const client = await server.logIn();
  client.on(Events.MessageCreate, (message) => void answer(message));
  const answered = discord.changes.waitFor(isLast('One two hello'));
  await discord.say({ user: 'linus', channel: '@', content: 'hello' });
  await answered;
  const { id } = discord.directChannel('linus');
  expect(discord.messages(id).at(-1)?.author.bot).toBe(true);
});

test('a reply to the bot mentions it and refers to the original message', async () => {
  await using server = await runServer();
  const { discord } = server;
  const client = await server.logIn();
  const general = channelId(discord, 'general');
  const channel = await client.channels.fetch(general);
  if (!channel?.isSendable()) throw new Error('The bot may write in #general.');
  const sent = await channel.send('First');
  const received = new Promise<Message>((resolve) => {
    client.on(Events.MessageCreate, (message) => {
      if (!message.author.bot) resolve(message);
    });
  });
  await discord.say({ user: 'grace', channel: general, content: 'Really?', replyTo: sent.id });
  const message = await received;
  expect(message.mentions.repliedUser?.id).toBe(client.user.id);
  expect(message.mentions.has(client.user)).toBe(true);
  expect((await message.fetchReference()).content).toBe('First');
});
