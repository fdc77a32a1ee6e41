import { expect, test } from 'vitest';
import { channel, expectSoon, openPage, see, thread, visit, write } from './open-page.ts';

export function testLayout(): void {
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

  test('each platform shows its sections, roles and moments, in light and dark, and the last place there', async () => {
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

    // The same day from Los Angeles to Auckland.
    const moment = Date.UTC(2023, 10, 15, 10) / 1000;
    await write(channel(page), `Since <t:${moment}:f>`);
    await see(channel(page), /Since November 15, 2023 at \d+:\d\d [AP]M/);
    await page.getByLabel('You are').selectOption('konrad');
    const inGerman = channel(page).getByText(/Since 15\. November 2023 um \d\d:\d\d/);
    await expectSoon(() => inGerman.count()).toBe(1);

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
