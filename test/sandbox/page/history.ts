import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';
import { fillLongChannels } from '../long-channels.ts';
import { channel, expectSoon, openPage, see, write } from './open-page.ts';

const messages = 1000;
const maxShown = 300;
const maxNodes = 10_000;

export function testHistory(): void {
  test('after a reload, drafts are there and unread channels are marked, but never the open one', async () => {
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
    await expectSoon(() => channel(page).getByRole('textbox').inputValue()).toBe('A long question');

    await link.click();
    await see(channel(page), 'one');
    await expectSoon(() => unread()).toEqual([]);
    await expectSoon(() => channel(page).getByRole('textbox').inputValue()).toBe('');
    // Said while the page is closed.
    await page.goto('about:blank');
    const long = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
    await say('slack', '#general', `${long}\nthree`);
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

    // Each person has their own, and sees the end of the conversation.
    await page.goto(`${new URL(slack.credentials.apiUrl).origin}${general}`);
    await page.getByLabel('You are').selectOption('grace');
    await see(channel(page), 'three');
    await expectSoon(() => distanceToEnd(page)).toBeLessThan(1);
    await expectSoon(() => channel(page).getByRole('textbox').inputValue()).toBe('');
    await page.getByLabel('You are').selectOption('ada');
    await see(channel(page), 'three');
    await expectSoon(() => channel(page).getByRole('textbox').inputValue()).toBe('A long question');
  });

  test('a channel with 1,000 messages shows some of them, in order, back and forth, on both platforms', async () => {
    const database = join(createTemporaryFolder(), 'sandbox.sqlite');
    await fillLongChannels(database, messages);
    const { page, post, sandbox } = await openPage('', undefined, database);
    const { slack, discord } = sandbox;
    const channels = { slack: slack.channels()[0]?.id, discord: discord.channels()[0]?.id };
    const [first, last] = ['first', 'last'].map((one) =>
      page.locator(`#channel .messages > li:${one}-child`),
    ) as [Locator, Locator];
    for (const [platform, id] of Object.entries(channels)) {
      await page.goto(`${new URL(page.url()).origin}/sandbox/#${platform}/${id}`);
      await see(last, `no. ${messages}.`);
      await expectSoon(() => readNumbers(page)).toEqual(count(messages - 49, messages));

      const earlier = page.locator('.pages button').first();
      await earlier.click();
      await see(first, `no. ${messages - 99}.`);
      for (let number = messages - 149; number > messages - 400; number -= 50) {
        // To look for a place to click would lay out everything again.
        await earlier.dispatchEvent('click');
        await see(first, `no. ${number}.`);
      }
      const numbers = await readNumbers(page);
      expect(numbers).toEqual(count(messages - 399, messages - 100));
      expect(numbers).toHaveLength(maxShown);
      await expectSoon(() => page.locator('#channel *').count()).toBeLessThan(maxNodes);

      // What is said meanwhile isn't put below older messages.
      await post(`/${platform}/say`, { user: 'grace', channel: id, text: 'Hello' });
      await page.locator('.pages').getByRole('button', { name: 'Show later messages' }).click();
      await see(last, `no. ${messages - 50}.`);
      await expectSoon(() => readNumbers(page)).toEqual(count(messages - 349, messages - 50));
      await write(channel(page), 'What did I miss?');
      await see(last, 'What did I miss?');
      await see(last.locator('xpath=preceding-sibling::li[1]'), 'Hello');
      expect((await readNumbers(page)).at(-1)).toBe(messages);
      await expectSoon(() => page.locator('.pages button:visible').allTextContents()).toEqual([
        'Show earlier messages',
      ]);
    }
  });
}

const distanceToEnd = (page: Page) =>
  page.evaluate(`(() => {
    const { scrollHeight, scrollTop, clientHeight } = document.querySelector('#channel .scroller');
    return scrollHeight - scrollTop - clientHeight;
  })()`);

/** The numbers of the shown messages, from top to bottom. */
async function readNumbers(page: Page): Promise<number[]> {
  const texts = await page.locator('#channel .messages > li').allTextContents();
  return texts.flatMap((text) => {
    const [, number] = /no\. (\d+)\./.exec(text) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
}

function count(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
