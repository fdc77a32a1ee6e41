import { describe, expect, it, test } from 'vitest';
import { ask, commands } from '../../src/bridge/commands/commands.ts';
import { type Command, defineAction } from '../../src/bridge/commands/command.ts';
import { findMissing, findOutdated } from '../contracts/commands/completeness.ts';
import { scenarios } from '../contracts/commands/scenarios.ts';

test('every action and option of the list has a scenario, and wrong values where it can be wrong', () => {
  expect(findMissing(commands, scenarios)).toEqual([]);
});

test('every scenario is of an action and options that are declared', () => {
  expect(findOutdated(commands, scenarios)).toEqual([]);
});

describe('what is missing', () => {
  const weather: Command = {
    name: 'weather',
    description: 'help',
    actions: {
      show: defineAction({
        description: 'help',
        shownTo: 'private',
        options: { town: { type: 'text', description: 'help command' } },
        async *run() {
          yield 'Rain.';
        },
      }),
    },
  };
  const shown = { does: 'shows it', command: 'weather show', shows: /Rain/ };

  it('is an action that no scenario uses', () => {
    expect(findMissing([weather], { works: [] })).toEqual(['weather show: no scenario']);
  });

  it('is an option that no scenario gives', () => {
    expect(findMissing([weather], { works: [shown] })).toEqual([
      'weather show town: no scenario gives it',
    ]);
    const whole = { ...shown, values: { town: 'Ghent' } };
    expect(findMissing([weather], { works: [whole] })).toEqual([]);
  });

  it('is not what the list has no longer', () => {
    const old = { ...shown, values: { day: 'today' } };
    expect(findOutdated([ask], { works: [shown], refuses: [] })).toEqual([
      'weather show: there is no such action',
    ]);
    expect(findOutdated([weather], { works: [old], refuses: [] })).toEqual([
      'weather show day: there is no such option',
    ]);
  });
});
