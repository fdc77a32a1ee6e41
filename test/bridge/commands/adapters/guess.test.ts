import { expect, test } from 'vitest';
import { guess } from '../../../../src/bridge/commands/adapters/guess.ts';
import { commands } from '../../../../src/bridge/commands/commands.ts';

test.each([
  ['sorce list', 'source list'],
  ['Sources lst --filter "a b"', 'source list --filter "a b"'],
  ['source lsit', 'source list'],
  ['/sesion', 'session'],
  ['aks Who built it?', 'ask Who built it?'],
  ['hepl', 'help'],
])('%s is taken for a typo of %s', (typed, words) => {
  expect(guess(commands, typed)).toEqual({ kind: 'command', words });
});

test.each([
  'what is the vacation policy',
  'how do I upload a pdf?',
  'sources are what',
  'Wie geht das?',
])('%s is taken for a question', (question) => {
  expect(guess(commands, question)).toEqual({ kind: 'question', question });
});

test('a single word that resembles no command is taken for nothing', () => {
  expect(guess(commands, 'remove')).toBeUndefined();
});
