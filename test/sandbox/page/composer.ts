import { type Client, Events, type Interaction, SlashCommandBuilder } from 'discord.js';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createManifest } from '../../../src/app/manifest.ts';
import { commandNames } from '../../fixtures/command-names.ts';
import { startDiscordBot } from '../serve-sandbox.ts';
import { startBot } from '../slack/start-bot.ts';
import {
  channel,
  expectSoon,
  guide,
  openPageIn,
  openPageOf,
  openSandbox,
  see,
  visit,
  write,
} from './open-page.ts';

const composer = (page: Page) => channel(page).getByRole('textbox');

/** The choices that are offered, and which of them Enter takes. */
const offered = (page: Page) =>
  expectSoon(() =>
    channel(page)
      .getByRole('option')
      .evaluateAll((options) => ({
        labels: options.map((option) => option.querySelector('strong')?.textContent),
        marked: options
          .find((option) => option.getAttribute('aria-selected') === 'true')
          ?.querySelector('strong')?.textContent,
      })),
  );

export function testComposer(): void {
  test('the composer completes the names of commands on Slack, nothing more, and rejects unknown commands', async () => {
    const { origin, sandbox } = await openSandbox();
    sandbox.slack.install(JSON.parse(createManifest(commandNames())));
    const given: string[] = [];
    await using _ = await startBot(sandbox.slack, (app) => {
      app.command(/./, async ({ ack, command }) => {
        given.push(command.text);
        await ack(`Done ${given.length}.`);
      });
    });
    const page = await openPageOf(origin);
    const text = composer(page);
    await text.pressSequentially('/');
    await offered(page).toEqual({ labels: ['/causeway', '/invite'], marked: '/causeway' });
    await text.press('Enter');
    await text.pressSequentially('source list --st');
    await offered(page).toEqual({ labels: [], marked: undefined });
    await text.pressSequentially('atus ready');
    await text.press('Enter');
    await see(channel(page), 'Done 1.');
    await write(channel(page), '/causeway');
    await see(channel(page), 'Done 2.');
    expect(given).toEqual(['source list --status ready', '']);

    await write(channel(page), '/sauce list');
    await see(channel(page), 'is not a valid command. In Slack, all messages that start with');
    await write(channel(page), ' /sauce list');
    await channel(page)
      .locator('.message .text', { hasText: /^\/sauce list$/ })
      .waitFor();
    expect(given).toHaveLength(2);

    await visit(page, 'Slack', 'random');
    await see(channel(page), 'Causeway is not in this channel');
    await channel(page).getByRole('button', { name: '/invite @causeway' }).click();
    await text.press('Enter');
    await see(channel(page), '@Causeway has joined the channel');
  });

  test('the composer completes a command’s required options on Discord where they are typed', async () => {
    const { origin, sandbox } = await openSandbox();
    await using bot = await startDiscordBot(sandbox);
    await teachDiscord(bot.client, sandbox.discord.guildId, [source]);
    const page = await openPageIn(origin, 'Discord', 'help');
    const text = composer(page);
    await text.pressSequentially('/na');
    await page.getByRole('option', { name: '/source name' }).click();
    await expectSoon(() => text.inputValue()).toBe('/source name old:');
    await text.pressSequentially('A guide');
    await offered(page).toEqual({ labels: ['new:'], marked: 'new:' });
    await text.press('Enter');
    await expectSoon(() => text.inputValue()).toBe('/source name old:A guide new:');
    await text.press('Enter');
    await see(page.getByRole('alert'), '/source name needs the option new');
    await text.pressSequentially('The guide');
    await offered(page).toEqual({ labels: [], marked: undefined });
    await text.press('Enter');
    await see(channel(page), 'Listed old=A guide new=The guide');

    await text.pressSequentially('/source upload');
    await offered(page).toEqual({ labels: ['/source upload'], marked: '/source upload' });
    await text.press('Enter');
    await offered(page).toEqual({ labels: ['file:', 'tag:'], marked: 'file:' });
    const choosing = page.waitForEvent('filechooser');
    await text.press('Enter');
    await (await choosing).setFiles(guide);
    await text.pressSequentially('tag:docs');
    await text.press('Enter');
    await see(channel(page), 'Learnt guide.md for docs');
    await see(channel(page), 'Ada used /source upload');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await write(channel(page), '/nothing');
    const toast = page.getByRole('alert');
    await expectSoon(() => toast.getByText('There is no command /nothing').textContent()).toContain(
      'Available commands: /source upload, /source name.',
    );
    await channel(page).locator('input[type=file]').setInputFiles(guide);
    await write(channel(page), '/source upload tag:more docs');
    await see(channel(page), 'Learnt guide.md for more docs');
  });

  test('the composer completes optional options on Discord by name, and runs commands without required ones', async () => {
    const { origin, sandbox } = await openSandbox();
    await using bot = await startDiscordBot(sandbox);
    await teachDiscord(bot.client, sandbox.discord.guildId, [list, help]);
    const page = await openPageIn(origin, 'Discord', 'readonly');
    await see(channel(page), 'Causeway can’t write here');
    await expectSoon(() => channel(page).locator('.hint').getByRole('button').count()).toBe(0);

    await visit(page, 'Discord', 'help');
    const text = composer(page);
    await text.pressSequentially('/l');
    await offered(page).toEqual({ labels: ['/list'], marked: '/list' });
    await text.press('Enter');
    await offered(page).toEqual({ labels: ['by:', 'tags:', 'loud:'] });
    await text.pressSequentially('by:@gra');
    await offered(page).toEqual({ labels: ['Grace'], marked: 'Grace' });
    await text.press('Enter');
    await text.pressSequentially('tags:oil');
    await offered(page).toMatchObject({ marked: 'Oil lamps, all' });
    await text.press('Enter');
    await expectSoon(() => text.inputValue()).toBe('/list by:Grace tags:Oil lamps, all ');
    await offered(page).toMatchObject({ labels: ['loud:'] });
    await text.press('Enter');
    await text.fill('/list tags:');
    await offered(page).toMatchObject({ marked: 'Oil lamps, all' });
    // Typed before there are choices for it.
    await page.evaluate(`document.activeElement.setRangeText('oil', 11, 11, 'end')`);
    await text.press('Enter');
    await expectSoon(() => text.inputValue()).toBe('/list tags:Oil lamps, all ');
    await text.fill('/list lamps sold by');
    await offered(page).toEqual({ labels: ['by:'] });
    await text.fill('');
    const grace = sandbox.discord.users().find(({ username }) => username === 'grace');
    await see(channel(page), `Listed by=${grace?.id} tags=uuid-1`);
    await see(channel(page), 'Ada used /list');
    await write(channel(page), '/list tags:Oil lamps, all, wicks loud:TRUE');
    await see(channel(page), 'Listed tags=uuid-1, wicks loud=true');
    await text.pressSequentially('/he');
    await page.getByRole('option', { name: '/help' }).click();
    await text.press('Enter');
    await see(channel(page), 'Listed nothing');
    await write(channel(page), '/help me');
    await see(page.getByRole('alert'), '/help has no option for “me”');
  });
}

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
      .addStringOption((tag) => tag.setName('tag').setDescription('Its tag')),
  )
  .addSubcommand((rename) =>
    rename
      .setName('name')
      .setDescription('Names it anew')
      .addStringOption((old) => old.setName('old').setDescription('Old').setRequired(true))
      .addStringOption((name) => name.setName('new').setDescription('New').setRequired(true)),
  );
