import { once } from 'node:events';
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Events,
  type Interaction,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  SlashCommandBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { expect, test } from 'vitest';
import { openEvents, serveSandbox, startDiscordBot } from '../serve-sandbox.ts';

const guide = new File(['# Guide'], 'Anleitung für alle.md', { type: 'text/markdown' });

test('Discord: registered commands are offered, and given with typed options and files', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  const given: unknown[] = [];
  await using _ = await startCommands(served.sandbox, async (interaction) => {
    if (interaction.isAutocomplete()) {
      const typed = interaction.options.getFocused();
      await interaction.respond([{ name: `${typed}!`, value: `${typed}-1` }]);
    }
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply();
    given.push(interaction.options.data);
    const file = interaction.options.getAttachment('file');
    await interaction.editReply(`Learnt ${file?.size} bytes`);
  });
  const { body } = await get('/overview');
  expect(body).toMatchObject({
    discord: {
      connections: 1,
      commands: [
        {
          name: 'source',
          subcommand: 'upload',
          description: 'Teaches a file',
          fields: [
            { name: 'file', required: true, input: { kind: 'file', most: 1 } },
            { name: 'count', required: false, input: { kind: 'text', type: 'number' } },
            { name: 'loud', input: { kind: 'choice', options: [{ value: 'true' }, {}] } },
            { name: 'tag', input: { kind: 'text', completed: true } },
          ],
        },
        { name: 'feedback', fields: [] },
      ],
    },
  });

  const call = { user: 'ada', channel: '#general', name: 'source', subcommand: 'upload' };
  const edited = sandbox.discord.changes.waitFor(
    (change) => change.kind === 'message' && change.message.content === 'Learnt 7 bytes',
  );
  const options = { count: '3', loud: 'true', tag: '' };
  expect((await post('/discord/command', { ...call, options }, { file: guide })).body).toEqual({
    outcome: 'deferred',
  });
  await edited;
  const { body: shown } = await get('/discord/messages?user=grace&channel=%23general');
  expect(shown['messages']).toMatchObject([
    { command: { user: { name: 'ada', displayName: 'Ada' }, name: '/source upload' } },
  ]);
  expect(given).toMatchObject([
    [
      {
        name: 'upload',
        options: [{ name: 'count', value: 3 }, { name: 'loud', value: true }, { name: 'file' }],
      },
    ],
  ]);
  const completing = { ...call, options: { tag: 'no' }, focused: 'tag' };
  expect((await post('/discord/complete', completing)).body).toEqual({
    choices: [{ value: 'no-1', label: 'no!' }],
  });
  const wrong = { ...call, options: { count: 'three' } };
  expect((await post('/discord/command', wrong)).body).toEqual({
    error: 'count: three is not a number.',
  });
  expect((await post('/discord/command', call)).body).toEqual({
    error: '/source upload needs the option file.',
  });
});

