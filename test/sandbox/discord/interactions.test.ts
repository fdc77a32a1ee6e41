import {
  ActionRowBuilder,
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  type Client,
  Events,
  FileUploadBuilder,
  type Interaction,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  SlashCommandBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { expect, test } from 'vitest';
import { channelId, runServer, type RunningServer } from './server.ts';

const source = new SlashCommandBuilder()
  .setName('source')
  .setDescription('Sources')
  .addSubcommand((upload) =>
    upload
      .setName('upload')
      .setDescription('Teaches a file')
      .addAttachmentOption((file) =>
        file.setName('file').setDescription('The file').setRequired(true),
      )
      .addStringOption((tag) => tag.setName('tag').setDescription('Its tag').setAutocomplete(true)),
  );
const ask = new SlashCommandBuilder()
  .setName('ask')
  .setDescription('Asks')
  .addStringOption((question) =>
    question.setName('question').setDescription('What to ask').setMinLength(2),
  );

const pdf = {
  name: 'plan.pdf',
  bytes: new TextEncoder().encode('%PDF plan'),
  type: 'application/pdf',
};

async function startBot(
  server: RunningServer,
  handle: (interaction: Interaction) => Promise<unknown>,
): Promise<Client<true>> {
  const client = await server.logIn();
  await client.application.commands.set([source, ask], server.discord.guildId);
  client.on(Events.InteractionCreate, (interaction) => void handle(interaction));
  return client;
}

function upload(file: typeof pdf) {
  return {
    user: 'grace',
    channel: '#general',
    name: 'source',
    options: [{ name: 'upload', options: [{ name: 'file', file }] }],
  };
}

test('a bot defers a command with a file, and edits its answer', async () => {
  await using server = await runServer();
  const { discord } = server;
  const downloaded = Promise.withResolvers<string>();
  await startBot(server, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply();
    const file = interaction.options.getAttachment('file', true);
    downloaded.resolve(await (await fetch(file.url)).text());
    await interaction.editReply(`Learnt ${file.name} in ${interaction.options.getSubcommand()}`);
    await interaction.followUp({ content: 'Only for you', flags: MessageFlags.Ephemeral });
  });
  const followed = discord.changes.waitFor(
    (change) => change.kind === 'message' && change.message.content === 'Only for you',
  );
  const { acknowledgement } = await discord.command(upload(pdf));
  expect(await acknowledgement).toMatchObject({
    kind: 'deferred',
    message: { content: '', flags: MessageFlags.Loading },
  });
  expect(await downloaded.promise).toBe('%PDF plan');
  await followed;
  const grace = discord.users().find(({ username }) => username === 'grace');
  expect(discord.messages(channelId(discord, 'general'))).toMatchObject([
    { content: 'Learnt plan.pdf in upload', flags: 0, revisions: ['Learnt plan.pdf in upload'] },
    { content: 'Only for you', ephemeralFor: grace?.id },
  ]);
});

test('an interaction tells the person’s language, and that of the server', async () => {
  await using server = await runServer();
  const { discord } = server;
  const told = Promise.withResolvers<unknown>();
  await startBot(server, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    told.resolve([interaction.locale, interaction.guildLocale]);
    await interaction.reply('Hallo');
  });
  await (
    await discord.command({ ...upload(pdf), user: 'konrad' })
  ).acknowledgement;
  expect(await told.promise).toEqual(['de', 'en-US']);
});

test('a bot answers a command at once with a file, and deletes the answer', async () => {
  await using server = await runServer();
  const { discord } = server;
  await startBot(server, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    const file = new AttachmentBuilder(Buffer.from('a,b'), { name: 'table.csv' });
    const { resource } = await interaction.reply({ files: [file], withResponse: true });
    expect(resource?.message?.attachments.first()?.name).toBe('table.csv');
    await interaction.deleteReply();
  });
  const removed = discord.changes.waitFor(
    (change) => change.kind === 'message' && change.event === 'removed',
  );
  const { acknowledgement } = await discord.command({ user: 'ada', channel: '#help', name: 'ask' });
  expect(await acknowledgement).toMatchObject({
    kind: 'message',
    message: { attachments: [{ filename: 'table.csv', size: 3 }] },
  });
  await removed;
  expect(discord.messages(channelId(discord, 'help'))).toEqual([]);
});

