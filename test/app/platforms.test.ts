import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { connectPlatforms } from '../../src/app/platforms.ts';
import { PlatformError } from '../../src/bridge/conversation/errors.ts';
import type { Platform } from '../../src/bridge/conversation/platform.ts';
import { createFakeCore } from '../fixtures/fake-core.ts';
import { silentLog } from '../fixtures/log.ts';
import { createMemoryLog } from '../fixtures/memory-log.ts';

const unreachable = new PlatformError('failed', {
  code: 'platform_unreachable',
  params: { platform: 'Slack' },
});

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

const tokenRefused = new PlatformError('forbidden', 'slack_token_refused');
const intentMissing = new PlatformError('forbidden', 'discord_intent_missing');
const minuteMs = 60_000;

/** A platform whose first starts end as given; later ones succeed. */
function createPlatform(...outcomes: (Error | Promise<void>)[]) {
  const starts: number[] = [];
  let lost = Promise.withResolvers<PlatformError>();
  const platform: Platform = {
    name: 'slack',
    host: 'slack.com',
    isConnected: false,
    get fatalError() {
      return lost.promise;
    },
    read: async () => undefined,
    rooms: { of: async () => undefined, has: async () => false },
    thread: () => {
      throw unreachable;
    },
    async start() {
      starts.push(Date.now());
      lost = Promise.withResolvers();
      const outcome = outcomes.shift();
      if (outcome instanceof Error) throw outcome;
      await outcome;
    },
    async [Symbol.asyncDispose]() {},
  };
  return { platform, starts, lose: (error: PlatformError) => lost.resolve(error) };
}

/** A platform that refuses the bot at each start. */
function createRefusing(name: string, error: PlatformError) {
  const { platform, starts } = createPlatform(...Array.from({ length: 1000 }, () => error));
  return { platform: Object.assign(platform, { name }), starts };
}

function connect(...platforms: Platform[]) {
  const stopping = new AbortController();
  const log = createMemoryLog();
  const options = { log, signal: stopping.signal };
  const connected: string[] = [];
  const core = { ...createFakeCore(), connected: (name: string) => void connected.push(name) };
  const connecting = connectPlatforms(platforms, core, options);
  const shutOut: unknown[] = [];
  void connecting.shutOut.then((error) => shutOut.push(error.message));
  return { ...connecting, stopping, connected, log, shutOut };
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

test('a refusal is logged at once as an error, and tried again with growing waits', async () => {
  const { platform, starts } = createRefusing('slack', tokenRefused);
  const began = Date.now();
  const { firstTries, refusal, log } = connect(platform);
  await firstTries;
  expect(log.lines).toEqual([
    {
      level: 'error',
      fields: { platform: 'slack', retryMs: 1000 },
      message: expect.stringContaining('SLACK_BOT_TOKEN'),
    },
  ]);
  expect(refusal('slack')).toContain('SLACK_BOT_TOKEN');
  await vi.advanceTimersByTimeAsync(5 * minuteMs);
  const seconds = starts.map((time) => (time - began) / 1000);
  expect(seconds).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 247]);
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('a refusal that passes does no harm', async () => {
  const { platform } = createPlatform(...Array.from({ length: 8 }, () => tokenRefused));
  const { firstTries, refusal, connected, shutOut } = connect(platform);
  await firstTries;
  await vi.advanceTimersByTimeAsync(20 * minuteMs);
  expect(connected).toEqual(['slack']);
  expect(refusal('slack')).toBeUndefined();
  expect(shutOut).toEqual([]);
});

test('a platform that refuses the bot does not keep it from the other one', async () => {
  const slack = createPlatform();
  const discord = createRefusing('discord', intentMissing);
  const { connected, shutOut, stopping } = connect(slack.platform, discord.platform);
  await vi.advanceTimersByTimeAsync(24 * 60 * minuteMs);
  expect(connected).toEqual(['slack']);
  expect(shutOut).toEqual([]);
  // Discord resets the token of a bot that identifies itself 1000 times a day.
  expect(discord.starts.length).toBeLessThan(200);
  stopping.abort();
});

test('once all platforms have refused the bot for ten minutes, it is shut out', async () => {
  const slack = createRefusing('slack', tokenRefused);
  const discord = createRefusing('discord', intentMissing);
  const { shutOut } = connect(slack.platform, discord.platform);
  await vi.advanceTimersByTimeAsync(9 * minuteMs);
  expect(shutOut).toEqual([]);
  await vi.advanceTimersByTimeAsync(3 * minuteMs);
  expect(shutOut).toEqual([`${tokenRefused.message}\n${intentMissing.message}`]);
});

test('a platform of which a part is connected goes on, whatever refuses the rest', async () => {
  const discord = createRefusing('discord', intentMissing);
  const { connected, shutOut, firstTries } = connect(
    Object.assign(discord.platform, { isPartlyConnected: true }),
  );
  await firstTries;
  expect(connected).toEqual(['discord']);
  await vi.advanceTimersByTimeAsync(60 * minuteMs);
  expect(shutOut).toEqual([]);
  expect(discord.starts.length).toBeLessThan(40);
});

test('a platform that can’t be reached meanwhile does not count as refusing', async () => {
  const outcomes = [tokenRefused, unreachable, ...Array.from({ length: 4 }, () => tokenRefused)];
  const { platform } = createPlatform(...outcomes, ...Array.from({ length: 9 }, () => unreachable));
  const { shutOut, refusal } = connect(platform);
  await vi.advanceTimersByTimeAsync(15 * minuteMs);
  expect(refusal('slack')).toBeUndefined();
  expect(shutOut).toEqual([]);
});

test('a connection that is lost for good is opened again', async () => {
  const slack = createPlatform();
  const discord = createPlatform();
  const { connected, refusal, firstTries } = connect(slack.platform, discord.platform);
  await firstTries;
  slack.lose(tokenRefused);
  await vi.advanceTimersByTimeAsync(500);
  expect(refusal('slack')).toContain('SLACK_BOT_TOKEN');
  await vi.advanceTimersByTimeAsync(1000);
  expect(refusal('slack')).toBeUndefined();
  expect(slack.starts).toHaveLength(2);
  expect(connected).toHaveLength(3);
  expect(discord.starts).toHaveLength(1);
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
