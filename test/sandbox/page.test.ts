import { afterAll, describe, expect, test } from 'vitest';
import { testAnswers } from './page/answers.ts';
import { hasChromium } from './page/browser.ts';
import { testComposer } from './page/composer.ts';
import { testConversation } from './page/conversation.ts';
import { testForms } from './page/forms.ts';
import { testForums } from './page/forums.ts';
import { testHistory } from './page/history.ts';
import { testInspector } from './page/inspector.ts';
import { testLayout } from './page/layout.ts';
import { closeAll } from './page/open-page.ts';
import { testText } from './page/text.ts';
import { testTour } from './page/tour.ts';
import { testWorkspaces } from './page/workspaces.ts';
import { serveSandbox } from './serve-sandbox.ts';

test('the page’s files are named after their contents and stored by the browser; nothing else is', async () => {
  await using served = await serveSandbox();
  const ask = (path: string) => fetch(`${served.origin}/sandbox/${path}`);
  const html = await (await ask('')).text();
  const named = [...html.matchAll(/ (?:href|src)="(.*?)"/g)].map(([, path = '']) => path);
  expect(named).toContainEqual(expect.stringMatching(/^[\da-f]{16}\/main\.js$/));
  for (const path of named) {
    const { status, headers } = await ask(path);
    expect([path, status]).toEqual([path, 200]);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
  }
  expect((await ask('main.js')).headers.get('cache-control')).toBe('no-cache');
  const another = named[0]?.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  expect((await ask(`${another}`)).status).toBe(404);
});

test('the page is served alone, and may load nothing from elsewhere', async () => {
  await using served = await serveSandbox();
  const ask = (path: string) => fetch(`${served.origin}${path}`, { redirect: 'manual' });
  expect((await ask('/sandbox')).headers.get('location')).toBe('/sandbox/');
  const page = await ask('/sandbox/');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
  expect(await page.text()).toContain('<title>Causeway sandbox</title>');
  expect(page.headers.get('cache-control')).toBe('no-cache');
  expect((await ask('/sandbox/main.js')).headers.get('content-type')).toMatch(/^text\/javascript/);
  const style = await ask('/sandbox/styles/layout.css');
  expect(style.headers.get('content-type')).toMatch(/^text\/css/);
  for (const path of ['/sandbox/..%2fcontrol.ts', '/sandbox/page/main.js', '/sandbox/nothing.js']) {
    expect((await ask(path)).status).toBe(404);
  }
});

if (!hasChromium) {
  process.stdout.write('The page is not tested: no Chromium at CHROMIUM_PATH or in /usr/bin.\n');
}

// All in one file, as starting a browser, and an app, takes longer than most of the tests.
describe.skipIf(!hasChromium)('in a browser', { timeout: 240_000 }, () => {
  afterAll(closeAll);
  testTour();
  testLayout();
  testInspector();
  testConversation();
  testAnswers();
  testComposer();
  testForms();
  testForums();
  testHistory();
  testText();
  testWorkspaces();
});
