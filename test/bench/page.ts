/**
 * How long the sandbox's page keeps the browser busy at a time with 10,000 messages in a channel, on
 * both platforms: opening it, scrolling, and going back to the first message with “Show earlier”.
 * Prints a JSON line for each, with the max task by the clock and by the processor’s time; run it
 * with `node test/bench/page.ts [messages]`. Needs Chromium.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { fillLongChannels } from '../sandbox/long-channels.ts';
import { launchBrowser } from '../sandbox/page/browser.ts';
import { serveSandbox } from '../sandbox/serve-sandbox.ts';

/** In the page: notes the tasks of 50 ms and more, which is what a browser calls long. */
const watchTasks = `globalThis.tasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(Math.round(duration));
  }).observe({ type: 'longtask', buffered: true });`;
/** In the page: shows an earlier page; resolves with whether there is another one. */
const showEarlier = `new Promise((done) => {
  const button = document.querySelector('#channel .pages button');
  new MutationObserver((_, observer) => {
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => done(!button.hidden)));
  }).observe(document.querySelector('#channel ol'), { childList: true });
  button.click();
})`;
const goalMs = 100;
const messages = Number(process.argv[2] ?? 10_000);

const folder = await mkdtemp(join(tmpdir(), 'causeway-page-'));
const database = join(folder, 'sandbox.sqlite');
await fillLongChannels(database, messages);
{
  await using served = await serveSandbox({ database });
  await using browser = await launchBrowser();
  const { slack, discord } = served.sandbox;
  for (const [platform, id] of [
    ['slack', slack.channels()[0]?.id],
    ['discord', discord.channels()[0]?.id],
  ]) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.addInitScript(watchTasks);
    await measure(browser, page, `${platform}: opening`, async () => {
      await page.goto(`${served.origin}/sandbox/#${platform}/${id}`);
      await page.getByText(`no. ${messages}.`).first().waitFor();
    });
    await measure(browser, page, `${platform}: scrolling`, () => scroll(page));
    await measure(browser, page, `${platform}: showing all earlier messages`, async () => {
      while (await page.evaluate(showEarlier));
    });
    await page.close();
  }
}
await rm(folder, { recursive: true });

async function measure(
  browser: Browser,
  page: Page,
  name: string,
  run: () => Promise<void>,
): Promise<void> {
  await browser.startTracing(page, { categories: ['toplevel'] });
  const begun = performance.now();
  await run();
  const seconds = (performance.now() - begun) / 1000;
  const trace = (await browser.stopTracing()).toString();
  const maxTaskCpuMs = Math.round(maxCpuMs(JSON.parse(trace) as Trace));
  const script = `new Promise((done) => setTimeout(() => done([tasks.splice(0),
    document.querySelectorAll('#channel *').length]), 200))`;
  const [tasks, nodes] = (await page.evaluate(script)) as [number[], number];
  const maxTaskMs = Math.max(0, ...tasks);
  const about = { messages, seconds: Math.round(seconds * 10) / 10, nodes };
  process.stdout.write(
    `${JSON.stringify({ measure: name, ...about, longTasks: tasks.length, maxTaskMs, maxTaskCpuMs, goalMs })}\n`,
  );
}

interface Trace {
  traceEvents: { name: string; pid: number; tid: number; tdur?: number; args: { name?: string } }[];
}

/**
 * The max time that a task of the page's main thread took of the processor, which others who use the
 * machine don't lengthen.
 */
function maxCpuMs({ traceEvents }: Trace): number {
  const keyOf = ({ pid, tid }: { pid: number; tid: number }) => `${pid}:${tid}`;
  const named = traceEvents.filter(({ name }) => name === 'thread_name');
  const mains = new Set(named.filter(({ args }) => args.name === 'CrRendererMain').map(keyOf));
  const tasks = traceEvents.filter((event) => mains.has(keyOf(event)));
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

/** Scrolls through what is on the page, up and down, as a wheel does. */
async function scroll(page: Page): Promise<void> {
  await page.mouse.move(700, 400);
  for (const step of [-600, 600]) {
    for (let count = 0; count < 40; count += 1) {
      await page.mouse.wheel(0, step);
      await page.evaluate('new Promise(requestAnimationFrame)');
    }
  }
}
