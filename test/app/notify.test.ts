import { expect, test } from 'vitest';
import { PlatformError } from '../../src/bridge/conversation/errors.ts';
import type { Notice } from '../../src/bridge/conversation/platform.ts';
import { createNotify } from '../../src/app/platforms.ts';

const notice: Notice = { workspace: 'W', to: { channel: 'C' }, markdown: 'News' };

/** A platform that refuses the first notices with these errors, and the notices and waits it saw. */
function createBusy(...refusals: PlatformError[]) {
  const told: Notice[] = [];
  const waited: number[] = [];
  const notify = createNotify({
    platforms: [
      { name: 'quiet' },
      {
        name: 'busy',
        async notify(each) {
          const refusal = refusals.shift();
          if (refusal) throw refusal;
          told.push(each);
        },
      },
    ],
    sleep: async (ms) => void waited.push(ms),
  });
  return { notify, told, waited };
}

const tooFast = (retryAfterMs?: number) =>
  new PlatformError(
    'rate_limited',
    { code: 'platform_busy', params: { platform: 'Test' } },
    retryAfterMs ? { retryAfterMs } : {},
  );

test('a notice waits as long as a busy platform asks', async () => {
  const { notify, told, waited } = createBusy(tooFast(300), tooFast());
  await notify('busy', notice);
  expect([told, waited]).toEqual([[notice], [300, 1000]]);
});

test('a notice is given up after four tries, and at once if waiting can’t help', async () => {
  const { notify, told, waited } = createBusy(...Array.from({ length: 4 }, () => tooFast(1)));
  await expect(notify('busy', notice)).rejects.toThrow('too many messages');
  expect([told, waited]).toEqual([[], [1, 1, 1]]);
  const gone = createBusy(new PlatformError('gone', 'channel_gone'));
  await expect(gone.notify('busy', notice)).rejects.toThrow('no longer exists');
  expect(gone.waited).toEqual([]);
});

test('a notice is given up if it would have to wait for more than a minute in all', async () => {
  const { notify, told, waited } = createBusy(tooFast(40_000), tooFast(20_001));
  await expect(notify('busy', notice)).rejects.toThrow('too many messages');
  expect([told, waited]).toEqual([[], [40_000]]);
  const patient = createBusy(tooFast(60_000));
  await patient.notify('busy', notice);
  expect(patient.waited).toEqual([60_000]);
});

test('a platform that can’t send notices, or isn’t connected, is an error that says so', async () => {
  const { notify } = createBusy();
  await expect(notify('quiet', notice)).rejects.toThrow('I can’t send notices on quiet');
  await expect(notify('absent', notice)).rejects.toThrow('I can’t send notices on absent');
});
