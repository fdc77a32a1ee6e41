import { expect, test } from 'vitest';
import { findSmallTalk } from '../../../src/bridge/conversation/decide.ts';
import { english, textsFor } from '../../../src/bridge/texts/texts.ts';

const german = textsFor('de');

test.each([
  ['hi', 'greeting'],
  ['Hello!', 'greeting'],
  ['Heyyy 👋', 'greeting'],
  ['good morning', 'greeting'],
  ['Thanks!!', 'thanks'],
  ['Thank you very much.', 'thanks'],
  ['ok, thanks', 'thanks'],
  ['HELP', 'help'],
  ['help me!', 'help'],
])('%j is a %s', (text, kind) => {
  expect(findSmallTalk(text)).toEqual({ kind, texts: english });
});

test.each([
  ['hi', 'de-AT', german],
  ['help', 'de', german],
  ['hi', 'fi-FI', english],
  // The words tell where the reader's language does not know them.
  ['Grüß Gott', 'en-US', german],
  ['danke!', undefined, german],
  ['thanks', 'de', english],
])('%j of somebody who reads %s is answered in the right language', (text, locale, texts) => {
  expect(findSmallTalk(text, locale)?.texts).toBe(texts);
});

test.each([
  ['hi, how do I add a source?'],
  ['hello world program in C'],
  ['thanks, and when does it open?'],
  ['help me with my tax return'],
  ['hi?'.repeat(40)],
  ['hilfe beim Drucker'],
  ['👍'],
  ['1'],
  [''],
])('%j is none', (text) => {
  expect(findSmallTalk(text)).toBeUndefined();
});
