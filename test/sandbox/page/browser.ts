import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's headless shell starts and draws with less work than its whole Chromium. */
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const executablePath = process.env['CHROMIUM_PATH'] ?? installed.find((path) => existsSync(path));

/** Tests in a browser are skipped where there is none. */
export const hasChromium = executablePath !== undefined && existsSync(executablePath);

/** With fewer processes and threads, it does less work. The whole Chromium needs its processes. */
const sparing = [
  '--js-flags=--single-threaded',
  ...(executablePath?.endsWith('headless-shell') ? ['--single-process'] : []),
];

/** Starts a headless browser, which the caller closes. */
export function launchBrowser({ isSparing = false } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath,
    // The browser hangs under faketime.
    env: { ...process.env, LD_PRELOAD: undefined },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...(isSparing ? sparing : []),
    ],
  });
}