const list = new SlashCommandBuilder()
  .setName('list')
  .setDescription('Lists')
  .addUserOption((by) => by.setName('by').setDescription('Whose'))
  .addStringOption((tags) =>
    tags.setName('tags').setDescription('Their tags').setAutocomplete(true),
  )
  .addBooleanOption((loud) => loud.setName('loud').setDescription('Whether to shout'));
const help = new SlashCommandBuilder().setName('help').setDescription('Helps');

type Registered = Parameters<Client<true>['application']['commands']['set']>[0];

/** Registers commands and answers them. */
async function teachDiscord(client: Client<true>, guild: string, taught: Registered) {
  await client.application.commands.set(taught, guild);
  client.on(Events.InteractionCreate, (interaction) => void answerCommand(interaction));
}

async function answerCommand(interaction: Interaction): Promise<void> {
  if (interaction.isAutocomplete()) {
    await interaction.respond([{ name: 'Oil lamps, all', value: 'uuid-1' }]);
  }
  if (!interaction.isChatInputCommand()) return;
  await interaction.deferReply();
  const { options } = interaction;
  const file = options.getAttachment('file');
  const data = options.data.flatMap((option) => option.options ?? option);
  const given = data.map(({ name, value }) => `${name}=${value}`).join(' ');
  const learnt = `Learnt ${file?.name} for ${options.getString('tag')}`;
  await interaction.editReply(file ? learnt : `Listed ${given || 'nothing'}`);
}
