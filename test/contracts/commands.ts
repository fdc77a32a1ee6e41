import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Option } from '../../src/bridge/commands/option.ts';
import type { Action } from '../../src/bridge/commands/command.ts';
import { commands } from '../../src/bridge/commands/commands.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { actionsOf, type NamedAction } from './commands/completeness.ts';
import { testMissingValues, testPresentValues } from './commands/modals.ts';
import { testOperations } from './commands/operations.ts';
import { testMentionCommands } from './commands/mention-commands.ts';
import { type Scenario, textFile, toValues } from './commands/scenario.ts';
import { scenarios } from './commands/scenarios.ts';
import type { Seats, Use } from './commands/seat.ts';
import { testSuggestions } from './commands/suggestions.ts';
import { openWorld, type World } from './commands/world.ts';
import { plausibleValue, type WrongValue, wrongValues } from './commands/wrong-values.ts';

const actions = actionsOf(commands);

/** What the commands do on every platform, through its unmodified library and the sandbox. */
export function testCommands(platform: string, seats: (sandbox: Sandbox) => Seats): void {
  describe(`commands on ${platform}`, () => {
    let world: World;
    beforeAll(async () => {
      world = await openWorld(seats);
    });
    afterAll(() => world[Symbol.asyncDispose]());

    describe('the operations of the interface', () => {
      testOperations(() => world);
    });

    describe('said in a thread', () => {
      testMentionCommands(() => world);
    });

    describe.each(actions)('/$words', ({ words, action }) => {
      const isHere = ({ command }: Scenario) => command === words;
      const mayAll = action.managersOnly === undefined;

      test.each(scenarios.works.filter(isHere))('$does', (scenario) =>
        runScenario(world, scenario, mayAll),
      );
      test.each(scenarios.refuses.filter(isHere))('refuses $does', (scenario) =>
        runScenario(world, scenario, mayAll),
      );
      test.each(action.managersOnly ? ['member'] : [])('is refused to a %s', async () => {
        const use = { command: words, ...plausibly(action) };
        expect(await world.member.attempt(use)).toMatch(/^Only managers can do that/);
      });
      test.each(wrongRounds(action))('refuses wrong values of $names', ({ wrong }) =>
        refuseWrong(world, { words, action }, wrong),
      );
      testMissingValues({ words, action }, () => world);
      testPresentValues({ words, action }, () => world);
      testSuggestions({ words, action }, () => world);
    });
  });
}

async function runScenario(world: World, scenario: Scenario, mayAll: boolean): Promise<void> {
  const { command, files, button, by = mayAll ? 'member' : 'manager', shows } = scenario;
  const given = (await scenario.given?.(world)) ?? {};
  const values = toValues(scenario, given);
  const use: Use = { command, values, button, ...(files && { files }) };
  const seen = await world[by].use(use, shows instanceof RegExp ? shows : shows(given));
  await scenario.check?.(world, seen, given);
}

/** A wrong value of one option. */
interface WrongOption extends WrongValue {
  name: string;
  option: Option;
}

/** The wrong values of all options: first one of each, then another of each that has one, and so on. */
function wrongRounds({ options }: Action): { names: string; wrong: WrongOption[] }[] {
  const all = Object.entries<Option>(options).map(([name, option]) =>
    wrongValues(option).map((value) => ({ name, option, ...value })),
  );
  const count = Math.max(0, ...all.map((values) => values.length));
  return Array.from({ length: count }, (_, round) => {
    const wrong = all.flatMap((values) => values.slice(round, round + 1));
    return { names: wrong.map(({ name }) => name).join(', '), wrong };
  });
}

/** All problems are told at once, except for those that the client sees or that are seen later. */
async function refuseWrong(
  world: World,
  { words, action }: NamedAction,
  round: readonly WrongOption[],
): Promise<void> {
  const isSeenByClient = ({ option }: WrongOption) => option.type in world.clientRefuses;
  const attempt = (wrong: readonly WrongOption[]) =>
    world.manager.attempt({ command: words, ...wrongly(action, wrong) });
  const together = round.filter((wrong) => !isSeenByClient(wrong));
  const text = together.length > 1 ? await attempt(together) : '';
  const told = text.split('\n');
  const isTold = ({ name, says }: WrongOption) =>
    told.some((line) => line.startsWith(`**${name}**`) && says.test(line));
  for (const wrong of round.filter((each) => !isTold(each))) {
    const { name, option, says } = wrong;
    const alone = await attempt([wrong]);
    if (world.clientRefuses[option.type]?.test(alone)) continue;
    expect(alone).toContain(`**${name}**`);
    expect(alone).toMatch(says);
  }
}

/** Something for every option, and wrong values for some. */
function wrongly(action: Action, wrong: readonly WrongOption[]): Omit<Use, 'command'> {
  const { values, files } = plausibly(action);
  const given = { values: { ...values }, files };
  for (const { name, value } of wrong) {
    if (typeof value === 'string') given.values[name] = value;
    else given.files = value;
  }
  return { values: given.values, ...(given.files && { files: given.files }) };
}

/** Something for every option, so that nothing but what a test is about is wrong or missing. */
function plausibly(action: NamedAction['action']): Omit<Use, 'command'> {
  const options = Object.entries<Option>(action.options);
  const values = options.filter(([, option]) => option.type !== 'file' && option.required);
  const optional = options.find(([, option]) => option.type !== 'file' && !option.required);
  const given = action.initialValues && optional ? [...values, optional] : values;
  const takesFiles = options.some(([, option]) => option.type === 'file');
  return {
    values: Object.fromEntries(given.map(([name, option]) => [name, plausibleValue(option)])),
    ...(takesFiles && { files: [textFile('some.txt', 'Some text.')] }),
  };
}