test('Discord: a button opens a modal, whose answer only one person sees', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  await using bot = await startCommands(sandbox, openForm);
  const { client } = bot;
  const channel = sandbox.discord.channels().find(({ name }) => name === 'general');
  const general = await client.channels.fetch(channel?.id ?? '');
  if (!general?.isSendable()) throw new Error('The bot may not write in #general.');
  const button = new ButtonBuilder()
    .setCustomId('form')
    .setLabel('Feedback')
    .setStyle(ButtonStyle.Primary);
  const row = new ActionRowBuilder<ButtonBuilder>().addComponents(button);
  const { id } = await general.send({
    content: 'How was it?',
    embeds: [{ title: 'Answer', description: 'All of it' }],
    components: [row],
  });
  const read = async (user: string) =>
    (await get(`/discord/messages?user=${user}&channel=%23general`)).body['messages'];
  expect(await read('ada')).toMatchObject([
    {
      id,
      parts: [
        { kind: 'text', dialect: 'discord', text: 'How was it?' },
        { kind: 'card', parts: [{ kind: 'heading', text: 'Answer' }, { text: 'All of it' }] },
        { kind: 'controls', controls: [{ action: 'form', label: 'Feedback', style: 'primary' }] },
      ],
    },
  ]);

  const press = { user: 'ada', channel: '#general', message: id, action: 'form' };
  expect((await post('/discord/press', press)).body).toEqual({ outcome: 'modal' });
  const { body } = await get('/discord/modals?user=ada');
  const [form] = body['modals'] as { id: string }[];
  expect(form).toMatchObject({
    title: 'Feedback',
    items: [{ name: 'words', label: 'In words', input: { lines: true, least: 3 } }],
  });
  const at = { user: 'ada', modal: form?.id };
  expect((await post('/discord/submit', { ...at, values: { words: 'no' } })).body).toEqual({
    outcome: 'errors',
    errors: { words: 'In words needs at least 3 characters.' },
  });
  expect((await post('/discord/submit', { ...at, values: { words: 'fine' } })).body).toEqual({
    outcome: 'sent',
  });
  expect((await get('/discord/modals?user=ada')).body).toEqual({ modals: [] });
  expect(await read('ada')).toMatchObject([{}, { parts: [{ text: 'fine' }] }]);
  expect(await read('grace')).toHaveLength(1);

  await post('/discord/press', press);
  const open = (await get('/discord/modals?user=ada')).body['modals'] as { id: string }[];
  const closing = { user: 'ada', modal: open[0]?.id };
  expect(await post('/discord/close', closing)).toMatchObject({ status: 200 });
  expect(await post('/discord/close', closing)).toMatchObject({ status: 400 });

  await post('/discord/press', press);
  await post('/inspector/empty', {});
  expect((await get('/discord/modals?user=ada')).body).toEqual({ modals: [] });
});

test('Discord: a form that the bot does not answer stays open, and can be sent again', async () => {
  let isOver = false;
  const sleep = (_: number, signal?: AbortSignal) =>
    isOver ? Promise.resolve() : untilAborted(signal);
  await using served = await serveSandbox({ sleep });
  const { get, post } = served;
  let answers = false;
  await using _ = await startCommands(served.sandbox, async (interaction) => {
    if (!interaction.isModalSubmit() || answers) await openForm(interaction);
  });
  const at = { user: 'ada', channel: '#general' };
  expect((await post('/discord/command', { ...at, name: 'feedback' })).body).toEqual({
    outcome: 'modal',
  });
  const open = async () =>
    (await get('/discord/modals?user=ada')).body['modals'] as { id: string }[];
  const [form] = await open();
  const submission = { user: 'ada', modal: form?.id, values: { words: 'fine' } };
  isOver = true;
  expect((await post('/discord/submit', submission)).body).toMatchObject({ outcome: 'failed' });
  expect(await open()).toHaveLength(1);
  [isOver, answers] = [false, true];
  expect((await post('/discord/submit', submission)).body).toEqual({ outcome: 'sent' });
  expect(await open()).toEqual([]);
});

function untilAborted(signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('It was aborted.')), { once: true });
  });
}

test('Discord: the bot joins a server, leaves it and joins it again', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  await using bot = await startDiscordBot(sandbox);
  const { client } = bot;
  await using events = await openEvents(served.control);
  const first = { id: sandbox.discord.guildId, name: 'Causeway Sandbox' };
  const listed = async () => (await get('/overview')).body['discord'];
  expect(await listed()).toMatchObject({ workspaces: [first] });

  const joined = once(client, Events.GuildCreate);
  const { body } = await post('/discord/server', { name: 'Other', people: ['linus'] });
  const { server, channel } = body;
  expect(await joined).toMatchObject([{ id: server, name: 'Other' }]);
  expect(await events.next()).toEqual({ platform: 'discord', kind: 'workspaces' });
  expect(await listed()).toMatchObject({
    workspaces: [first, { id: server, name: 'Other' }],
    channels: expect.arrayContaining([
      expect.objectContaining({ id: channel, workspace: server, botAnswers: true }),
    ]),
  });

  const left = once(client, Events.GuildDelete);
  await post('/discord/remove', { server });
  expect(await left).toMatchObject([{ id: server }]);
  expect(await listed()).toMatchObject({ workspaces: [first] });
  expect(await post('/discord/remove', { server })).toEqual({
    status: 400,
    body: { error: 'Unknown Guild' },
  });

  const back = once(client, Events.GuildCreate);
  await post('/discord/invite', { server });
  expect(await back).toMatchObject([{ id: server }]);
});

