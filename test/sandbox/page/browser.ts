import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Tests in a browser are skipped where there is none. */
export const hasChromium = existsSync(executablePath);

/** Starts a headless browser, which the caller closes. */
export function launchBrowser(): Promise<Browser> {
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
    ],
  });
}
