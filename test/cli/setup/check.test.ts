import { expect, test } from 'vitest';
import { type Check, ok, runChecks, Trouble } from '../../../src/cli/setup/check.ts';

const never = () => new Promise<never>(() => {});

test('a check that never ends is cut off, and the next ones still run', async () => {
  const checks: Check<undefined>[] = [
    { name: 'first', run: never, limitMs: 1 },
    { name: 'second', needs: 'first', run: never },
    { name: 'third', run: async () => ok('right.') },
  ];
  expect(await runChecks(checks, undefined)).toEqual([
    expect.objectContaining({
      state: 'fault',
      says: 'there is no answer within 1 seconds.',
      fix: expect.stringMatching(/^Check the network/),
    }),
    { name: 'second', state: 'unchecked', says: 'not checked: first comes first.' },
    { name: 'third', state: 'ok', says: 'right.' },
  ]);
});

test('a platform that asks to wait is reported as unchecked, not as a fault', async () => {
  const run = async () => {
    throw new Trouble('busy', 'Slack limits requests now.');
  };
  expect(await runChecks([{ name: 'first', run }], undefined)).toEqual([
    {
      name: 'first',
      state: 'unchecked',
      says: 'not checked: Slack limits requests now.',
      fix: 'Run npm run doctor again in a minute.',
    },
  ]);
});
