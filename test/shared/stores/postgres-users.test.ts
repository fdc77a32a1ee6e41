import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isAway } from '../../../src/shared/stores/open-error.ts';
import { isUsed } from '../../../src/shared/stores/postgres-users.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('a server that says nothing counts as away within seconds', async () => {
  await using server = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
  const connected = once(server, 'connection');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const failed = isUsed(`postgres://ada@127.0.0.1:${port}/db`).catch((error: unknown) => error);
  await connected;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(isAway(await failed)).toBe(true);
});
