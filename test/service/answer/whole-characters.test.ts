import { expect, test } from 'vitest';
import { toWholeCharacters } from '../../../src/service/answer/deltas.ts';

async function* deltas(...texts: string[]) {
  yield* texts;
  return 'outcome';
}

test('joins surrogate pairs that are cut between deltas', async () => {
  const whole = await Array.fromAsync(
    toWholeCharacters(deltas('a\ud83d', '', '\ude00b', '\ud83d\ude00')),
  );
  expect(whole).toEqual(['a', '😀b', '😀']);
});

test('replaces halves whose other half never comes', async () => {
  const whole = await Array.fromAsync(toWholeCharacters(deltas('\ude00a', 'b\ud83d')));
  expect(whole).toEqual(['\ufffda', 'b', '\ufffd']);
});

test('passes the outcome on', async () => {
  expect(await toWholeCharacters(deltas()).next()).toEqual({ done: true, value: 'outcome' });
});
