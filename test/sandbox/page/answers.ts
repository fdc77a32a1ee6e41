import type { App } from '@slack/bolt';
import { Events, type Interaction, type Message, SlashCommandBuilder } from 'discord.js';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { createManifest } from '../../../src/app/manifest.ts';
import { openBridge } from '../../e2e/scripted-bridge.ts';
import { commandNames } from '../../fixtures/command-names.ts';
import { startDiscordBot } from '../serve-sandbox.ts';
import { startBot } from '../slack/start-bot.ts';
import {
  channel,
  expectSoon,
  openPage,
  openPageIn,
  openPageOf,
  openSandbox,
  see,
  thread,
  visit,
  write,
} from './open-page.ts';

export function testAnswers(): void {
  test('an answer on Slack opens and takes the focus, after another question, a command and a direct message', async () => {
    const { page, sandbox } = await openPage();
    sandbox.slack.install(JSON.parse(createManifest(commandNames())));
    const [later, again] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waits = new Map([
      ['later?', later.promise],
      ['again?', again.promise],
    ]);
    // It answers faster than Slack lets it post.
    sandbox.slack.faults.rateLimits = false;
    await using _ = await startBot(sandbox.slack, (app) => answerInThreads(app, waits));
    await write(channel(page), '@causeway one?');
    await see(thread(page), 'Answer: one?');
    await goOn(page, 'and more?');
    await see(thread(page), 'Answer: and more?');

    await write(channel(page), '@causeway two?');
    await see(thread(page), 'Answer: two?');
    await expectSoon(() => thread(page).getByText('one?').count()).toBe(0);
    await goOn(page, 'more of two?');
    await see(thread(page), 'Answer: more of two?');

    await write(channel(page), '/causeway ask three?');
    await see(thread(page), 'Answer: three?');
    await goOn(page, 'more of three?');
    await see(thread(page), 'Answer: more of three?');

    await visit(page, 'Slack', 'Causeway');
    await write(channel(page), 'four?');
    await see(thread(page), 'Answer: four?');
    await write(channel(page), 'five?');
    await see(thread(page), 'Answer: five?');
    await goOn(page, 'more of five?');
    await see(thread(page), 'Answer: more of five?');

    // What one writes before the answer begins goes along; another question stays.
    const composer = channel(page).getByRole('textbox');
    await write(channel(page), 'later?');
    await composer.pressSequentially('so');
    later.resolve();
    await see(thread(page), 'Answer: later?');
    await page.keyboard.type(' what?');
    await expectSoon(() => thread(page).getByRole('textbox').inputValue()).toBe('so what?');
    await page.keyboard.press('Escape');
    await thread(page).waitFor({ state: 'hidden' });
    await write(channel(page), 'again?');
    await composer.pressSequentially('/cause');
    again.resolve();
    await see(thread(page), 'Answer: again?');
    await page.keyboard.type('way');
    await expectSoon(() => composer.inputValue()).toBe('/causeway');
  });

  test('an answer on Discord opens beside its channel, is listed and takes the focus, after another question and a command', async () => {
    const { origin, sandbox } = await openSandbox();
    await using bot = await startDiscordBot(sandbox);
    const ask = new SlashCommandBuilder()
      .setName('ask')
      .setDescription('Asks')
      .addStringOption((option) =>
        option.setName('question').setDescription('What').setRequired(true),
      );
    await bot.client.application.commands.set([ask], sandbox.discord.guildId);
    bot.client.on(Events.MessageCreate, (message) => void answerMessage(message));
    bot.client.on(Events.InteractionCreate, (interaction) => void answerCommand(interaction));
    const page = await openPageIn(origin, 'Discord', 'general');
    await write(channel(page), '@causeway one?');
    await see(thread(page), 'Answer: one?');
    await thread(page).getByRole('heading', { name: 'one?' }).waitFor();
    await thread(page).locator('strong', { hasText: 'for now' }).waitFor();
    await see(thread(page), 'Sources: none');
    const listed = page.locator('#sidebar.discord').getByRole('link', { name: 'one?' });
    await expectSoon(() => listed.getAttribute('aria-current')).toBe('page');
    await goOn(page, 'more of one?');
    await see(thread(page), 'Answer: more of one?');
    await write(channel(page), '@causeway two?');
    await see(thread(page), 'Answer: two?');

    await channel(page).getByRole('textbox').pressSequentially('/as');
    await page.getByRole('option', { name: '/ask' }).click();
    await page.keyboard.type('three?');
    await page.keyboard.press('Enter');
    await see(thread(page), 'Answer to the command');
    const headers = thread(page).locator('.message:not(.continues)');
    await expectSoon(() => headers.count()).toBe(await thread(page).locator('.message').count());
    await goOn(page, 'more of three?');
    await see(thread(page), 'Answer: more of three?');
    await page.goBack();
    await see(thread(page), 'Answer: two?');
    await expectSoon(() => thread(page).getByText('three?').count()).toBe(0);
  });

  test('Esc leaves a thread, Up edits, files can be dropped, and the composer comes first', async () => {
    const { page } = await openPage();
    const composer = channel(page).getByRole('textbox');
    await composer.waitFor();
    const first =
      await page.evaluate(`[...document.querySelectorAll('a, button, [tabindex], textarea')]
      .find((element) => element.checkVisibility()).getAttribute('aria-label')`);
    expect(first).toBe('Message #general');
    await page.evaluate(drop);
    await see(channel(page), 'notes.md');
    await write(channel(page), 'First');
    await channel(page)
      .locator('.message')
      .getByRole('link', { name: /notes\.md/ })
      .waitFor();
    await write(channel(page), 'Second');
    await see(channel(page), 'Second');
    await composer.press('ArrowUp');
    const editor = page.getByLabel('Edit the message');
    await expectSoon(() => editor.inputValue()).toBe('Second');
    await page.keyboard.press('Escape');
    await editor.waitFor({ state: 'detached' });

    const message = channel(page).locator('.message').first();
    await message.hover();
    await message.getByRole('link', { name: 'Reply in thread' }).click();
    await see(thread(page), 'First');
    await page.keyboard.press('Escape');
    await thread(page).waitFor({ state: 'hidden' });
    await page.keyboard.type('Third');
    await expectSoon(() => composer.inputValue()).toBe('Third');
  });

  test('a reply is stopped, and tried again after it broke off, on both platforms', async () => {
    const bridge = await openBridge('Slack');
    onTestFinished(() => bridge[Symbol.asyncDispose]());
    const { service, sandbox } = bridge;
    const { origin } = new URL(sandbox.slack.credentials.apiUrl);
    const page = await openPageOf(origin);
    const pane = thread(page);
    for (const platform of ['Slack', 'Discord'] as const) {
      await visit(page, platform, 'general');
      const first = service.asked();
      await write(channel(page), '@causeway why?');
      (await first).write('It is because');
      await see(pane, 'It is because');
      await pane.getByRole('button', { name: 'Stop', exact: true }).first().click();
      await see(pane, 'Stopped by');
      await pane.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'hidden' });

      const second = service.asked();
      await write(pane, 'And how?');
      const broken = await second;
      broken.write('Like');
      await see(pane, /^Like/);
      broken.die();
      await see(pane, 'The answer was cut off');
      const third = service.asked();
      await pane.getByRole('button', { name: 'Try again' }).last().click();
      const tried = await third;
      expect(tried.query).toBe('And how?');
      tried.write('Like this, entirely.');
      tried.end();
      await see(pane, 'Like this, entirely.');
      await page.keyboard.press('Escape');
    }
  });
}