test('Discord: the Message Content intent is switched off in the portal', async () => {
  await using served = await serveSandbox();
  const { post, sandbox } = served;
  await post('/discord/application', { messageContent: false });
  await expect(startDiscordBot(sandbox)).rejects.toThrow(/disallowed intents/);
});

test('Discord: a thread begins with the message it starts at', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  await using bot = await startDiscordBot(sandbox);
  bot.client.on(Events.MessageCreate, (message) => {
    if (!message.author.bot && !message.channel.isThread())
      void message.startThread({ name: 'Why' });
  });
  const opened = sandbox.discord.changes.waitFor((change) => change.kind === 'channel');
  const said = await post('/discord/say', { user: 'ada', channel: '#help', text: 'Why?' });
  const { id: thread, channel } = said.body['message'] as { id: string; channel: string };
  await opened;
  const reply = { user: 'grace', channel: '#help', thread, text: 'Because.' };
  expect((await post('/discord/say', reply)).body).toMatchObject({
    message: { channel, thread, inChannel: false },
  });
  const inThread = await get(`/discord/messages?user=ada&channel=%23help&thread=${thread}`);
  expect(inThread.body['messages']).toMatchObject([{ source: 'Why?' }, { source: 'Because.' }]);
  const inChannel = await get('/discord/messages?user=ada&channel=%23help');
  expect(inChannel.body['messages']).toMatchObject([{ source: 'Why?', threadLabel: 'Why' }]);
  expect((await get('/overview')).body).toMatchObject({
    discord: { threads: [{ id: thread, channel, name: 'Why', archived: false }] },
  });
});

const commands = [
  new SlashCommandBuilder()
    .setName('source')
    .setDescription('Sources')
    .addSubcommand((upload) =>
      upload
        .setName('upload')
        .setDescription('Teaches a file')
        .addAttachmentOption((file) =>
          file.setName('file').setDescription('The file').setRequired(true),
        )
        .addIntegerOption((count) => count.setName('count').setDescription('How many'))
        .addBooleanOption((loud) => loud.setName('loud').setDescription('Whether to tell all'))
        .addStringOption((tag) =>
          tag.setName('tag').setDescription('Its tag').setAutocomplete(true),
        ),
    ),
  new SlashCommandBuilder().setName('feedback').setDescription('Opens a form'),
];

/** A Discord bot with commands of the server. */
async function startCommands(
  sandbox: Parameters<typeof startDiscordBot>[0],
  handle: (interaction: Interaction) => Promise<unknown>,
) {
  const bot = await startDiscordBot(sandbox);
  const { client } = bot;
  await client.application.commands.set(commands, sandbox.discord.guildId);
  client.on(Events.InteractionCreate, (interaction) => void handle(interaction));
  return bot;
}

async function openForm(interaction: Interaction): Promise<void> {
  if (interaction.isButton() || interaction.isChatInputCommand()) {
    const words = new TextInputBuilder()
      .setCustomId('words')
      .setStyle(TextInputStyle.Paragraph)
      .setMinLength(3);
    const label = new LabelBuilder().setLabel('In words').setTextInputComponent(words);
    const modal = new ModalBuilder().setCustomId('feedback').setTitle('Feedback');
    await interaction.showModal(modal.addLabelComponents(label));
  } else if (interaction.isModalSubmit()) {
    const content = interaction.fields.getTextInputValue('words');
    await interaction.reply({ content, flags: MessageFlags.Ephemeral });
  }
}
