import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openNotifications } from '../../../src/shared/stores/notifications.ts';
import { silentLog } from '../../fixtures/log.ts';
import { patience } from '../../fixtures/patience.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('nothing of a connection that has ended is kept, however often it is made again', async () => {
  const server = createServer((socket) => void socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  const listening = vi.spyOn(AbortSignal.prototype, 'addEventListener');
  let failures = 0;
  const warn = () => void (failures += 1);
  const url = `postgres://127.0.0.1:${address.port}/causeway`;
  {
    await using notifications = openNotifications(url, { ...silentLog, warn });
    const failOften = async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      expect(failures).toBeGreaterThan(5);
    };
    await vi.waitFor(failOften, { ...patience, interval: 10 });
    expect(notifications.isConnected).toBe(false);
    const kept = listening.mock.contexts.map(
      (signal) => getEventListeners(signal as AbortSignal, 'abort').length,
    );
    // It waits for the next one.
    expect(Math.max(...kept)).toBeLessThanOrEqual(2);
  }
  server.close();
});
