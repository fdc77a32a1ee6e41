import { expect, test } from 'vitest';
import { createPacing, toWholeCharacters } from '../../../src/service/answer/deltas.ts';

const text = 'One two three, four five six. Seven eight nine ten.';
const { signal } = new AbortController();

/** Pacing whose time does not pass, with all it has slept. */
function startPacing() {
  const slept: number[] = [];
  const toPaced = createPacing({
    deltaMs: 15,
    sleep: async (ms) => {
      slept.push(ms);
    },
  });
  return { toPaced, slept };
}

test('a stream of deltas shows a text word by word', async () => {
  const { toPaced, slept } = startPacing();
  const words = await Array.fromAsync(toPaced(text, signal));
  expect(words).toEqual(text.match(/\S+\s?/g));
  expect(slept).toEqual(words.map(() => 15));
});

test('a stream of deltas shows texts of a crowd several words at a time, at the same speed', async () => {
  const { toPaced, slept } = startPacing();
  const crowd = Array.from({ length: 16 }, () => toPaced(text, signal));
  await Promise.all(crowd.map((shown) => shown.next()));

  const parts = await Array.fromAsync(toPaced(text, signal));
  expect(parts).toEqual(['One two three, ', 'four five six. ', 'Seven eight nine ', 'ten.']);
  expect(slept).toEqual([45, 45, 45, 45]);

  await Promise.all(crowd.map((shown) => shown.return()));
  expect(await Array.fromAsync(toPaced('One two', signal))).toEqual(['One ', 'two']);
});

test('a stream of deltas shows at most eight words at a time', async () => {
  const { toPaced } = startPacing();
  const crowd = Array.from({ length: 300 }, () => toPaced(text, signal));
  await Promise.all(crowd.map((shown) => shown.next()));
  const { value } = await toPaced(text, signal).next();
  expect(value).toBe('One two three, four five six. Seven eight ');
});

test('a stream of deltas ends when the reader leaves', async () => {
  const { toPaced } = startPacing();
  const reader = new AbortController();
  const shown = toPaced(text, reader.signal);
  await shown.next();
  reader.abort();
  await expect(shown.next()).rejects.toThrow('aborted');
});

async function* deltas(...texts: string[]) {
  yield* texts;
  return 'outcome';
}

test('a stream of deltas joins surrogate pairs that are cut between deltas', async () => {
  const whole = await Array.fromAsync(
    toWholeCharacters(deltas('a\ud83d', '', '\ude00b', '\ud83d\ude00')),
  );
  expect(whole).toEqual(['a', '😀b', '😀']);
});

test('a stream of deltas replaces halves whose other half never comes', async () => {
  const whole = await Array.fromAsync(toWholeCharacters(deltas('\ude00a', 'b\ud83d')));
  expect(whole).toEqual(['\ufffda', 'b', '\ufffd']);
});

test('a stream of deltas passes the outcome on', async () => {
  expect(await toWholeCharacters(deltas()).next()).toEqual({ done: true, value: 'outcome' });
});
