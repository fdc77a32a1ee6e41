// `npm run screenshots`: the pictures of README.md, of Causeway in its sandbox.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../test/sandbox/page/browser.ts';

const root = join(import.meta.dirname, '..');
const question = '@causeway How do I add a source?';
const followUp = 'Which files can I add?';

/** Starts Causeway without tokens, on a folder of its own; resolves with the page's address. */
async function start(dataDir: string) {
  const child = spawn(process.execPath, [join(root, 'src/start.js')], {
    cwd: dataDir,
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: '0', LOG_FORMAT: 'json' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (address) {
      child.stdout.resume();
      return { child, address };
    }
  }
  throw new Error('Causeway ended before it listened');
}

/** Asks in the channel and again in the thread, and takes the picture when both are answered. */
async function takePicture(page: Page, path: string): Promise<void> {
  const write = async (pane: string, text: string) => {
    const composer = page.locator(pane).getByRole('textbox');
    await composer.fill(text);
    await composer.press('Enter');
  };
  const answered = (count: number) =>
    page
      .locator('#thread')
      .getByRole('button', { name: /Helpful$/ })
      .nth(count - 1)
      .waitFor();
  await write('#channel', question);
  await answered(1);
  await write('#thread', followUp);
  await answered(2);
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  process.stdout.write(`${path}\n`);
}

async function picture(
  browser: Browser,
  { url, name, colorScheme }: { url: string; name: string; colorScheme: 'light' | 'dark' },
): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
  await page.goto(url);
  await takePicture(page, join(root, 'docs', `${name}.png`));
}

const dataDir = await mkdtemp(join(tmpdir(), 'causeway-screenshots-'));
const { child, address } = await start(dataDir);
const browser = await launchBrowser();
try {
  await picture(browser, { url: `${address}/sandbox/#slack`, name: 'slack', colorScheme: 'light' });
  await picture(browser, {
    url: `${address}/sandbox/#discord`,
    name: 'discord',
    colorScheme: 'dark',
  });
} finally {
  await browser.close();
  child.kill('SIGTERM');
  await once(child, 'exit');
  await rm(dataDir, { recursive: true });
}
