import type { Page } from 'playwright-core';
import { describe, test } from 'vitest';
import { channel, expectSoon, openPage, see } from './open-page.ts';

export function testReturning(): void {
  describe('after a reload', () => {
    test('drafts are there, and what is unread is marked, but never the open channel', async () => {
      const { page, post, sandbox } = await openPage();
      const { slack, discord } = sandbox;
      const general = `/sandbox/#slack/${slack.channels().find(({ name }) => name === 'general')?.id}`;
      const unread = async () => {
        const hrefs = await page
          .locator('#sidebar a.unread')
          .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
        return hrefs.map((href) => String(href).replace(/.*\//, ''));
      };
      const say = (platform: string, place: string, text: string) =>
        post(`/${platform}/say`, { user: 'grace', channel: place, text });
      const help = slack.channels().find(({ name }) => name === 'help')?.id ?? '';
      await see(channel(page), 'No messages here yet');

      await say('slack', '#help', 'one');
      const link = page.locator('#sidebar').getByRole('link', { name: 'help (unread)' });
      await link.waitFor();
      await say('slack', '#general', 'two');
      await see(channel(page), 'two');
      await expectSoon(() => unread()).toEqual([help]);
      await channel(page).getByRole('textbox').fill('A long question');
      await page.reload();
      await see(channel(page), 'two');
      await expectSoon(() => unread()).toEqual([help]);
      await expectSoon(() => channel(page).getByRole('textbox').inputValue()).toBe(
        'A long question',
      );

      await link.click();
      await see(channel(page), 'one');
      await expectSoon(() => unread()).toEqual([]);
      await expectSoon(() => channel(page).getByRole('textbox').inputValue()).toBe('');
      // Said while the page is closed.
      await page.goto('about:blank');
      await say('slack', '#general', 'three');
      await say('discord', '#help', 'four');
      await page.goto(`${new URL(slack.credentials.apiUrl).origin}/sandbox/#slack/${help}`);
      await see(channel(page), 'one');
      await page.locator('#sidebar').getByRole('link', { name: 'general (unread)' }).waitFor();
      await page
        .locator('#rail')
        .getByRole('link', { name: /Discord/ })
        .click();
      await page.locator('#sidebar').getByRole('link', { name: 'help (unread)' }).waitFor();
      await expectSoon(() => unread()).toEqual([
        discord.channels().find(({ name }) => name === 'help')?.id,
      ]);

      // Each person has their own.
      await page.goto(`${new URL(slack.credentials.apiUrl).origin}${general}`);
      await page.getByLabel('You are').selectOption('grace');
      await see(channel(page), 'three');
      await expectSoon(() => channel(page).getByRole('textbox').inputValue()).toBe('');
      await page.getByLabel('You are').selectOption('ada');
      await see(channel(page), 'three');
      await expectSoon(() => channel(page).getByRole('textbox').inputValue()).toBe(
        'A long question',
      );
    });

    test('a conversation is at its end again when one becomes somebody else', async () => {
      const { page, post } = await openPage();
      const text = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
      await post('/slack/say', { user: 'grace', channel: '#general', text });
      await see(channel(page), 'line 59');
      await page.getByLabel('You are').selectOption('grace');
      await channel(page).getByText('line 59').waitFor();
      await expectSoon(() => distanceToEnd(page)).toBeLessThan(1);
    });
  });
}

const distanceToEnd = (page: Page) =>
  page.evaluate(`(() => {
    const { scrollHeight, scrollTop, clientHeight } = document.querySelector('#channel .scroller');
    return scrollHeight - scrollTop - clientHeight;
  })()`);