test('a bot completes an option', async () => {
  await using server = await runServer();
  await startBot(server, async (interaction) => {
    if (!interaction.isAutocomplete()) return;
    const typed = interaction.options.getFocused();
    await interaction.respond([{ name: `${typed}…`, value: typed }]);
  });
  const choices = await server.discord.autocomplete({
    user: 'grace',
    channel: '#general',
    name: 'source',
    options: [{ name: 'upload', options: [{ name: 'tag', value: 'no', focused: true }] }],
  });
  expect(choices).toEqual([{ name: 'no…', value: 'no' }]);
});

test('a command that does not exist or fit is refused with the reason', async () => {
  await using server = await runServer();
  const { discord } = server;
  await startBot(server, () => Promise.resolve());
  const give = (name: string, options: object[] = []) =>
    discord.command({ user: 'linus', channel: '#general', name, options: options as never });
  await expect(discord.command({ user: 'linus', channel: '@', name: 'ask' })).rejects.toThrow(
    'There is no command /ask. Registered: none.',
  );
  await expect(give('nothing')).rejects.toThrow(
    'There is no command /nothing. Registered: /source, /ask.',
  );
  await expect(give('source')).rejects.toThrow('/source needs one of: upload.');
  await expect(give('source', [{ name: 'upload' }])).rejects.toThrow('needs the option file');
  await expect(give('ask', [{ name: 'question', value: 'a' }])).rejects.toThrow('at least 2');
  await expect(give('ask', [{ name: 'question', value: 5 }])).rejects.toThrow('must be a string');
  await expect(give('ask', [{ name: 'other', value: 'a' }])).rejects.toThrow('no option other');
});

test('a modal accepts a file and a text within its limits', async () => {
  await using server = await runServer();
  const { discord } = server;
  await startBot(server, async (interaction) => {
    if (interaction.isChatInputCommand()) {
      const modal = new ModalBuilder()
        .setCustomId('upload')
        .setTitle('Teach a file')
        .addLabelComponents(
          new LabelBuilder()
            .setLabel('Name')
            .setTextInputComponent(
              new TextInputBuilder().setCustomId('name').setStyle(TextInputStyle.Short),
            ),
          new LabelBuilder()
            .setLabel('File')
            .setFileUploadComponent(new FileUploadBuilder().setCustomId('file')),
        );
      await interaction.showModal(modal);
    }
    if (!interaction.isModalSubmit()) return;
    const name = interaction.fields.getTextInputValue('name');
    const file = interaction.fields.getUploadedFiles('file', true).first();
    await interaction.reply(`${name}: ${file?.name} of ${file?.size} bytes`);
  });
  const { id, acknowledgement } = await discord.command({
    user: 'ada',
    channel: '#general',
    name: 'ask',
  });
  expect(await acknowledgement).toMatchObject({
    kind: 'modal',
    modal: { id, title: 'Teach a file' },
  });
  const submit = (values: Record<string, string>, files: (typeof pdf)[]) =>
    discord.submit({ user: 'ada', modal: id, values, files: { file: files } });
  await expect(submit({ name: 'Plan' }, [])).rejects.toThrow('File needs at least 1 files.');
  await expect(submit({ other: 'Plan' }, [pdf])).rejects.toThrow('no input other');
  const sent = await submit({ name: 'Plan' }, [pdf]);
  expect(await sent.acknowledgement).toMatchObject({
    kind: 'message',
    message: { content: 'Plan: plan.pdf of 9 bytes' },
  });
  await expect(submit({ name: 'Plan' }, [pdf])).rejects.toThrow('No form of that id is open');
});

test('a bot updates the message of a button that is pressed', async () => {
  await using server = await runServer();
  const { discord } = server;
  const client = await startBot(server, async (interaction) => {
    if (!interaction.isButton()) return;
    await interaction.update({
      content: `${interaction.user.displayName} said yes`,
      components: [],
    });
  });
  const general = channelId(discord, 'general');
  const channel = await client.channels.fetch(general);
  if (!channel?.isSendable()) throw new Error('The bot may write in #general.');
  const yes = new ButtonBuilder().setCustomId('yes').setLabel('Yes').setStyle(ButtonStyle.Primary);
  const { id: message } = await channel.send({
    content: 'Well?',
    components: [new ActionRowBuilder<ButtonBuilder>().addComponents(yes)],
  });
  expect(() => discord.press({ user: 'linus', message, customId: 'no' })).toThrow(
    'no component no',
  );
  const { acknowledgement } = discord.press({ user: 'linus', message, customId: 'yes' });
  expect(await acknowledgement).toMatchObject({ kind: 'updated' });
  expect(discord.messages(general)).toMatchObject([{ content: 'Linus said yes', components: [] }]);
});

