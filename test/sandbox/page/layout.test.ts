import { describe, expect, test } from 'vitest';
import { channel, hasChromium, usePage, write } from './open-page.ts';

const guide = { name: 'guide.md', mimeType: 'text/markdown', buffer: Buffer.from('# Guide') };

describe.skipIf(!hasChromium)('the layout', () => {
  const openPage = usePage();

  test('leaves a message with a file the width of a phone', async () => {
    const { page } = await openPage('', { width: 390, height: 844 });
    await channel(page).locator('input[type=file]').setInputFiles(guide);
    await write(channel(page), 'Please read this file, everyone');
    const message = channel(page).locator('.message');
    await message.getByRole('link', { name: /guide\.md/ }).waitFor();
    const text = await message.locator('.text').boundingBox();
    expect(text?.width).toBeGreaterThan(300);
    expect(text?.height).toBeLessThan(30);
    const isWide = 'document.documentElement.scrollWidth > innerWidth';
    expect(await page.evaluate(isWide)).toBe(false);
    await message.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Edit the message').waitFor();
  });
});
