import { describe, expect, test } from 'vitest';
import { channel, expectSoon, guide, openPage, see, thread, visit, write } from './open-page.ts';

export function testLayout(): void {
  describe('the layout', () => {
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
      await expectSoon(() => page.evaluate(isWide)).toBe(false);
      await message.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Edit the message').waitFor();
    });

    test('has each platform’s sections and roles, in light and dark, and keeps one’s place there', async () => {
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
  });
}
