import { expect, test } from 'vitest';
import { PlatformError } from '../../../../src/bridge/conversation/errors.ts';
import { showResults } from '../../../../src/bridge/commands/adapters/show-results.ts';

/** A place that keeps what it showed, and a clock that goes on when the test says so. */
function createPlace(minIntervalMs = 1_000) {
  const shown: string[] = [];
  const waits: { ms: number; end: () => void }[] = [];
  const failures: unknown[] = [];
  return {
    shown,
    waits,
    failures,
    place: {
      async show({ markdown }: { markdown: string }) {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        shown.push(markdown);
      },
      minIntervalMs: () => minIntervalMs,
    },
    sleep(ms: number, signal?: AbortSignal): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waits.push({ ms, end: resolve });
      signal?.addEventListener('abort', () => reject(signal.reason));
      return promise;
    },
  };
}

/** Texts that come when the test gives them. */
function createTexts() {
  const stream = new TransformStream<{ markdown: string }, { markdown: string }>();
  const writer = stream.writable.getWriter();
  return {
    texts: stream.readable.values(),
    give: (markdown: string) => writer.write({ markdown }),
    end: writer.close.bind(writer),
  };
}

/** Lets everything that is ready to run, run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('shows the first text at once, the newest after each gap, and the last without one', async () => {
  const { place, sleep, shown, waits } = createPlace();
  const { texts, give, end } = createTexts();
  const done = showResults(texts, place, sleep);
  for (const text of ['one', 'two', 'three']) await give(text);
  await settled();
  expect(shown).toEqual(['one']);
  expect(waits.map(({ ms }) => ms)).toEqual([1_000]);
  waits[0]?.end();
  await settled();
  expect(shown).toEqual(['one', 'three']);
  await give('four');
  await end();
  await done;
  expect(shown).toEqual(['one', 'three', 'four']);
});

test('keeps the last use for the last text', async () => {
  const { place, sleep, shown, waits } = createPlace(Infinity);
  const { texts, give, end } = createTexts();
  const done = showResults(texts, place, sleep);
  for (const text of ['one', 'two', 'three']) await give(text);
  await settled();
  await end();
  await done;
  expect(shown).toEqual(['one', 'three']);
  expect(waits).toEqual([]);
});

test('shows an equal text once, and nothing where there is none', async () => {
  const { place, sleep, shown } = createPlace();
  const { texts, give, end } = createTexts();
  const done = showResults(texts, place, sleep);
  for (const text of ['same', 'same']) await give(text);
  await end();
  await done;
  expect(shown).toEqual(['same']);
});

test('waits as long as the platform says, and then shows the last text', async () => {
  const { place, sleep, shown, waits, failures } = createPlace();
  const limited = new PlatformError(
    'rate_limited',
    { code: 'platform_busy', params: { platform: 'Test' } },
    { retryAfterMs: 7_000 },
  );
  failures.push(limited, limited);
  const { texts, give, end } = createTexts();
  const done = showResults(texts, place, sleep);
  await give('one');
  await settled();
  await end();
  await settled();
  expect(shown).toEqual([]);
  expect(waits.map(({ ms }) => ms)).toEqual([7_000, 7_000]);
  waits[1]?.end();
  await done;
  expect(shown).toEqual(['one']);
});

test('tries a place that stays closed ever more slowly', async () => {
  const { place, sleep, shown, waits, failures } = createPlace();
  failures.push(
    ...Array.from({ length: 9 }, () => new PlatformError('forbidden', 'discord_forbidden')),
  );
  const { texts, give, end } = createTexts();
  const done = showResults(texts, place, sleep);
  await give('one');
  for (let tried = 0; tried < 9; tried += 1) {
    await settled();
    waits[tried]?.end();
  }
  await settled();
  expect(waits.slice(0, 9).map(({ ms }) => ms / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  await end();
  await done;
  expect(shown).toEqual(['one']);
});

test('gives up where there is no way to show anything, and after four tries', async () => {
  const forbidden = createPlace();
  const refusal = new PlatformError('forbidden', 'discord_forbidden');
  forbidden.failures.push(refusal, refusal);
  const one = createTexts();
  const first = showResults(one.texts, forbidden.place, forbidden.sleep);
  await one.give('one');
  await one.end();
  await expect(first).rejects.toBe(refusal);

  const broken = createPlace();
  const failure = new PlatformError('failed', 'discord_forbidden');
  broken.failures.push(...Array.from({ length: 9 }, () => failure));
  const two = createTexts();
  const waits: number[] = [];
  const second = showResults(two.texts, broken.place, async (ms) => waits.push(ms));
  await two.give('one');
  await two.end();
  await expect(second).rejects.toBe(failure);
  expect(broken.failures.length).toBeLessThanOrEqual(4);
});
