import type { App } from '@slack/bolt';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { installApp } from '../slack/install-app.ts';
import { startInstallableBot } from '../slack/start-installable-bot.ts';
import { channel, openPage, see, seeOpen, thread, write } from './open-page.ts';

const workspaces = (page: Page) => page.getByRole('region', { name: 'Slack workspaces' });
const row = (page: Page, name: string) =>
  workspaces(page).getByRole('listitem').filter({ hasText: name });

function answerMentions(app: App): void {
  app.event('app_mention', async ({ event, say }) => {
    await say({ text: 'I am here.', thread_ts: event.ts });
  });
}

export function testWorkspaces(): void {
  test('a workspace is added, installs the app, asks, and removes the app', async () => {
    const { page, origin, sandbox } = await openPage('#slack/help');
    const { slack } = sandbox;
    const bot = await startInstallableBot(slack, answerMentions);
    onTestFinished(() => bot[Symbol.asyncDispose]());
    slack.switches.installUrl = bot.installUrl;
    await page.getByRole('button', { name: 'Inspector', exact: true }).click();
    const name = workspaces(page).getByLabel('Name of the new workspace');
    const add = workspaces(page).getByRole('button', { name: 'Add workspace' });
    await add.click();
    await workspaces(page).locator('input:focus:invalid').and(name).waitFor();
    await name.fill('Acme');
    await add.click();
    await see(row(page, 'Acme'), 'not installed');

    async function answerPage(decision: 'Allow' | 'Cancel') {
      await row(page, 'Acme').getByRole('link', { name: 'Install…' }).click();
      await page.getByLabel('Workspace').selectOption('Acme');
      await see(page.getByRole('main'), 'chat:write');
      await page.getByRole('button', { name: decision }).click();
      await page.waitForURL('**/slack/oauth_redirect?**');
      await page.goto(`${origin}/sandbox/`);
    }

    await answerPage('Cancel');
    await see(row(page, 'Acme'), 'not installed');
    await workspaces(page).getByLabel('New tokens live').selectOption('12 hours');
    await expect.poll(() => slack.switches.tokenLifetime).toBe(43_200);
    await answerPage('Allow');
    await see(row(page, 'Acme'), /installed, token until/);

    await page.locator('#rail').getByRole('link', { name: 'Acme' }).click();
    await page.waitForURL('**/sandbox/?slack=T*');
    await page.locator('#sidebar').getByRole('link', { name: 'help' }).click();
    await seeOpen(page, 'help');
    await write(channel(page), '@causeway where are you?');
    await see(thread(page), 'I am here.');
    const acme = slack.workspaces()[1];
    expect(acme?.latest(acme.channels()[1]?.id ?? '')).toMatchObject({ text: 'I am here.' });

    await row(page, 'Acme').getByRole('button', { name: 'Expire token' }).click();
    await expect.poll(() => (acme?.installation()?.expiresAt ?? Infinity) <= Date.now()).toBe(true);
    await row(page, 'Acme').getByRole('button', { name: 'Remove app' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await see(page.locator('#sidebar'), 'The bot is not installed here.');
    await installApp(bot.installUrl, { place: `${acme?.team.id}` });
    await see(row(page, 'Acme'), /installed, token until/);
    await row(page, 'Acme').getByRole('button', { name: 'Revoke token' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await see(row(page, 'Acme'), 'not installed');
  });

  test('a second Discord server has a tile and channels of its own', async () => {
    const { page, origin, sandbox } = await openPage('#discord');
    const tiles = page.locator('#rail').getByRole('link');
    await expect.poll(() => tiles.allInnerTexts()).toHaveLength(2);
    const sidebar = page.locator('#sidebar');
    await see(sidebar, 'Causeway sandbox');
    await fetch(`${origin}/sandbox/control/discord/server`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Guild hall', people: ['ada'] }),
    });
    await tiles.filter({ hasText: 'Guild hall' }).click();
    await see(sidebar.locator('header'), 'Guild hall');
    expect(await sidebar.locator('a.channel').allInnerTexts()).not.toContain('# help');
    await write(channel(page), 'Is anybody here?');
    await see(channel(page), 'Is anybody here?');
    const said = () =>
      sandbox.discord.channels().map(({ id }) => sandbox.discord.messages(id).length);
    await expect.poll(said).toContain(1);
  });
}
