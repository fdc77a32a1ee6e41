import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { expect, onTestFailed, onTestFinished } from 'vitest';
import { type App, createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { silentLog } from '../../fixtures/log.ts';
import { sharedExtractor } from '../../fixtures/shared-extractor.ts';
import { serveSandbox, startSandboxServer } from '../serve-sandbox.ts';
import { launchBrowser } from './browser.ts';

const desktop = { width: 1280, height: 800 };

/** One browser and one page, for every test: starting them takes longer than most tests do. */
let browser: Promise<Browser> | undefined;
let page: Promise<Page> | undefined;
/** What the page complains of in the console. */
let faults: string[] = [];

async function createPage(): Promise<Page> {
  browser ??= launchBrowser();
  const context = await (await browser).newContext({ viewport: desktop, reducedMotion: 'reduce' });
  const created = await context.newPage();
  created.setDefaultTimeout(20_000);
  created.on('pageerror', (error) => faults.push(error.message));
  created.on('console', (message) => {
    const isRefusal = message.text().includes('status of 400');
    // The browser asks for one where no page names it.
    const isIcon = message.location().url.endsWith('/favicon.ico');
    if (message.type() === 'error' && !isRefusal && !isIcon) faults.push(message.text());
  });
  return created;
}

/** The page, as wide as a screen; what it complains of in the console fails the test. */
async function usePage(viewport = desktop): Promise<Page> {
  page ??= createPage();
  const used = await page;
  faults = [];
  onTestFinished(() => expect(faults).toEqual([]));
  await used.setViewportSize(viewport);
  await used.emulateMedia({ colorScheme: 'light' });
  return used;
}

/** The origin whose page stays open from test to test. */
let kept: string | undefined;

/** The page no longer follows the sandbox, and keeps nothing for another test. */
async function leave(opened: Page): Promise<void> {
  kept = undefined;
  await opened.goto(new URL('/sandbox/icon.svg', opened.url()).href);
  await opened.evaluate('localStorage.clear(); sessionStorage.clear()');
}

/** Opens a sandbox as on a first visit. */
export async function openPageOf(origin: string, hash = '', viewport = desktop): Promise<Page> {
  const opened = await usePage(viewport);
  if (kept) await leave(opened);
  onTestFinished(() => leave(opened));
  await opened.goto(`${origin}/sandbox/${hash}`);
  return opened;
}

/**
 * Goes to a place on a page that stays open for the next test: loading it takes longer than most
 * tests do. After a test that failed, it is opened as on a first visit.
 */
export async function stayOnPageOf(origin: string, hash: string): Promise<Page> {
  const opened = await usePage();
  if (kept && kept !== origin) await leave(opened);
  kept = origin;
  onTestFailed(() => leave(opened));
  await opened.goto(`${origin}/sandbox/${hash}`);
  // The page completes the place that it shows.
  await opened.waitForURL(/#\w+\/./);
  await channel(opened).getByRole('textbox').waitFor();
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
export async function openPage(database?: string) {
  const served = await openSandbox(database);
  return { ...served, page: await openPageOf(served.origin) };
}

let shared: ReturnType<typeof serveSandbox> | undefined;

/** Goes to Slack's #general as Ada, in a sandbox in which other tests have written. */
export async function openSharedPage() {
  shared ??= serveSandbox();
  const served = await shared;
  const opened = await stayOnPageOf(served.origin, '#slack');
  await opened.getByLabel('Message #general').fill('');
  const who = opened.getByLabel('You are');
  if ((await who.inputValue()) !== 'ada') await who.selectOption('ada');
  return { ...served, page: opened };
}

let heard = 0;

/** Waits until the page has heard of all that has happened, as changes arrive in their order. */
export async function catchUp(
  { page: opened, post }: Awaited<ReturnType<typeof openSharedPage>>,
  platform: 'slack' | 'discord',
  name: string,
): Promise<void> {
  heard += 1;
  const text = `Heard ${heard}`;
  await post(`/${platform}/say`, { user: 'grace', channel: `#${name}`, text });
  await channel(opened).getByText(text, { exact: true }).waitFor();
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
  await (await shared)?.[Symbol.asyncDispose]();
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
  // Found without a look at every message.
  const composer = pane.locator('.composer').getByRole('textbox');
  await composer.fill(text);
  await composer.press('Enter');
}

/** Waits until a pane shows a text. */
export const see = (pane: Locator, text: string | RegExp) => pane.getByText(text).first().waitFor();

/** Expects of what the page shows, which follows a little later than what causes it. */
export function expectSoon<T>(read: () => Promise<T>) {
  return expect.poll(read, { timeout: 20_000 });
}