test('a bot can acknowledge once within three seconds, and answer within 15 minutes', async () => {
  let time = Date.now();
  await using server = await runServer({ now: () => time });
  const { discord } = server;
  const received: Interaction[] = [];
  const arrived = new EventTarget();
  await startBot(server, (interaction) => {
    received.push(interaction);
    arrived.dispatchEvent(new Event('interaction'));
    return Promise.resolve();
  });
  const receive = async () => {
    const next = new Promise((resolve) => {
      arrived.addEventListener('interaction', resolve, { once: true });
    });
    await discord.command({ user: 'ada', channel: '#general', name: 'ask' });
    await next;
    const interaction = received.at(-1);
    if (!interaction?.isChatInputCommand()) throw new Error('A command was given.');
    return interaction;
  };
  const late = await receive();
  time += 3_001;
  await expect(late.reply('Late')).rejects.toMatchObject({ code: 10062, status: 404 });

  const interaction = await receive();
  await interaction.deferReply();
  const path = `/interactions/${interaction.id}/${interaction.token}/callback`;
  const twice = await server.call('POST', path, { type: 4, data: { content: 'Twice' } });
  expect([twice.status, await twice.json()]).toMatchObject([400, { code: 40060 }]);
  await interaction.editReply('In time');
  time += 15 * 60 * 1000;
  await expect(interaction.editReply('Too late')).rejects.toMatchObject({ code: 50027 });
  expect(discord.messages(channelId(discord, 'general'))).toMatchObject([{ content: 'In time' }]);
});

test('the first followup after a deferral replaces the loading message', async () => {
  await using server = await runServer();
  const { discord } = server;
  await startBot(server, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply();
    await interaction.followUp('First');
    await interaction.followUp('Second');
  });
  const done = discord.changes.waitFor(
    (change) => change.kind === 'message' && change.message.content === 'Second',
  );
  await discord.command({ user: 'ada', channel: '#general', name: 'ask' });
  await done;
  const messages = discord.messages(channelId(discord, 'general'));
  expect(messages.map(({ content }) => content)).toEqual(['First', 'Second']);
});

test('a person who sees a select can choose one of its values', async () => {
  await using server = await runServer();
  const { discord } = server;
  const chosen = new StringSelectMenuBuilder()
    .setCustomId('tag')
    .addOptions({ label: 'One', value: '1' }, { label: 'Two', value: '2' });
  await startBot(server, async (interaction) => {
    if (interaction.isChatInputCommand()) {
      await interaction.reply({
        components: [new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(chosen)],
        flags: MessageFlags.Ephemeral,
      });
    }
    if (!interaction.isStringSelectMenu()) return;
    await interaction.deferUpdate();
    await interaction.editReply({ content: `Chose ${interaction.values[0]}`, components: [] });
  });
  const asked = await discord.command({ user: 'ada', channel: '#general', name: 'ask' });
  const answer = await asked.acknowledgement;
  if (answer.kind !== 'message') throw new Error('The bot answered with a message.');
  const choose = (user: string, values: string[]) =>
    discord.press({ user, message: answer.message.id, customId: 'tag', values });
  expect(() => choose('linus', ['2'])).toThrow('Unknown Message');
  expect(() => choose('ada', ['3'])).toThrow('no option 3');
  expect(() => choose('ada', ['1', '2'])).toThrow('takes 1 to 1 options');
  const edited = discord.changes.waitFor(
    (change) => change.kind === 'message' && change.message.content === 'Chose 2',
  );
  expect(await choose('ada', ['2']).acknowledgement).toEqual({ kind: 'deferred-update' });
  await edited;
});

test('the person sees that the application did not respond', async () => {
  const waits: number[] = [];
  await using server = await runServer({
    sleep: (milliseconds) => {
      waits.push(milliseconds);
      return Promise.resolve();
    },
  });
  const { discord } = server;
  await startBot(server, () => Promise.resolve());
  const { acknowledgement } = await discord.command({
    user: 'ada',
    channel: '#general',
    name: 'ask',
  });
  expect(await acknowledgement).toEqual({
    kind: 'failed',
    reason: 'The application did not respond',
  });
  expect(waits).toEqual([3000]);
});
