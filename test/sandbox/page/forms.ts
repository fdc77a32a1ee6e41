import type { App } from '@slack/bolt';
import {
  type Client,
  Events,
  FileUploadBuilder,
  type Interaction,
  LabelBuilder,
  ModalBuilder,
  SlashCommandBuilder,
} from 'discord.js';
import { expect, test } from 'vitest';
import { startDiscordBot } from '../serve-sandbox.ts';
import { startBot } from '../slack/start-bot.ts';
import {
  channel,
  expectSoon,
  guide,
  openPage,
  openPageIn,
  openSandbox,
  see,
  write,
} from './open-page.ts';

export function testForms(): void {
  test('a modal on Slack says what is wrong at its field, until it is corrected, and is sent with a file', async () => {
    const { page, sandbox } = await openPage();
    await using _ = await startBot(sandbox.slack, takeSources);
    await write(channel(page), '/source upload');
    const form = page.getByRole('dialog', { name: 'Add a source' });
    const title = form.getByLabel('Title');
    await title.fill('taken');
    await form.getByLabel('File').dispatchEvent('cancel', {}, {});
    await form.getByLabel('File').setInputFiles(guide);
    const search = form.getByRole('combobox', { name: 'Tags' });
    await search.pressSequentially('oil');
    const found = form.getByRole('option');
    await expectSoon(() =>
      found.filter({ hasText: 'oil lamp' }).getAttribute('aria-selected'),
    ).toBe('true');
    await search.press('ArrowDown');
    // A late answer with the same choices leaves the chosen one marked.
    const late = page.waitForResponse((answer) => answer.url().endsWith('/suggest'));
    await search.press('Space');
    await (await late).finished();
    await search.press('Enter');
    await form.getByRole('button', { name: 'Remove oil press' }).waitFor();
    await search.press('Enter');
    await search.fill('nothing');
    await see(form, 'No results');
    await search.press('Enter');
    await search.press('Escape');
    await expectSoon(() => form.getByText('There is one of this name.').count()).toBe(0);

    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await see(form, 'There is one of this name.');
    await expectSoon(() => title.getAttribute('aria-invalid')).toBe('true');
    await title.pressSequentially('!');
    await form.getByText('There is one of this name.').waitFor({ state: 'hidden' });
    await expectSoon(() => title.getAttribute('aria-invalid')).toBe(null);
    await title.fill('new');
    await title.press('Enter');
    await form.waitFor({ state: 'hidden' });
    await page.keyboard.type('Thanks');
    await expectSoon(() => channel(page).getByRole('textbox').inputValue()).toBe('Thanks');
    await see(channel(page), 'Learnt guide.md as new for oil press');
    await see(channel(page), 'Only visible to you');
  });

  test('a modal on Discord is sent with files', async () => {
    const { origin, sandbox } = await openSandbox();
    await using bot = await startDiscordBot(sandbox);
    await teachDiscord(bot.client, sandbox.discord.guildId);
    const page = await openPageIn(origin, 'Discord', 'help');
    await write(channel(page), '/add');
    const form = page.getByRole('dialog', { name: 'Add files' });
    await form.getByRole('button', { name: 'Submit' }).click();
    await see(form, 'Files needs at least 1 files.');
    await form.getByLabel('Files').setInputFiles([guide, { ...guide, name: 'more.md' }]);
    await form.getByText('Files needs at least').waitFor({ state: 'hidden' });
    await form.getByRole('button', { name: 'Submit' }).click();
    await form.waitFor({ state: 'hidden' });
    await see(channel(page), 'Learnt guide.md, more.md');
    const [answer] = sandbox.discord.messages(sandbox.discord.channels()[1]?.id ?? '');
    expect(answer?.answers).toMatchObject({ user: { username: 'ada' }, command: '/add' });
    await see(channel(page), 'Ada used /add');
  });
}

/** Opens a form for /source and says what came of it. */
function takeSources(app: App): void {
  const field = (name: string, label: string, element: object, optional = false) => ({
    type: 'input',
    block_id: `${name}-block`,
    label: plain(label),
    optional,
    element: { action_id: name, ...element },
  });
  app.command('/source', async ({ ack, body, client }) => {
    await ack();
    const view = {
      type: 'modal',
      callback_id: 'upload',
      private_metadata: body.channel_id,
      title: plain('Add a source'),
      submit: plain('Add'),
      blocks: [
        field('title', 'Title', { type: 'plain_text_input' }),
        field('file', 'File', { type: 'file_input' }),
        field('tags', 'Tags', { type: 'external_select', min_query_length: 0 }, true),
      ],
    };
    await client.views.open({ trigger_id: body.trigger_id, view: view as never });
  });
  app.options('tags', async ({ ack, payload }) => {
    const tags = ['oil lamp', 'oil press', 'wick'].filter((tag) => tag.includes(payload.value));
    await ack({ options: tags.map((value) => ({ text: plain(value), value })) });
  });
  app.view('upload', async ({ ack, view, body, client }) => {
    const { values } = view.state;
    const title = values['title-block']?.['title']?.value;
    if (title === 'taken') {
      const errors = { 'title-block': 'There is one of this name.' };
      await ack({ response_action: 'errors', errors });
      return;
    }
    await ack();
    const [file] = values['file-block']?.['file']?.files ?? [];
    const tag = values['tags-block']?.['tags']?.selected_option?.value;
    const text = `Learnt ${file?.name} as ${title} for ${tag}`;
    await client.chat.postEphemeral({ channel: view.private_metadata, user: body.user.id, text });
  });
}

function plain(text: string) {
  return { type: 'plain_text', text } as const;
}

/** Registers /add, which opens a form. */
async function teachDiscord(client: Client<true>, guild: string): Promise<void> {
  const add = new SlashCommandBuilder().setName('add').setDescription('Adds files');
  await client.application.commands.set([add], guild);
  client.on(Events.InteractionCreate, (interaction) => void openAndAnswer(interaction));
}

async function openAndAnswer(interaction: Interaction): Promise<void> {
  if (interaction.isChatInputCommand()) {
    const files = new FileUploadBuilder().setCustomId('files').setMaxValues(3);
    const label = new LabelBuilder().setLabel('Files').setFileUploadComponent(files);
    const modal = new ModalBuilder().setCustomId('adding').setTitle('Add files');
    await interaction.showModal(modal.addLabelComponents(label));
  }
  if (!interaction.isModalSubmit()) return;
  const files = interaction.fields.getUploadedFiles('files', true);
  await interaction.reply(`Learnt ${files.map(({ name }) => name).join(', ')}`);
}
