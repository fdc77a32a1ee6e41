import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { withConnector } from '../../../src/bridge/discord/library-patches.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => vi.useRealTimers());

test('each failure in a row to reach a gateway is reported later than the one before', async () => {
  const asked: unknown[] = [];
  const Gateway = withConnector(WebSocket, (destination, done) => {
    asked.push(destination);
    done(new Error('The proxy refuses'), null);
  });
  for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const gateway = new Gateway('wss://gateway.test/?v=10', [], { handshakeTimeout: 30_000 });
    const failed = once(gateway, 'error');
    await vi.advanceTimersByTimeAsync(waitMs - 1);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await failed).toMatchObject([{ message: 'The proxy refuses' }]);
  }
  expect(asked).toHaveLength(7);
  const host = 'gateway.test';
  expect(asked[0]).toMatchObject({ protocol: 'https:', host, hostname: host, port: '' });
});
