import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { type App, createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { silentLog } from '../../fixtures/log.ts';
import { sharedExtractor } from '../../fixtures/shared-extractor.ts';
import { serveSandbox, startSandboxServer } from '../serve-sandbox.ts';
import { launchBrowser } from './browser.ts';
import { patience } from '../../fixtures/patience.ts';

const desktop = { width: 1280, height: 800 };

/** One browser and one page, for every test: starting them takes longer than most tests do. */
let browser: Promise<Browser> | undefined;
let page: Promise<Page> | undefined;
/** What the page complains of in the console. */
let faults: string[] = [];

/** A first visit finds nothing that the page has stored for another test. */
const keepNothing = `if (location.search === '?first') {
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, '', location.pathname + location.hash);
}`;

async function createPage(): Promise<Page> {
  browser ??= launchBrowser({ isSparing: true });
  const context = await (await browser).newContext({ viewport: desktop, reducedMotion: 'reduce' });
  await context.addInitScript(keepNothing);
  const created = await context.newPage();
  created.setDefaultTimeout(patience.timeout);
  created.on('pageerror', (error) => faults.push(error.message));
  created.on('console', (message) => {
    const isRefusal = message.text().includes('status of 400');
    // The browser asks for one where no page names it.
    const isIcon = message.location().url.endsWith('/favicon.ico');
    if (message.type() === 'error' && !isRefusal && !isIcon) faults.push(message.text());
  });
  return created;
}

/** Opens a sandbox as on a first visit; what the page complains of in the console fails the test. */
export async function openPageOf(origin: string, hash = '', viewport = desktop): Promise<Page> {
  page ??= createPage();
  const opened = await page;
  faults = [];
  onTestFinished(async () => {
    // The page no longer follows the sandbox.
    await opened.goto(`${origin}/sandbox/icon.svg`);
    expect(faults).toEqual([]);
  });
  await opened.setViewportSize(viewport);
  await opened.emulateMedia({ colorScheme: 'light' });
  await opened.goto(`${origin}/sandbox/?first${hash}`);
  return opened;
}

/** One origin for one sandbox after another, as the browser keeps the page's files by origin. */
let server: ReturnType<typeof startSandboxServer> | undefined;

/** A sandbox for a test, whose page is not yet open. */
export async function openSandbox(database = ':memory:') {
  server ??= startSandboxServer();
  const served = await serveSandbox({ database, server: await server });
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

/** Opens the page on a sandbox of its own. */
export async function openPage(hash?: string, viewport?: typeof desktop, database?: string) {
  const served = await openSandbox(database);
  return { ...served, page: await openPageOf(served.origin, hash, viewport) };
}

const folder = mkdtempSync(join(tmpdir(), 'causeway-'));
let app: Promise<App> | undefined;

/** The bridge and the built-in service on a sandbox, in a folder of their own, shared by the tests. */
export function openApp(): Promise<App> {
  app ??= createApp(readConfig({ DATA_DIR: folder, PORT: '0' }), silentLog, {
    service: { extractor: sharedExtractor },
  });
  return app;
}

/** Closes what the tests share. */
export async function closeAll(): Promise<void> {
  await (await browser)?.close();
  await (await app)?.[Symbol.asyncDispose]();
  await (await server)?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}

/** A file to add. */
export const guide = {
  name: 'guide.md',
  mimeType: 'text/markdown',
  buffer: Buffer.from('# Guide'),
};

/** The pane of the open channel. */
export const channel = (page: Page) => page.locator('#channel');

/** The pane of the open thread. */
export const thread = (page: Page) => page.locator('#thread');

type PlatformName = 'Slack' | 'Discord';

/** Goes to a channel of a platform, and waits until it is open. */
export async function visit(page: Page, platform: PlatformName, name: string): Promise<void> {
  await page.locator('#rail').getByRole('link', { name: platform }).click();
  await page.locator(`#sidebar.${platform.toLowerCase()}`).getByRole('link', { name }).click();
  await seeOpen(page, name);
}

/** Opens a sandbox in a channel, as on a first visit. */
export async function openPageIn(origin: string, platform: PlatformName, name: string) {
  const opened = await openPageOf(origin, `#${platform.toLowerCase()}/${name}`);
  await seeOpen(opened, name);
  return opened;
}

/** Waits until a channel is open, so that what is written there isn't taken for another's draft. */
export const seeOpen = (page: Page, name: string) =>
  channel(page)
    .getByRole('textbox', { name: new RegExp(`Message #?${name}$`) })
    .waitFor();

/** Writes a message, or a command, in a pane and sends it. */
export async function write(pane: Locator, text: string): Promise<void> {
  // Found without a look at every message.
  const composer = pane.locator('.composer').getByRole('textbox');
  await composer.fill(text);
  await composer.press('Enter');
}

/** Waits until a pane shows a text. */
export const see = (pane: Locator, text: string | RegExp) => pane.getByText(text).first().waitFor();

/** Expects of what the page shows, which follows a little later than what causes it. */
export function expectSoon<T>(read: () => Promise<T>) {
  return expect.poll(read);
}
