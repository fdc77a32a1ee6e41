import type { App } from '@slack/bolt';
import { expect, onTestFinished, test } from 'vitest';
import { createManifest } from '../../../src/app/manifest.ts';
import { serveSandbox } from '../serve-sandbox.ts';
import { startBot } from '../slack/start-bot.ts';
import {
  channel,
  expectSoon,
  guide,
  openPage,
  openPageOf,
  openSandbox,
  see,
  thread,
  write,
} from './open-page.ts';
import { commandNames } from '../../fixtures/command-names.ts';

export function testConversation(): void {
  test('the page opens in Slack’s #general as Ada, ready to write, and says what to try', async () => {
    // On an origin of its own, of which the browser has stored nothing.
    const served = await serveSandbox();
    onTestFinished(() => served[Symbol.asyncDispose]());
    const page = await openPageOf(served.origin);
    await page.getByRole('heading', { name: '# general' }).waitFor();
    const general = served.sandbox.slack.channels().find(({ name }) => name === 'general');
    expect(new URL(page.url()).hash).toBe(`#slack/${general?.id}`);
    await expectSoon(() => page.evaluate(transferred)).toBeLessThan(300_000);
    expect(await page.evaluate(transferred)).toBeGreaterThan(100_000);
    await expectSoon(() => page.getByLabel('You are').inputValue()).toBe('ada');
    await page.getByRole('button', { name: '@causeway How do I add a source?' }).click();
    const composer = page.getByLabel('Message #general');
    await expectSoon(() => composer.inputValue()).toBe('@causeway How do I add a source?');
    await expectSoon(() => page.locator(':focus').getAttribute('aria-label')).toBe(
      'Message #general',
    );

    await page.reload();
    await page.getByRole('heading', { name: '# general' }).waitFor();
    expect(await page.evaluate(fetchedAgain)).toEqual([]);
  });

  test('a message’s menu hands its files to the app, whose form offers choices for what is typed', async () => {
    const { origin, sandbox } = await openSandbox();
    sandbox.slack.install(JSON.parse(createManifest(commandNames())));
    const shortcut = sandbox.slack.shortcuts().find(({ name }) => name.startsWith('Add files'));
    const menu = Promise.withResolvers<string>();
    const sent = Promise.withResolvers<object>();
    let picked = 0;
    await using _ = await startBot(sandbox.slack, (app) => {
      app.shortcut(shortcut?.callbackId ?? '', async ({ ack, body, client }) => {
        await ack();
        await client.views.open({ trigger_id: body.trigger_id, view: searchingView as never });
      });
      app.command('/causeway', async ({ ack, command }) => {
        await ack({ text: 'Choose', blocks: [groupedMenu] });
        menu.resolve(command.text);
      });
      app.action('pick', async ({ ack, respond }) => {
        await ack();
        picked += 1;
        await respond({ text: `Picked ${picked}`, replace_original: false });
      });
      app.options('tags', async ({ ack, payload }) => {
        const found = ['lamp', 'oil lamp', 'wick'].filter((tag) => tag.includes(payload.value));
        await ack({
          options: found.map((value) => ({ text: { type: 'plain_text', text: value }, value })),
        });
      });
      app.view('adding', async ({ ack, view }) => {
        await ack();
        sent.resolve(view.state.values['tags']?.['tags'] ?? {});
      });
    });
    const page = await openPageOf(origin);
    await page.getByLabel('Message #general').pressSequentially('/c');
    await page.getByRole('option', { name: '/causeway ask | source | tag' }).click();
    await channel(page).getByRole('textbox').press('Enter');
    expect(await menu.promise).toBe('');
    const select = channel(page).getByRole('combobox', { name: 'Commands' });
    const grouped = select.locator('optgroup[label="Sources"] option');
    await expectSoon(() => grouped.allTextContents()).toEqual(['source url: Adds pages']);
    for (const times of [1, 2]) {
      await select.selectOption('source url: Adds pages');
      await see(channel(page), `Picked ${times}`);
    }
    await channel(page).locator('input[type=file]').setInputFiles(guide);
    await write(channel(page), 'Read this');
    const message = channel(page).locator('.message', { hasText: 'Read this' });
    await message.hover();
    await message.getByText('More actions').click();
    await message.getByRole('button', { name: shortcut?.name ?? '' }).click();
    const form = page.getByRole('dialog');
    await form.getByText('wick').waitFor();
    const search = form.getByRole('combobox', { name: 'Tags' });
    await search.fill('oil');
    await form.getByRole('option', { name: 'oil lamp' }).click();
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    const values = ['wick', 'oil lamp'];
    expect(await sent.promise).toMatchObject({
      selected_options: values.map((value) => ({ value, text: { text: value } })),
    });
  });

  test('a reply grows in the thread of a mention', async () => {
    const { page, sandbox } = await openPage();
    const grown = Promise.withResolvers<void>();
    await using _ = await startBot(sandbox.slack, (app) => answerSlowly(app, grown.promise));
    const composer = channel(page).getByRole('textbox');
    await composer.pressSequentially('@ca');
    await page.getByRole('option', { name: 'Causeway' }).waitFor();
    await composer.press('Tab');
    await composer.pressSequentially('why?');
    await composer.press('Shift+Enter');
    await composer.pressSequentially('Really.');
    await composer.press('Enter');
    await see(thread(page), 'It is because');
    await thread(page).getByRole('button', { name: 'Stop' }).waitFor();
    expect(page.url()).toMatch(/#slack\/C\w+\/[\d.]+$/);
    await see(channel(page), '1 reply');
    const [question] = sandbox.slack.messages(sandbox.slack.channels()[0]?.id ?? '');
    expect(question?.text).toBe(`<@${sandbox.slack.bot.user}> why?\nReally.`);

    grown.resolve();
    await thread(page).locator('strong', { hasText: 'so it is' }).waitFor();
    await thread(page).getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    await expectSoon(() => thread(page).getByRole('listitem').count()).toBe(2);
    await thread(page).getByRole('button', { name: 'Again' }).click();
    await see(thread(page), 'Only visible to you');

    await write(thread(page), 'Thanks');
    await see(thread(page), 'Thanks');
    await page.reload();
    await see(thread(page), 'Thanks');
    await page.getByLabel('You are').selectOption('grace');
    await see(thread(page), 'Thanks');
    await expectSoon(() => thread(page).getByText('Only visible to you').count()).toBe(0);
    await page.getByLabel('Close the thread').click();
    await thread(page).waitFor({ state: 'hidden' });
  });

  test('people change and delete their own messages, and attach files, also on a phone', async () => {
    const { page } = await openPage('', { width: 390, height: 844 });
    await channel(page).locator('input[type=file]').setInputFiles(guide);
    await write(channel(page), 'Read this, @grace, in #help');
    const message = channel(page).locator('.message');
    await expectSoon(() => message.getByRole('link', { name: /guide\.md/ }).textContent()).toBe(
      'guide.md7 B',
    );
    await message.getByText('@Grace Hopper').waitFor();
    await message.locator('.mention', { hasText: '#help' }).waitFor();
    const text = await message.locator('.text').boundingBox();
    expect(text?.width).toBeGreaterThan(300);
    expect(text?.height).toBeLessThan(30);
    const isWide = 'document.documentElement.scrollWidth > innerWidth';
    await expectSoon(() => page.evaluate(isWide)).toBe(false);
    await message.getByRole('button', { name: 'Edit' }).click();
    const editor = page.getByLabel('Edit the message');
    await expectSoon(() => editor.inputValue()).toBe('Read this, @grace, in #help');
    await editor.fill('Read *that*');
    await editor.press('Enter');
    await see(message, '(edited)');
    await message.locator('strong', { hasText: 'that' }).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await message.hover();
    await message.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await message.waitFor({ state: 'detached' });
    await see(channel(page), 'No messages here yet');
    await expectSoon(() => message.count()).toBe(0);
  });
}

/** The bytes of the first load. */
const transferred = `[...performance.getEntriesByType('navigation'),
  ...performance.getEntriesByType('resource')].reduce((sum, one) => sum + one.transferSize, 0)`;

/** The page's own files that the browser did not have. */
const fetchedAgain = `performance.getEntriesByType('resource')
  .filter(({ name, transferSize }) => /\\.(js|css)$/.test(name) && transferSize > 0)
  .map(({ name }) => name)`;

/** Answers a mention in its thread, and goes on once the promise resolves. */
function answerSlowly(app: App, goOn: Promise<void>): void {
  app.event('app_mention', async ({ event, say, client }) => {
    const text = 'It is because';
    const session = { channel_id: event.channel, thread_ts: event.ts };
    const setStatus = (status: string) =>
      client.apiCall('agents.sessions.setStatus', { ...session, status });
    await setStatus('processing');
    const { channel, ts } = await say({ text, thread_ts: event.ts });
    await goOn;
    const again = { type: 'button', action_id: 'again', text: plain('Again') } as const;
    await client.chat.update({
      channel: String(channel),
      ts: String(ts),
      text,
      blocks: [
        { type: 'markdown', text: 'It is because **so it is**' },
        { type: 'actions', elements: [again] },
      ],
    });
    await setStatus('active');
  });
  app.action('again', async ({ ack, respond }) => {
    await ack();
    await respond({ text: 'Once more', replace_original: false, response_type: 'ephemeral' });
  });
}

function plain(text: string) {
  return { type: 'plain_text', text } as const;
}

const groupedMenu = {
  type: 'actions',
  elements: [
    {
      type: 'static_select',
      action_id: 'pick',
      placeholder: { type: 'plain_text', text: 'Commands' },
      option_groups: [
        {
          label: { type: 'plain_text', text: 'Sources' },
          options: [
            {
              text: { type: 'plain_text', text: 'source url' },
              description: { type: 'plain_text', text: 'Adds pages' },
              value: 'url',
            },
          ],
        },
      ],
    },
  ],
} as const;

const searchingView = {
  type: 'modal',
  callback_id: 'adding',
  title: { type: 'plain_text', text: 'Add' },
  submit: { type: 'plain_text', text: 'Add' },
  blocks: [
    {
      type: 'input',
      block_id: 'tags',
      label: { type: 'plain_text', text: 'Tags' },
      element: {
        type: 'multi_external_select',
        action_id: 'tags',
        min_query_length: 0,
        initial_options: [{ text: { type: 'plain_text', text: 'wick' }, value: 'wick' }],
      },
    },
  ],
};
