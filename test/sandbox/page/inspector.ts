import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { channel, expectSoon, openApp, openPageIn, see, thread, write } from './open-page.ts';

const inspector = (page: Page) => page.getByRole('region', { name: 'Inspector' });
const calls = (page: Page) => inspector(page).getByRole('region', { name: 'API calls' });
const chart = (page: Page) => inspector(page).getByRole('img');

export function testInspector(): void {
  async function openInspector(platform: 'Slack' | 'Discord') {
    const page = await openPageIn((await openApp()).origin, platform, 'general');
    await page.getByRole('button', { name: 'Inspector', exact: true }).click();
    return page;
  }

  test.each([
    ['Slack', 'chat.postMessage', 2],
    ['Discord', /POST \/channels\/:channel\/messages(?!\/)/, 1],
  ] as const)(
    'the inspector refuses calls on %s and shows how the bot recovers, with the reply’s chart',
    async (platform, post, sockets) => {
      const page = await openInspector(platform);
      const calling = inspector(page).getByLabel(`${platform}: calls get`);
      await calling.selectOption('429, 1 s');
      await write(channel(page), '@causeway What is Causeway?');
      const refused = calls(page).getByRole('listitem').filter({ hasText: '429' });
      await refused.filter({ hasText: '(switched on)' }).first().waitFor();
      await chart(page).locator('.refusal').first().waitFor();
      await calling.selectOption('as usual');

      await see(thread(page), 'Sources:');
      // The bot posts no more; what it posted is listed by then.
      const answered = page.locator('#inspected-reply option', {
        hasText: `${platform} · What is Causeway? · answered`,
      });
      await answered.first().waitFor({ state: 'attached' });
      const posted = calls(page).getByRole('listitem').filter({ hasText: post });
      const accepted = posted.filter({ hasText: '200' }).last();
      await accepted.locator('summary').click();
      await see(accepted, /"(?:text|content)": "/);
      await chart(page)
        .and(page.getByLabel(/^\d+ characters received in/))
        .waitFor();
      await chart(page).locator('.refusal').first().waitFor({ state: 'attached' });
      await chart(page).locator('.write').first().waitFor({ state: 'attached' });

      const lost = inspector(page).getByLabel(`Lost on ${platform}`);
      await lost.check();
      await see(inspector(page), '0 open');
      await lost.uncheck();
      await see(inspector(page), `${sockets} open`);
    },
  );

  test('the inspector shows what a question took of its thread, and a reply names an unread picture', async () => {
    const page = await openInspector('Slack');
    await write(channel(page), 'The printer on floor 2 is jammed');
    const said = channel(page).locator('.message', { hasText: 'The printer on floor 2' }).last();
    await said.hover();
    await said.getByRole('link', { name: 'Reply in thread' }).click();
    await write(thread(page), 'I have called Grace about it');
    await see(thread(page), 'I have called Grace');
    const photo = {
      name: 'photo.png',
      mimeType: 'image/png',
      buffer: Buffer.from('\x89PNG', 'latin1'),
    };
    await thread(page).locator('input[type=file]').setInputFiles(photo);
    await write(thread(page), '@causeway who was called about the printer?');
    await see(thread(page), /📎 Not read: photo\.png: I don’t look at pictures here/);
    const taken = inspector(page).locator('details.context');
    await see(taken, 'Context sent: 2 messages');
    await see(taken, /^Ada Lovelace: I have called Grace about it$/);
    const limited = inspector(page).getByLabel(/threads are read once a minute/);
    await limited.check();
    await inspector(page).getByRole('button', { name: 'Clear all' }).click();
    await expectSoon(() => limited.isChecked()).toBe(false);
  });

  test('the inspector lets the service die, and deletes everything said', async () => {
    const page = await openInspector('Slack');
    const service = inspector(page).getByLabel('Chatbot service');
    const isDead = async () => {
      const { origin } = await openApp();
      return fetch(`${origin}/api/v1/chatbot`).then(
        () => false,
        () => true,
      );
    };
    expect(await isDead()).toBe(false);
    await service.selectOption('is dead');
    await expect.poll(isDead).toBe(true);
    await write(channel(page), '@causeway What can you do?');
    const asked = page.locator('#inspected-reply option', {
      hasText: 'What can you do? · running',
    });
    await asked.waitFor({ state: 'attached' });
    // The question is asked again until the service is there.
    await service.selectOption('works');
    await see(thread(page), 'Sources:');
    const latency = inspector(page).getByLabel('Discord: latency');
    await latency.selectOption('3 s');
    await inspector(page).getByRole('button', { name: 'Clear all' }).click();
    await expectSoon(() => latency.inputValue()).toBe('0');

    await write(channel(page), '@causeway Thanks!');
    const thanked = page.locator('#inspected-reply option', { hasText: 'Thanks! · answered' });
    await thanked.first().waitFor({ state: 'attached' });
    await inspector(page).getByLabel('Which calls').selectOption('Events');
    await see(calls(page), 'event app_mention');
    await inspector(page).getByRole('heading', { name: 'Inspector' }).click();
    await page.keyboard.press('Escape');
    await inspector(page).locator('#drawer').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Inspector', exact: true }).click();

    await channel(page).getByRole('textbox').fill('Not sent yet');

    await inspector(page).getByRole('button', { name: 'Empty everything…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Empty everything?' });
    await see(dialog, /^all messages.*: [1-9]\d*$/);
    await see(dialog, /^what the bot remembers: .*settings/);
    await see(dialog, /^all chatbots of the built-in service.* sources/);
    await see(dialog, /The first chatbot is then created again/);
    await dialog.getByRole('button', { name: 'Empty everything' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await see(channel(page), 'No messages here yet');
    await thread(page).waitFor({ state: 'hidden' });
    await see(inspector(page), 'No calls yet.');
    await expectSoon(() => page.locator('#channel .message').count()).toBe(0);
    expect(await channel(page).getByRole('textbox').inputValue()).toBe('');

    await write(channel(page), '@causeway What is Causeway?');
    await see(thread(page), 'Sources:');
  });
}
