import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { type App, createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { silentLog } from '../../fixtures/log.ts';
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

const desktop = { width: 1280, height: 800 };

/** Opens the page of a sandbox; what it complains of in the console fails the test. */
export function usePageOf() {
  const browser = useBrowser();
  return async (origin: string, hash = '', viewport = desktop): Promise<Page> => {
    const context = await browser().newContext({ viewport, reducedMotion: 'reduce' });
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
      expect(faults).toEqual([]);
    });
    await page.goto(`${origin}/sandbox/${hash}`);
    return page;
  };
}

/** Opens the page on a sandbox of its own. */
export function usePage() {
  const open = usePageOf();
  return async (hash?: string, viewport?: typeof desktop, database = ':memory:') => {
    const served = await serveSandbox({ database });
    onTestFinished(() => served[Symbol.asyncDispose]());
    return { ...served, page: await open(served.origin, hash, viewport) };
  };
}

/** Runs the bridge and the built-in service on a sandbox, in a folder of its own, for the tests of a suite. */
export function useApp(): () => App {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-'));
  let app: App;
  beforeAll(async () => {
    app = await createApp(readConfig({ DATA_DIR: folder, PORT: '0' }), silentLog);
  }, 60_000);
  afterAll(async () => {
    await app?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  return () => app;
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
    .getByRole('textbox', { name: new RegExp(`Message #?${name}$`) })
    .waitFor();
}

/** Writes a message, or a command, in a pane and sends it. */
export async function write(pane: Locator, text: string): Promise<void> {
  await pane.getByRole('textbox').fill(text);
  await pane.getByRole('textbox').press('Enter');
}

/** Waits until a pane shows a text. */
export const see = (pane: Locator, text: string | RegExp) => pane.getByText(text).first().waitFor();
