import { Collection, type Message, MessageType } from 'discord.js';
import { expect, test } from 'vitest';
import { createContext } from '../../../src/bridge/discord/context.ts';
import { toIncomingMessage } from '../../../src/bridge/discord/incoming-message.ts';
import { isWritten } from '../../../src/bridge/discord/message-text.ts';
import { silentLog } from '../../fixtures/log.ts';
import { createRunner, openServer } from './open-server.ts';

const ada = { id: '2', displayName: 'Ada', bot: false, system: false };
const bot = { id: '1', displayName: 'Causeway', bot: true, system: false };

/** A message of a server's channel, as far as it is looked at. */
function createMessage(change: object): Message {
  const channel = {
    id: '10',
    guildId: '20',
    isDMBased: () => false,
    isThread: () => false,
  };
  const mentions = { users: new Collection(), roles: new Collection(), members: null };
  const client = { user: bot, channels: { cache: new Collection() } };
  return {
    id: '30',
    type: MessageType.Default,
    content: 'Hello',
    author: ada,
    webhookId: null,
    member: null,
    guild: null,
    channel,
    mentions,
    attachments: new Collection(),
    messageSnapshots: new Collection(),
    client,
    ...change,
  } as unknown as Message;
}

async function read(message: Message) {
  const options = { token: 'a.b.c', commands: createRunner([]), log: silentLog };
  const discord = createContext(options, new AbortController().signal);
  using _ = discord.rest;
  return await toIncomingMessage(message, () => undefined, discord);
}

test.each([
  ['a bot', { author: { ...ada, bot: true } }],
  ['a webhook', { webhookId: '5' }],
  ['Discord itself', { author: { ...ada, system: true } }],
  ['a new thread', { type: MessageType.ThreadCreated }],
  ['the start of a thread', { type: MessageType.ThreadStarterMessage }],
  ['a command', { type: MessageType.ChatInputCommand }],
  ['a new member', { type: MessageType.UserJoin }],
])('a message of %s counts as written by nobody', (_, change) => {
  expect(isWritten(createMessage(change))).toBe(false);
});

test('a reply to the bot that does not ping it is overheard', async () => {
  const reply = createMessage({ type: MessageType.Reply });
  expect(await read(reply)).toMatchObject({ addressed: 'overheard' });
});

test('a reply to the bot that pings it is a mention', async () => {
  const users = new Collection([[bot.id, bot]]);
  const mentions = { users, roles: new Collection(), members: null };
  const reply = createMessage({ type: MessageType.Reply, mentions });
  expect(await read(reply)).toMatchObject({
    addressed: 'mention',
    text: 'Hello',
  });
});

test('a reply in Discord pings as it does there', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const { heard } = await server.connect();
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} First?` });
  const { thread } = await heard('First?');
  const { id } = await thread.post({ markdown: 'First.' });
  const channel = thread.address.thread;
  await discord.say({ user: 'ada', channel, content: 'Really?', replyTo: id });
  expect(await heard('Really?')).toMatchObject({ addressed: 'mention' });
});

test('a mention of the bot’s managed role mentions the bot', async () => {
  await using server = await openServer();
  const { discord } = server;
  const { heard } = await server.connect();
  const own = discord.roles().find(({ managed }) => managed);
  const other = discord.roles().find(({ name }) => name === 'Moderators');
  await discord.say({ user: 'ada', channel: '#general', content: `<@&${own?.id}> Role?` });
  expect(await heard('Role?')).toMatchObject({ addressed: 'mention' });
  await discord.say({ user: 'ada', channel: '#general', content: `<@&${other?.id}> You?` });
  expect(await heard('@Moderators You?')).toMatchObject({ addressed: 'overheard' });
});
