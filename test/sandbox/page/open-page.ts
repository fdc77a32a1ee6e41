import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { serveSandbox } from '../serve-sandbox.ts';
import { hasChromium, launchBrowser } from './browser.ts';

export { hasChromium };

if (!hasChromium) {
  process.stdout.write(
    `The page is not tested: no Chromium at CHROMIUM_PATH or /usr/bin/chromium.\n`,
  );
}

/** Launches a browser for the tests of a suite, and closes it. */
function useBrowser(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  return () => browser;
}

/** Opens the page on a sandbox of its own; what it complains of in the console fails the test. */
export function usePage() {
  const browser = useBrowser();
  return async (hash = '', viewport = { width: 1280, height: 800 }, database = ':memory:') => {
    const served = await serveSandbox({ database });
    const context = await browser().newContext({ viewport });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      const isRefusal = message.text().includes('status of 400');
      if (message.type() === 'error' && !isRefusal) faults.push(message.text());
    });
    onTestFinished(async () => {
      await context.close();
      await served[Symbol.asyncDispose]();
      expect(faults).toEqual([]);
    });
    await page.goto(`${served.origin}/sandbox/${hash}`);
    return { ...served, page };
  };
}

/** The pane of the open channel. */
export const channel = (page: Page) => page.locator('#channel');

/** The pane of the open thread. */
export const thread = (page: Page) => page.locator('#thread');

/** Goes to a channel of a platform, and waits until it is open. */
export async function visit(page: Page, platform: 'Slack' | 'Discord', name: string) {
  await page.locator('#rail').getByRole('link', { name: platform }).click();
  await page.locator(`#sidebar.${platform.toLowerCase()}`).getByRole('link', { name }).click();
  await channel(page)
    .getByRole('combobox', { name: new RegExp(`Message #?${name}$`) })
    .waitFor();
}

/** Writes a message, or a command, in a pane and sends it. */
export async function write(pane: Locator, text: string): Promise<void> {
  await pane.getByRole('combobox').fill(text);
  await pane.getByRole('combobox').press('Enter');
}

/** Waits until a pane shows a text. */
export const see = (pane: Locator, text: string | RegExp) => pane.getByText(text).first().waitFor();
