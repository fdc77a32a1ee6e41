import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';
import { fillLongChannels } from '../long-channels.ts';
import { channel, expectSoon, openPage, see, write } from './open-page.ts';

const messages = 10_000;
const maxShown = 300;
const maxNodes = 10_000;

export function testLongChannel(): void {
  describe('a channel with 10,000 messages', () => {
    test('shows some of them, in order, back and forth, on both platforms', async () => {
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
        for (let number = messages - 99; number > messages - 400; number -= 50) {
          await earlier.click();
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
  });
}

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
