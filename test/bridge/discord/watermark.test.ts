import { beforeEach, expect, test, vi } from 'vitest';
import { createWatermark, snowflakeAt } from '../../../src/bridge/discord/watermark.ts';
import { silentLog } from '../../fixtures/log.ts';

const key = 'app:0';
const now = () => Date.UTC(2026, 10, 22);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return () => vi.useRealTimers();
});

function open(stored?: string) {
  const writes: string[] = [];
  const store = {
    set: async (_: string, value: string) => {
      writes.push(value);
    },
  };
  return { writes, watermark: createWatermark({ store, key, stored, now, log: silentLog }) };
}

test('it starts at the present, and where it was stored', async () => {
  const fresh = open();
  await fresh.watermark.close();
  expect(fresh.writes).toEqual([String(snowflakeAt(now()))]);
  expect(open('7').watermark.hold().from).toBe(7n);
});

test('the watermark’s start is stored at once, so that no crash loses it', () => {
  expect(open().writes).toEqual([String(snowflakeAt(now()))]);
  expect(open('7').writes).toEqual([]);
});

test('the watermark is stored once a second, and when it is closed', async () => {
  const { watermark, writes } = open('1');
  for (const id of [2n, 3n, 4n]) await watermark.follow(id, Promise.resolve(true));
  expect(writes).toEqual([]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(writes).toEqual(['4']);
  watermark.reach(5n);
  await watermark.close();
  expect(writes).toEqual(['4', '5']);
});

test('the watermark never passes a message that is under way or failed', async () => {
  const { watermark, writes } = open('1');
  const underWay = Promise.withResolvers<boolean>();
  const followed = watermark.follow(5n, underWay.promise);
  await watermark.follow(9n, Promise.resolve(true));
  await vi.advanceTimersByTimeAsync(1000);
  underWay.resolve(true);
  await followed;
  await watermark.follow(12n, Promise.resolve(false));
  await watermark.follow(13n, Promise.resolve(true));
  await watermark.close();
  expect(writes).toEqual(['4', '11']);
});

test('a hold keeps the watermark where it was', async () => {
  const { watermark, writes } = open('3');
  const hold = watermark.hold();
  await watermark.follow(9n, Promise.resolve(true));
  await vi.advanceTimersByTimeAsync(1000);
  expect(writes).toEqual([]);
  hold.release();
  await vi.advanceTimersByTimeAsync(1000);
  expect(writes).toEqual(['9']);
});
