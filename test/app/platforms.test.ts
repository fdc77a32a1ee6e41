import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { connectPlatforms } from '../../src/app/platforms.ts';
import { PlatformError } from '../../src/bridge/conversation/errors.ts';
import type { Platform } from '../../src/bridge/conversation/platform.ts';
import { createFakeCore } from '../fixtures/fake-core.ts';
import { silentLog } from '../fixtures/log.ts';

const unreachable = new PlatformError('failed', {
  code: 'platform_unreachable',
  params: { platform: 'Slack' },
});

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

/** A platform whose first starts end as given; later ones succeed. */
function createPlatform(...outcomes: (Error | Promise<void>)[]) {
  const starts: number[] = [];
  const platform: Platform = {
    name: 'slack',
    host: 'slack.com',
    isConnected: false,
    fatalError: new Promise(() => {}),
    read: async () => undefined,
    rooms: { of: async () => undefined, has: async () => false },
    thread: () => {
      throw unreachable;
    },
    async start() {
      starts.push(Date.now());
      const outcome = outcomes.shift();
      if (outcome instanceof Error) throw outcome;
      await outcome;
    },
    async [Symbol.asyncDispose]() {},
  };
  return { platform, starts };
}

function connect(...platforms: Platform[]) {
  const stopping = new AbortController();
  const options = { log: silentLog, signal: stopping.signal };
  const connected: string[] = [];
  const core = { ...createFakeCore(), connected: (name: string) => void connected.push(name) };
  return { stopping, connected, ...connectPlatforms(platforms, core, options) };
}

test('an unreachable platform is retried with growing waits, and delays no other platform', async () => {
  const slack = createPlatform(...Array.from({ length: 7 }, () => unreachable));
  const discord = createPlatform();
  const began = Date.now();
  const { firstTries, connected } = connect(slack.platform, discord.platform);
  await firstTries;
  expect(discord.starts).toEqual([began]);
  expect(connected).toEqual([discord.platform.name]);
  await vi.advanceTimersByTimeAsync(300_000);
  const seconds = slack.starts.map((time) => (time - began) / 1000);
  expect(seconds).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
});

test('a rate limit is waited for', async () => {
  const problem = { code: 'platform_busy', params: { platform: 'Slack' } } as const;
  const slow = new PlatformError('rate_limited', problem, { retryAfterMs: 45_000 });
  const { platform, starts } = createPlatform(slow);
  const began = Date.now();
  connect(platform);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(starts).toEqual([began, began + 45_000]);
});

test('a permanent refusal is reported and not tried again', async () => {
  const refusal = new PlatformError('forbidden', 'slack_token_refused');
  const slack = createPlatform(refusal);
  const hanging = createPlatform(new Promise<void>(() => {}));
  const { firstTries, refused } = connect(slack.platform, hanging.platform);
  await expect(firstTries).rejects.toBe(refusal);
  expect(await refused).toBe(refusal);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(slack.starts).toHaveLength(1);
});

test('stopping ends the retries', async () => {
  const { platform, starts } = createPlatform(unreachable, unreachable);
  const { stopping, firstTries } = connect(platform);
  await firstTries;
  stopping.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(starts).toHaveLength(1);
});

test('the log names the host of an unreachable platform, and the cause', async () => {
  const lines: object[] = [];
  const log = { ...silentLog, warn: (details: object) => void lines.push(details) };
  const cause = new Error('getaddrinfo ENOTFOUND slack.com');
  const away = new PlatformError(
    'failed',
    { code: 'platform_unreachable', params: { platform: 'Slack' } },
    { cause: new Error('A request error occurred', { cause }) },
  );
  const { platform } = createPlatform(away);
  const { firstTries } = connectPlatforms(
    [platform],
    { ...createFakeCore(), connected() {} },
    {
      log,
      signal: AbortSignal.timeout(60_000),
    },
  );
  await firstTries;
  expect(lines).toEqual([
    { platform: 'slack', host: 'slack.com', reason: cause.message, retryMs: 1000 },
  ]);
});
