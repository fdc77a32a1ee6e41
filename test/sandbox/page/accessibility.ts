import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { channel, openApp, openPageOf, thread, visit, write } from './open-page.ts';

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

export function testAccessibility(): void {
  describe('everybody can use the page', () => {
    test.each(['Slack', 'Discord'] as const)('on %s: axe-core finds nothing', async (platform) => {
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

      await write(channel(page), platform === 'Slack' ? '/causeway tag create' : '/tag create');
      await page.getByRole('dialog').waitFor();
      await expectNoBarriers(page, 'dark');
      await page.keyboard.press('Escape');

      await page.getByRole('button', { name: 'Inspector' }).click();
      await page.getByRole('region', { name: 'Inspector' }).waitFor();
      await expectNoBarriers(page, 'light');
    });
  });
}
