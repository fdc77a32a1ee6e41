import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  channel,
  expectSoon,
  guide,
  openApp,
  openPage,
  openPageOf,
  see,
  thread,
  visit,
  write,
} from './open-page.ts';

export function testLayout(): void {
  test.each(['Slack', 'Discord'] as const)(
    'everybody can use the page on %s: axe-core finds nothing',
    async (platform) => {
      const page = await openPageOf((await openApp()).origin, `#${platform.toLowerCase()}`);
      await page.getByRole('region', { name: 'Tour' }).waitFor();
      await visit(page, platform, 'general');
      await write(channel(page), '@causeway How do I add a source?');
      await thread(page)
        .getByRole('button', { name: /Helpful$/ })
        .waitFor();
      await expectNoBarriers(page, 'light');
      await expectNoBarriers(page, 'dark', phone);
      await page.setViewportSize(screen);

      if (platform === 'Slack') await write(channel(page), '/causeway tag create');
      else await channel(page).getByRole('textbox').pressSequentially('/tag');
      await page.getByRole(platform === 'Slack' ? 'dialog' : 'listbox').waitFor();
      await expectNoBarriers(page, 'dark');
      await page.keyboard.press('Escape');

      await page.getByRole('button', { name: 'Inspector' }).click();
      await page.getByRole('region', { name: 'Inspector' }).waitFor();
      await expectNoBarriers(page, 'light');
    },
  );

  test('a sandbox that does not respond is told of in a banner above everything', async () => {
    const { page } = await openPage();
    await channel(page).getByRole('heading', { name: '# general' }).waitFor();
    const tell = (isLost: boolean) =>
      page.evaluate(
        `import('/sandbox/notices.js').then(({ showLost }) => {
          showLost(document.getElementById('lost'), ${isLost});
        })`,
      );
    await tell(true);
    const banner = page.getByText('The sandbox is not responding. Retrying…');
    const box = await banner.boundingBox();
    expect(box).toMatchObject({ x: 0, y: 0, width: 1280 });
    const rest = await Promise.all(
      ['#rail', '#tour', '#channel'].map((part) => page.locator(part).boundingBox()),
    );
    for (const part of rest) expect(part?.y).toBeGreaterThanOrEqual(box?.height ?? Infinity);
    // What can't be sent stays, and is told of by nothing but the banner.
    await page.evaluate(
      'globalThis.fetch = () => Promise.reject(new TypeError("Failed to fetch"))',
    );
    await write(channel(page), 'Is anybody there?');
    const composer = channel(page).getByRole('textbox');
    await expectSoon(() => composer.inputValue()).toBe('Is anybody there?');
    expect(await page.locator('.toast').count()).toBe(0);
    await tell(false);
    await banner.waitFor({ state: 'hidden' });
    await composer.press('Enter');
    await see(page.locator('.toast'), 'The sandbox is not responding. Try again in a moment.');
  });

  test('a message with a file fits the width of a phone', async () => {
    const { page } = await openPage('', { width: 390, height: 844 });
    await channel(page).locator('input[type=file]').setInputFiles(guide);
    await write(channel(page), 'Please read this file, everyone');
    const message = channel(page).locator('.message');
    await message.getByRole('link', { name: /guide\.md/ }).waitFor();
    const text = await message.locator('.text').boundingBox();
    expect(text?.width).toBeGreaterThan(300);
    expect(text?.height).toBeLessThan(30);
    const isWide = 'document.documentElement.scrollWidth > innerWidth';
    await expectSoon(() => page.evaluate(isWide)).toBe(false);
    await message.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Edit the message').waitFor();
  });

  test('each platform shows its sections and roles, in light and dark, and the last place there', async () => {
    const { page, sandbox } = await openPage('#slack/help');
    const sidebar = page.locator('#sidebar');
    const titles = () => sidebar.getByRole('heading', { level: 2 }).allTextContents();
    await channel(page).getByRole('heading', { name: '# help' }).waitFor();
    await expectSoon(() => titles()).toEqual(['Channels', 'Direct messages', 'Apps']);
    await write(channel(page), 'From Ada');
    await see(channel(page).locator('.by'), 'Admin');
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const seen = new Set([await ground()]);
    await page.emulateMedia({ colorScheme: 'dark' });
    seen.add(await ground());

    await visit(page, 'Discord', 'general');
    await expectSoon(() => titles()).toEqual(['Text channels', 'Direct messages']);
    await page.getByLabel('You are').selectOption({ label: 'Grace · Moderators' });
    await write(channel(page), 'From Grace');
    await see(channel(page).locator('.by'), 'Moderators');
    await page.getByLabel('You are').selectOption({ label: 'Linus' });
    await write(channel(page), 'From Linus');
    const written = channel(page).locator('.message', { hasText: 'From Linus' });
    await written.waitFor();
    await expectSoon(() => written.locator('.badge').count()).toBe(0);
    expect(seen.add(await ground()).size).toBe(3);

    const rail = page.getByRole('navigation', { name: 'Workspaces' });
    const [general] = sandbox.slack.channels();
    const [ada] = sandbox.slack.users();
    await sandbox.slack.say({ user: `${ada?.id}`, channel: `${general?.id}`, text: 'Meanwhile' });
    await rail.getByRole('link', { name: 'Slack (unread)' }).click();
    await channel(page).getByRole('heading', { name: '# help' }).waitFor();
    await expectSoon(() =>
      sidebar.getByRole('link', { name: '(unread)' }).getAttribute('href'),
    ).toBe(`#slack/${general?.id}`);
    await expectSoon(() => thread(page).isVisible()).toBe(false);
  });
}

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const phone = { width: 390, height: 844 };
const screen = { width: 1280, height: 800 };

/** Looks for barriers on the page as it is now, in these colors and at this width. */
async function expectNoBarriers(
  page: Page,
  colorScheme: 'light' | 'dark',
  viewport = screen,
): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize(viewport);
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run({ resultTypes: ['violations'] })",
  );
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
  );
  expect(found).toEqual([]);
}