/** Types on where the focus is, and sends it. */
async function goOn(page: Page, text: string): Promise<void> {
  await expectSoon(() => page.evaluate('document.activeElement.closest(".pane")?.id')).toBe(
    'thread',
  );
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** Drops a file on the conversation, as a browser does. */
const drop = `(() => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(['# Notes'], 'notes.md', { type: 'text/markdown' }));
  const target = document.querySelector('#channel .messages');
  target.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer }));
  const event = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer });
  target.dispatchEvent(event);
  if (!event.defaultPrevented) throw new Error('The browser would open the file.');
})()`;

/** Answers every message of people in its thread, and `/causeway ask` below a message of its own. */
function answerInThreads(app: App, waits: Map<string, Promise<void>>): void {
  app.message(async ({ message, say }) => {
    if (message.subtype !== undefined || message.bot_id) return;
    const question = (message.text ?? '').replace(/<@\w+> /, '');
    await waits.get(question);
    await say({ text: `Answer: ${question}`, thread_ts: message.thread_ts ?? message.ts });
  });
  app.command('/causeway', async ({ ack, command, client }) => {
    await ack();
    const question = command.text.replace('ask ', '');
    const { ts } = await client.chat.postMessage({ channel: command.channel_id, text: question });
    await client.chat.postMessage({
      channel: command.channel_id,
      text: `Answer: ${question}`,
      thread_ts: String(ts),
    });
  });
}

/** Answers in the message's thread, which it opens if there is none. */
async function answerMessage(message: Message): Promise<void> {
  if (message.author.bot || message.system) return;
  const question = message.content.replace(/<@\d+> /, '');
  const place = message.channel.isThread()
    ? message.channel
    : await message.startThread({ name: question });
  const sent = await place.send(`Answer: ${question}`);
  await sent.edit(`Answer: ${question} **for now**\n-# Sources: none`);
}

/** Answers a command in the thread of a message of its own, before the command itself is answered. */
async function answerCommand(interaction: Interaction): Promise<void> {
  if (!interaction.isChatInputCommand() || !interaction.channel?.isSendable()) return;
  const asked = await interaction.channel.send(
    `Ada asks: ${interaction.options.getString('question')}`,
  );
  const opened = await asked.startThread({ name: 'The command' });
  await interaction.reply({ content: 'Answered', flags: 'Ephemeral' });
  await opened.send('Answer to the command');
}
