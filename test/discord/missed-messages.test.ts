import { Collection, type TextBasedChannel } from 'discord.js';
import { expect, test } from 'vitest';
import { createMissedMessages } from '../../src/discord/missed-messages.ts';
import { createQueue } from '../../src/primitives/queue.ts';
import { sleep } from '../../src/primitives/sleep.ts';
import { silentLog } from '../fixtures/log.ts';

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
