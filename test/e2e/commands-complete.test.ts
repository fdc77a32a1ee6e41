import { describe, expect, it, test } from 'vitest';
import { ask } from '../../src/bridge/commands/ask.ts';
import { commands } from '../../src/bridge/commands/commands.ts';
import { type Command, defineAction } from '../../src/bridge/commands/command.ts';
import { findMissing, findOutdated } from '../contracts/commands/completeness.ts';
import { scenarios } from '../contracts/commands/scenarios.ts';

test('every action and option has a scenario, with wrong values if it can have any', () => {
  expect(findMissing(commands, scenarios)).toEqual([]);
});

test('every scenario uses declared actions and options', () => {
  expect(findOutdated(commands, scenarios)).toEqual([]);
});

describe('the completeness check reports', () => {
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

  it('an action that no scenario uses', () => {
    expect(findMissing([weather], { works: [] })).toEqual(['weather show: no scenario']);
  });

  it('an option that no scenario uses', () => {
    expect(findMissing([weather], { works: [shown] })).toEqual([
      'weather show town: no scenario gives it',
    ]);
    const whole = { ...shown, values: { town: 'Ghent' } };
    expect(findMissing([weather], { works: [whole] })).toEqual([]);
  });

  it('nothing for what is no longer declared', () => {
    const old = { ...shown, values: { day: 'today' } };
    expect(findOutdated([ask], { works: [shown], refuses: [] })).toEqual([
      'weather show: there is no such action',
    ]);
    expect(findOutdated([weather], { works: [old], refuses: [] })).toEqual([
      'weather show day: there is no such option',
    ]);
  });
});
