import { Collection, RateLimitError, type TextBasedChannel } from 'discord.js';
import { expect, test } from 'vitest';
import { createMissedMessages } from '../../../src/bridge/discord/missed-messages.ts';
import { createQueue } from '../../../src/shared/primitives/queue.ts';
import { sleep } from '../../../src/shared/primitives/time.ts';
import { silentLog } from '../../fixtures/log.ts';

test('above 2000 messages the newest are left out, and the log says so', async () => {
  const all = Array.from({ length: 2500 }, (_, index) => String(index + 1));
  const calls: string[] = [];
  const channel = {
    id: 'busy',
    messages: {
      async fetch({ after, limit }: { after: string; limit: number }) {
        calls.push(after);
        const page = all.slice(Number(after), Number(after) + limit).toReversed();
        return new Collection(page.map((id) => [id, { id, guild: null }]));
      },
    },
  } as unknown as TextBasedChannel;
  const heard: string[] = [];
  const warnings: object[] = [];
  const missed = createMissedMessages({
    arrivals: createQueue(),
    unanswered: async (messages) => [...messages],
    hear: async ({ id }) => void heard.push(id),
    log: { ...silentLog, warn: (fields) => void warnings.push(fields) },
    sleep,
    signal: new AbortController().signal,
  });
  const find = async () => ({ channel, after: 0n, to: 2500n });
  expect(await missed.read('busy', find, async () => {})).toBe(2500n);
  expect(heard).toEqual(all.slice(0, 2000));
  expect(calls).toHaveLength(20);
  expect(warnings).toEqual([{ channel: 'busy', maxMessages: 2000 }]);
});

test('a rate limit of an hour does not hold up the channel’s events, nor other channels', async () => {
  const hourMs = 60 * 60 * 1000;
  let isLimited = true;
  const channel = {
    id: 'limited',
    messages: {
      async fetch() {
        if (isLimited) throw new RateLimitError({ ...limited, retryAfter: hourMs });
        return new Collection([['1', { id: '1', guild: null }]]);
      },
    },
  } as unknown as TextBasedChannel;
  const passed = Promise.withResolvers<void>();
  const waits: number[] = [];
  const heard: string[] = [];
  const arrivals = createQueue();
  const missed = createMissedMessages({
    arrivals,
    unanswered: async (messages) => [...messages],
    hear: async ({ id }) => void heard.push(id),
    log: silentLog,
    async sleep(ms) {
      waits.push(ms);
      await passed.promise;
    },
    signal: new AbortController().signal,
  });
  const reading = missed.read(
    'limited',
    async () => ({ channel, after: 0n, to: 1n }),
    async () => {},
  );
  await arrivals.run('limited', async () => void heard.push('later'));
  for (let other = 0; other < 4; other += 1) {
    await missed.read(
      `other ${other}`,
      async () => undefined,
      async () => {},
    );
  }
  isLimited = false;
  passed.resolve();
  await reading;
  expect(heard).toEqual(['later', '1']);
  expect(waits).toEqual([hourMs]);
});

const limited = {
  global: false,
  hash: 'h',
  limit: 5,
  majorParameter: '1',
  method: 'GET',
  route: '/channels/:id/messages',
  scope: 'user' as const,
  sublimitTimeout: 0,
  timeToReset: 99,
  url: '',
};
