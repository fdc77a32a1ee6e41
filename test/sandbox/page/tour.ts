import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { channel, expectSoon, openApp, openPageOf, see, thread, write } from './open-page.ts';

export function testTour(): void {
  test.each([
    { name: 'Slack, on a screen', hash: '#slack', viewport: screen },
    { name: 'Discord, on a phone', hash: '#discord', viewport: phone },
  ])(
    'the tour leads to a cited answer from the user’s own document, and axe-core finds no barrier: $name',
    async ({ hash, viewport }) => {
      const page = await openPageOf((await openApp()).origin, hash, viewport);
      const tour = page.getByRole('region', { name: 'Tour' });
      await see(tour, 'This is Causeway, a bot that answers questions from your documents');
      await tour.getByRole('button', { name: 'Take the tour' }).click();
      await writeItFor(page, '1 of 6');
      await see(thread(page), 'What can you do?');
      await writeItFor(page, '2 of 6');

      await see(tour, '3 of 6');
      await thread(page)
        .getByRole('button', { name: /Helpful$/ })
        .waitFor();
      await expectNoBarriersAnywhere(page);
      await page.setViewportSize(viewport);
      await closeThread(page);
      await page.evaluate(dropDocument);
      await see(channel(page), 'cafe-handbook.md');
      await page.keyboard.press('Enter');
      await see(tour, 'The file is sent, but the bot doesn’t know it yet');
      expect(await tour.getByRole('button', { name: 'Attach it' }).count()).toBe(0);
      const message = channel(page).locator('.message', { hasText: 'cafe-handbook.md' });
      await message.hover();
      await message.getByText('More actions').click();
      await message.getByRole('button', { name: 'Add files as sources' }).click();
      const form = page.getByRole('dialog');
      await form.getByRole('button', { name: /Send|Submit/ }).click();

      await see(tour, '4 of 6');
      await leaveAndResume(page);
      await writeItFor(page, '4 of 6');
      await see(tour.or(form), /5 of 6|\/source url/);
      if (await form.isVisible()) await form.getByRole('button', { name: 'Send' }).click();
      await writeItFor(page, '5 of 6');
      await see(tour, '6 of 6');
      await thread(page).getByRole('button', { name: 'Show passages' }).click();
      await see(tour, 'That was the tour');
      await see(thread(page).locator('.hidden-from-others'), 'two thirds beans from Ethiopia');
      await page.reload();
      const other = hash === '#slack' ? 'Discord' : 'Slack';
      await tour.getByRole('link', { name: `See it in ${other}` }).click();
      await expectSoon(() => page.locator('body').getAttribute('data-platform')).toBe(
        other.toLowerCase(),
      );
      await expectSoon(() => tour.isVisible()).toBe(false);
    },
  );
}

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const phone = { width: 390, height: 844 };
const screen = { width: 1280, height: 800 };

/** Beside an answer in a thread, in a form or a list of commands, and with the inspector. */
async function expectNoBarriersAnywhere(page: Page): Promise<void> {
  await page.evaluate(axe);
  await page.setViewportSize(phone);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectNoBarriers(page);

  await page.setViewportSize(screen);
  const composer = channel(page).getByRole('textbox');
  const isSlack = page.url().includes('#slack');
  if (isSlack) await write(channel(page), '/causeway tag create');
  else await composer.pressSequentially('/tag');
  await page.getByRole(isSlack ? 'dialog' : 'listbox').waitFor();
  await expectNoBarriers(page);
  await page.keyboard.press('Escape');
  await composer.fill('');

  await page.emulateMedia({ colorScheme: 'light' });
  const opener = page.getByRole('button', { name: 'Inspector', exact: true });
  await opener.click();
  await page.getByRole('region', { name: 'Inspector' }).waitFor();
  expect(await thread(page).isVisible()).toBe(true);
  await expectNoBarriers(page);
  await opener.click();
}

/** Looks for barriers on the page as it is now. */
async function expectNoBarriers(page: Page): Promise<void> {
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run({ resultTypes: ['violations'] })",
  );
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
  );
  expect(found).toEqual([]);
}

/** Has the page write what the step says, and sends it. */
async function writeItFor(page: Page, step: string): Promise<void> {
  const tour = page.getByRole('region', { name: 'Tour' });
  await see(tour, step);
  await tour.getByRole('button', { name: 'Write it' }).click();
  await page.keyboard.press('Enter');
}

/** Leaves the tour; it stays left when the page is loaded again, and goes on where it was. */
async function leaveAndResume(page: Page): Promise<void> {
  const tour = page.getByRole('region', { name: 'Tour' });
  await tour.getByRole('button', { name: 'Leave' }).click();
  await page.reload();
  await channel(page).getByRole('textbox').waitFor();
  await tour.waitFor({ state: 'hidden' });
  const menu = page.getByRole('button', { name: 'Channels' });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('button', { name: 'Tour' }).click();
}

async function closeThread(page: Page): Promise<void> {
  await thread(page).getByLabel('Close the thread').click();
  await channel(page).getByRole('textbox').waitFor();
}

/** Drags the tour's document to the conversation. */
const dropDocument = `(() => {
  const dataTransfer = new DataTransfer();
  const from = document.querySelector('#tour .document');
  const to = document.querySelector('#channel .messages');
  const drag = (target, type) => target.dispatchEvent(
    new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  drag(from, 'dragstart');
  drag(to, 'dragover');
  drag(to, 'drop');
})()`;
